// One upload, resumed from any state a crash can leave: a sequential session, which knows its
// offset, and a commit that may have been sent before. The write order:
//
//   1. the session, before its first byte;
//   2. the offset and the digests of a piece, after the server has it;
//   3. that the commit may be sent, before it is;
//   4. the result.
//
// After a crash between a piece and step 2, an append without bytes asks the session for its
// offset. After one between 3 and 4, the metadata at the path decides: equal content is this
// upload, stored.

import Blocking
import ContentHashing
import DropboxAPI
import Foundation
import Saturating

/// Runs a single upload.
struct UploadWork {
    private let environment: WorkEnvironment
    private let request: UploadRequest
    private var record: TransferRecord
    private var backoff = OperationBackoff()
    /// Digests of the blocks before the offset.
    private var digests: [ContentHash] = []
    /// Whether the recorded offset is known to be the session's.
    private var knowsOffset = false

    private var client: DropboxClient { environment.client }
    private var size: UInt64 { record.size ?? 0 }

    init(_ record: TransferRecord, _ request: UploadRequest, _ environment: WorkEnvironment) {
        self.environment = environment
        self.request = request
        self.record = record
    }

    /// Runs the remaining steps; returns the stored file's metadata.
    mutating func run() async throws(WorkEnd) -> Files.FileMetadata {
        if record.phase == .placing, let stored = try await settle() { return stored }
        let file = try await open()
        if record.phase == .placing, let stored = try await commit() { return stored }
        while true {
            try await findOffset(file)
            while record.offset < size {
                guard try await sendPiece(of: file) else { break }
            }
            guard knowsOffset, record.offset == size else { continue }
            try await prepareCommit(file)
            if let stored = try await commit() { return stored }
        }
    }

    // MARK: The local file

    /// Opens the file; fails if it has changed since it was enqueued.
    private func open() async throws(WorkEnd) -> OpenedLocalFile {
        let path = request.file
        let file: OpenedLocalFile
        do throws(LocalFile.Failure) {
            file = try await DiskQueue.transfers.run { () throws(LocalFile.Failure) in
                try OpenedLocalFile(path)
            }
        } catch {
            throw .failed(.init(.localFile, "\(path): \(error)"))
        }
        guard let enqueued = record.identity, file.identity.isSameState(as: enqueued) else {
            throw changed
        }
        return file
    }

    private var changed: WorkEnd {
        .failed(.init(.sourceChanged, "\(request.file) was changed after it was enqueued"))
    }

