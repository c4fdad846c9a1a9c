// One batch upload. A single reader iterates over the files and fills parcels; parcels are sent in
// parallel; uploaded files are committed one batch at a time while others are still being sent. The
// reader owns all state.
//
// Bound on memory: one parcel being filled and `concurrency` in flight, each of at most `pieceSize`
// bytes. Pieces of local files need none: they are read while they are sent.

import Blocking
import ContentHashing
import Saturating

/// Uploads files and collects their results.
struct UploadRun {
    typealias Outcome = Result<Files.FileMetadata, FileUploadError>

    /// The result of a child task.
    private enum Event: Sendable {
        case sent(UploadParcel, UploadParcel.Sent)
        case committed([(file: Int, outcome: Outcome)])
    }

    /// A file that has been read in part or whole and is not committed.
    private struct Travelling {
        var size: UInt64
        /// The hash of a file that is one part; for a larger one it follows from its digests.
        var hash: ContentHash?
        /// The digests of the blocks of each piece that the server has, by where it starts.
        var digests: [UInt64: [ContentHash]] = [:]
        /// Number of parts in flight.
        var underWay = 0

        var contentHash: ContentHash {
            hash
                ?? ContentHash(
                    blockDigests: digests.sorted { $0.key < $1.key }.flatMap(\.value))
        }
    }

    private let calls: Files.Calls
    private let files: [FileUpload]
    private let options: BatchUploadOptions
    private let limits: UploadLimits

    private var outcomes: [Outcome?]
    private var travelling: [Int: Travelling] = [:]
    private var parcel = UploadParcel()
    private var parcelsUnderWay = 0
    private var ready: [PendingCommit] = []
    private var isCommitting = false
    /// Started sessions that are not assigned yet.
    private var sessions: [String] = []
    /// The error that every further request would fail with, too.
    private var stop: FileUploadError?
    private var progress: BatchUploadProgress

    init(calls: Files.Calls, files: [FileUpload], options: BatchUploadOptions) {
        self.calls = calls
        self.files = files
        self.options = options
        limits = UploadLimits(options)
        outcomes = Array(repeating: nil, count: files.count)
        progress = BatchUploadProgress(filesTotal: files.count)
    }

    /// Runs the whole upload.
    consuming func results() async -> [Outcome] {
        var run = self
        await withTaskGroup(of: Event.self) { group in
            for index in run.files.indices {
                guard !Task.isCancelled, run.stop == nil else { break }
                await run.take(index, &group)
            }
            await run.flush(&group)
            while run.parcelsUnderWay > 0 || run.isCommitting {
                await run.handleNext(&group)
            }
        }
        let unsettled = Outcome.failure(run.stop ?? .cancelled)
        return run.outcomes.map { $0 ?? unsettled }
    }

    // MARK: Reading

    private mutating func take(_ index: Int, _ group: inout TaskGroup<Event>) async {
        do throws(FileUploadError) {
            guard files[index].commit.hasSoundPath else {
                throw .commit(.path(.malformedPath(nil)))
            }
            let source = files[index].source
            let file = try await reading { try source.open() }
            if file.length > UInt64(clamping: limits.pieceSize) {
                try await sendLarge(index, file, &group)
            } else {
                try await addSmall(index, file, &group)
            }
        } catch {
            end(index, .failure(error))
        }
    }

    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws(FileUploadError) -> Value {
        do {
            return try await DiskQueue.transfers.run(body)
        } catch {
            throw error as? FileUploadError ?? .source(error)
        }
    }

    private mutating func addSmall(
        _ index: Int, _ file: any OpenedFile, _ group: inout TaskGroup<Event>
    ) async throws(FileUploadError) {
        if !parcel.hasRoom(for: file.length, atMost: limits.pieceSize) { await flush(&group) }
        let (bytes, hash) = try await reading {
            let bytes = try file.bytes(0..<file.length)
            guard try file.isUnchanged() else { throw FileUploadError.changed }
            return (bytes, ContentHasher.hash(bytes))
        }
        travelling[index] = Travelling(size: file.length, hash: hash)
        parcel.add(.init(file: index, offset: 0, body: BytesBody(bytes), closes: true))
    }

    /// All pieces but the last are sent in parallel; the last one follows, because it closes the
    /// session.
    private mutating func sendLarge(
        _ index: Int, _ file: any OpenedFile, _ group: inout TaskGroup<Event>
    ) async throws(FileUploadError) {
        await flush(&group)
        let session = try await calls.startSessions(1, .concurrent, options: options.call)[0]
        travelling[index] = Travelling(size: file.length)
        for piece in limits.pieces(of: file.length) {
            let isLast = piece.upperBound == file.length
            while isLast && (travelling[index]?.underWay ?? 0) > 0 { await handleNext(&group) }
            guard travelling[index] != nil, !Task.isCancelled else { return }
            let body = try await reading { () -> any BodySource in
                guard isLast else { return try file.piece(piece) }
                // Read before the file is compared with its state when it was opened, so that no
                // later bytes are sent.
                let bytes = try file.bytes(piece)
                guard try file.isUnchanged() else { throw FileUploadError.changed }
                return BytesBody(bytes)
            }
            parcel.add(
                .init(
                    file: index, session: session, offset: piece.lowerBound, body: body,
                    closes: isLast))
            await dispatch(&group)
        }
    }