    private func read(
        _ range: Range<UInt64>, of file: OpenedLocalFile
    ) async throws(WorkEnd) -> (bytes: [UInt8], digests: [ContentHash]) {
        do {
            return try await DiskQueue.transfers.run {
                let bytes = try file.bytes(range)
                guard try file.isUnchanged() else { throw FileUploadError.changed }
                let digests = bytes.withUnsafeBytes { buffer in
                    stride(from: 0, to: buffer.count, by: ContentHasher.blockSize).map { start in
                        let end = min(start +| ContentHasher.blockSize, buffer.count)
                        return ContentHasher.blockDigest(
                            UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
                    }
                }
                return (bytes, digests)
            }
        } catch FileUploadError.changed {
            throw changed
        } catch {
            throw .failed(.init(.localFile, "\(request.file): \(error)"))
        }
    }

    /// The start of the block that contains an offset.
    private func blockStart(_ offset: UInt64) -> UInt64 {
        let block = UInt64(ContentHasher.blockSize)
        return offset.divided(by: block) *| block
    }

    // MARK: The session

    /// Sets the recorded offset to that of the session.
    private mutating func findOffset(_ file: OpenedLocalFile) async throws(WorkEnd) {
        while !knowsOffset {
            guard let session = record.session else {
                try await startSession()
                continue
            }
            let correct: UInt64
            do throws(CallError<Files.UploadSessionAppendError>) {
                try await client.files.uploadSessionAppendV2(
                    cursor: .init(sessionID: session, offset: record.offset), body: BytesBody([]))
                correct = record.offset
            } catch {
                switch error.routeError {
                case .incorrectOffset(let place): correct = place.correctOffset
                case .notFound, .closed:
                    try await beginAnew()
                    continue
                default:
                    try await environment.wait(after: error, &backoff)
                    continue
                }
            }
            try await adopt(correct, file)
        }
    }

    /// Records an offset as the session's, and computes the missing digests of the blocks before
    /// it.
    private mutating func adopt(
        _ offset: UInt64, _ file: OpenedLocalFile
    ) async throws(WorkEnd) {
        guard offset <= size else { return try await beginAnew() }
        let (store, id) = (environment.store, record.id)
        let block = UInt64(ContentHasher.blockSize)
        let counted = offset == size ? size +| (block -| 1) : offset
        let count = Int(clamping: counted.divided(by: block))
        digests = try await environment.storing { try await store.digests(of: id, count: count) }
        record.offset = offset
        // Blocks whose arrival was not recorded: at most those of one piece.
        let end = min(UInt64(clamping: count) *| block, size)
        while digests.count < count {
            let start = UInt64(clamping: digests.count) *| block
            let range = start ..<| min(start +| environment.settings.wholePieceSize, end)
            try await note(try await read(range, of: file).digests, from: start)
        }
        knowsOffset = true
        environment.progress(offset, size)
    }

    private mutating func startSession() async throws(WorkEnd) {
        do throws(CallError<Files.UploadSessionStartError>) {
            record.session = try await client.files.uploadSessionStart(body: BytesBody([]))
                .sessionID
        } catch {
            return try await environment.wait(after: error, &backoff)
        }
        (record.offset, digests, knowsOffset) = (0, [], true)
        try await environment.checkpoint("session started")
        try await save(forgettingBlocks: true)
        try await environment.checkpoint("session noted")
    }

    /// Discards a session that has expired or cannot be used.
    private mutating func beginAnew() async throws(WorkEnd) {
        (record.session, record.offset, record.phase) = (nil, 0, .moving)
        (digests, knowsOffset) = ([], false)
        try await save(forgettingBlocks: true)
    }

    /// Sends the next piece, up to a multiple of the piece size. False when the offset has become
    /// uncertain.
    private mutating func sendPiece(of file: OpenedLocalFile) async throws(WorkEnd) -> Bool {
        guard let session = record.session, knowsOffset else { return false }
        let pieceSize = environment.settings.wholePieceSize
        let start = blockStart(record.offset)
        let end = min((record.offset.divided(by: pieceSize) +| 1) *| pieceSize, size)
        let (bytes, added) = try await read(start ..<| end, of: file)
        let isAligned = record.offset == start
        let sent = Int(clamping: record.offset -| start)
        let piece = isAligned ? bytes : Array(bytes.dropFirst(clamping: sent))
        let hash = isAligned ? ContentHash(blockDigests: added) : ContentHasher.hash(piece)
        do throws(CallError<Files.UploadSessionAppendError>) {
            try await client.files.uploadSessionAppendV2(
                cursor: .init(sessionID: session, offset: record.offset),
                contentHash: hash, body: BytesBody(piece))
        } catch {
            let fate = PieceFate(error.routeError, range: record.offset ..<| end)
            guard fate == .arrived else { return try await doubt(error) }
        }
        backoff = OperationBackoff()
        try await environment.checkpoint("piece sent")
        record.offset = end
        try await note(added, from: start)
        try await environment.checkpoint("piece noted")
        environment.progress(end, size)
        return true
    }

    /// After a failure, makes the next round ask the session for its offset. Throws failures that
    /// this cannot mend.
    private mutating func doubt(
        _ error: CallError<Files.UploadSessionAppendError>
    ) async throws(WorkEnd) -> Bool {
        switch error.routeError {
        case nil, .incorrectOffset, .notFound, .closed, .contentHashMismatch:
            knowsOffset = false
            try await environment.wait(after: error, &backoff)
            return false
        default: throw .failed(error.failure())
        }
    }

    private mutating func note(_ added: [ContentHash], from start: UInt64) async throws(WorkEnd) {
        digests.append(contentsOf: added)
        let (store, record) = (environment.store, record)
        try await environment.storing {
            try await store.update(record, adding: added, from: start)
        }
    }

    private func save(forgettingBlocks: Bool = false) async throws(WorkEnd) {
        let (store, record) = (environment.store, record)
        try await environment.storing {
            if forgettingBlocks {
                try await store.updateForgettingBlocks(record)
            } else {
                try await store.update(record)
            }
        }
    }

    // MARK: The commit

    private mutating func prepareCommit(_ file: OpenedLocalFile) async throws(WorkEnd) {
        guard (try? file.isUnchanged()) == true else { throw changed }
        record.hash = ContentHash(blockDigests: digests)
    }

    /// Commits the session; nil when its bytes have to be sent again.
    private mutating func commit() async throws(WorkEnd) -> Files.FileMetadata? {
        var mayBeStored = record.phase == .placing
        record.phase = .placing
        try await save()
        try await environment.checkpoint("commit noted")
        while true {
            let stored: Files.FileMetadata
            do throws(CallError<Files.UploadSessionFinishError>) {
                stored = try await client.files.uploadSessionFinish(
                    cursor: .init(sessionID: record.session ?? "", offset: size),
                    commit: request.commit, body: BytesBody([]),
                    options: .init(isSafeToRepeat: false))
            } catch {
                mayBeStored = mayBeStored || error.mayHaveTakenEffect
                let isThrottled = RetryPolicy.isThrottling(error.kind.retryEvent)
                if let refusal = error.routeError, !isThrottled {
                    return try await react(to: refusal, error, mayBeStored: mayBeStored)
                }
                try await environment.wait(after: error, &backoff)
                if mayBeStored, let stored = try await settle() { return stored }
                continue
            }
            try await environment.checkpoint("commit sent")
            return try verified(stored)
        }
    }

    private mutating func react(
        to refusal: Files.UploadSessionFinishError,
        _ error: CallError<Files.UploadSessionFinishError>, mayBeStored: Bool
    ) async throws(WorkEnd) -> Files.FileMetadata? {
        if mayBeStored, refusal.mayFollowLostResponse {
            if let stored = try await settle() { return stored }
            guard case .path = refusal else {
                let text = "\(request.commit.path) may have been stored, but is no longer there"
                throw .failed(error.failure(.uncertain, text))
            }
        }
        switch refusal {
        case .lookupFailed(.notFound), .lookupFailed(.incorrectOffset), .lookupFailed(.closed):
            try await environment.wait(after: error, &backoff)
        default: throw .failed(error.failure())
        }
        if refusal == .lookupFailed(.notFound) {
            try await beginAnew()
        } else {
            (record.phase, knowsOffset) = (.moving, false)
            try await save()
        }
        return nil
    }

    /// The metadata of the file at the path, if it is this upload's content.
    private mutating func settle() async throws(WorkEnd) -> Files.FileMetadata? {
        guard let hash = record.hash else { return nil }
        while true {
            do throws(CallError<Files.GetMetadataError>) {
                let there = try await client.files.getMetadata(path: request.commit.path)
                guard case .file(let file) = there, request.commit.isStored(as: file, hash) else {
                    return nil
                }
                return file
            } catch {
                if case .path? = error.routeError { return nil }
                try await environment.wait(after: error, &backoff)
            }
        }
    }

    private func verified(_ file: Files.FileMetadata) throws(WorkEnd) -> Files.FileMetadata {
        guard file.holds(record.hash, size: size) else {
            throw .failed(.init(.damaged, "the server stored other bytes than were sent"))
        }
        return file
    }
}