    // MARK: Sending

    /// Sends the parcel of small files.
    private mutating func flush(_ group: inout TaskGroup<Event>) async {
        guard !parcel.isEmpty, stop == nil else { return }
        do throws(FileUploadError) {
            let count = parcel.parts.count
            if sessions.count < count {
                // As many as all files could need: an unused session expires.
                let settled = outcomes.count { $0 != nil }
                let known = settled &+ travelling.count &- count
                let wanted = max(count, files.count &- known)
                sessions = try await calls.startSessions(
                    min(wanted, UploadLimits.filesPerBatch), .sequential, options: options.call)
            }
            parcel.assign(sessions.suffix(count))
            sessions.removeLast(count)
            await dispatch(&group)
        } catch {
            for part in parcel.parts { end(part.file, .failure(error)) }
            parcel = UploadParcel()
        }
    }

    /// Sends the parcel as soon as fewer than `concurrency` are in flight.
    private mutating func dispatch(_ group: inout TaskGroup<Event>) async {
        while parcelsUnderWay >= limits.concurrency { await handleNext(&group) }
        let (parcel, calls, options) = (parcel, calls, options.call)
        for part in parcel.parts { travelling[part.file]?.underWay &+= 1 }
        parcelsUnderWay &+= 1
        self.parcel = UploadParcel()
        group.addTask { .sent(parcel, await parcel.send(by: calls, options)) }
    }

    // MARK: Events

    private mutating func handleNext(_ group: inout TaskGroup<Event>) async {
        switch await group.next() {
        case .sent(let parcel, let sent): arrived(parcel, sent)
        case .committed(let settled):
            isCommitting = false
            for (file, outcome) in settled { end(file, outcome) }
        case nil: return
        }
        commitReady(&group)
    }

    private mutating func arrived(_ parcel: UploadParcel, _ sent: UploadParcel.Sent) {
        parcelsUnderWay &-= 1
        for (part, result) in zip(parcel.parts, sent.results) {
            travelling[part.file]?.underWay &-= 1
            switch result {
            case .failure(let error): end(part.file, .failure(error))
            case .success:
                progress.bytesSent +|= part.body.length
                // A piece of a large file is all of its request, and begins at a block.
                travelling[part.file]?.digests[part.offset] = sent.digests
                guard part.closes, let state = travelling[part.file] else { continue }
                ready.append(
                    PendingCommit(
                        file: part.file, session: part.session, size: state.size,
                        hash: state.contentHash, commit: files[part.file].commit))
            }
        }
        options.progress?(progress)
    }

    /// One batch at a time: on the server, commits wait for each other.
    private mutating func commitReady(_ group: inout TaskGroup<Event>) {
        guard !isCommitting, !ready.isEmpty, !Task.isCancelled else { return }
        isCommitting = true
        let commits = Array(ready.prefix(UploadLimits.filesPerBatch))
        ready.removeFirst(commits.count)
        let (calls, options) = (calls, options.call)
        group.addTask {
            var commit = BatchCommit(commits, calls: calls, options: options)
            return .committed(await commit.run())
        }
    }

    private mutating func end(_ file: Int, _ outcome: Outcome) {
        guard outcomes[file] == nil else { return }
        outcomes[file] = outcome
        travelling[file] = nil
        switch outcome {
        case .success: progress.filesStored &+= 1
        case .failure(let error):
            progress.filesFailed &+= 1
            if error.concernsAllCalls { stop = error }
        }
        options.progress?(progress)
    }
}

extension Files.Calls {
    /// Starts so many upload sessions in one request.
    package func startSessions(
        _ count: Int, _ type: Files.UploadSessionType?, options: CallOptions
    ) async throws(FileUploadError) -> [String] {
        let ids: [String]
        do throws(CallError<NoError>) {
            ids = try await uploadSessionStartBatch(
                numSessions: UInt64(clamping: count), sessionType: type, options: options
            ).sessionIDs
        } catch {
            throw error.kind == .cancelled ? .cancelled : .start(error)
        }
        guard ids.count == count else {
            throw .malformedAnswer("\(count) sessions were asked for, \(ids.count) came")
        }
        return ids
    }
}

extension FileUploadError {
    /// Whether all other files would fail with the same error.
    fileprivate var concernsAllCalls: Bool {
        switch self {
        case .start(let error), .finish(let error): error.kind.concernsAllCalls
        case .send(let error): error.kind.concernsAllCalls
        default: false
        }
    }
}
