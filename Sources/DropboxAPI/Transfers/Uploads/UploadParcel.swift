// The content of one request: parts of one or more files, each with its upload session. Not
// responsible for the files' results: see UploadRun; nor for where a part's bytes are: FilePiece.

import Blocking
import ContentHashing
import Saturating

/// The content of a request, and where its parts belong.
package struct UploadParcel: Sendable {
    /// A part of a file, or all of it.
    package struct Part: Sendable {
        /// Index of the file in the upload.
        var file: Int
        var session = ""
        var offset: UInt64
        var body: any BodySource
        /// Whether it closes its session.
        var closes: Bool
    }

    package private(set) var parts: [Part] = []
    package private(set) var size = 0

    var isEmpty: Bool { parts.isEmpty }

    mutating func add(_ part: Part) {
        parts.append(part)
        size +|= Int(clamping: part.body.length)
    }

    /// Whether a part of `count` bytes from another file fits into a request of `largest` bytes.
    func hasRoom(for count: UInt64, atMost largest: Int) -> Bool {
        parts.count < UploadLimits.partsPerRequest && size <= largest
            && count <= UInt64(clamping: largest -| size)
    }

    /// Whole contents of files, each for a session of its own, in as few requests of at most
    /// `largest` bytes as keep their order. A larger content is a request of its own.
    package static func filled(
        with contents: [[UInt8]], sessions: [String], atMost largest: Int
    ) -> [UploadParcel] {
        var parcels: [UploadParcel] = []
        var parcel = UploadParcel()
        for (file, (bytes, session)) in zip(contents, sessions).enumerated() {
            if !parcel.isEmpty, !parcel.hasRoom(for: UInt64(clamping: bytes.count), atMost: largest)
            {
                parcels.append(parcel)
                parcel = UploadParcel()
            }
            parcel.add(
                Part(
                    file: file, session: session, offset: 0, body: BytesBody(bytes), closes: true))
        }
        if !parcel.isEmpty { parcels.append(parcel) }
        return parcels
    }

    /// Assigns an upload session to each part.
    mutating func assign(_ sessions: some Sequence<String>) {
        for (index, session) in zip(parts.indices, sessions) { parts[index].session = session }
    }

    /// The outcome of a request.
    package struct Sent: Sendable {
        /// For each part whether the server has it.
        package var results: [Result<Void, FileUploadError>]
        /// The digests of the request's blocks of 4 MiB.
        var digests: [ContentHash] = []
    }

    /// Sends the request. Its bytes are read twice: for the hash, and for the connection.
    package func send(by calls: Files.Calls, _ options: CallOptions) async -> Sent {
        let body = ConcatenatedBody(parts.map(\.body))
        let digests: [ContentHash]
        do {
            digests = try await DiskQueue.transfers.run { try body.blockDigests() }
        } catch {
            return Sent(failure: error as? FileUploadError ?? .source(error), of: parts)
        }
        let results: [Files.UploadSessionAppendBatchResultEntry]
        do throws(CallError<Files.UploadSessionAppendBatchError>) {
            results = try await calls.uploadSessionAppendBatch(
                entries: parts.map(\.argument), contentHash: ContentHash(blockDigests: digests),
                body: body, options: options
            ).entries
        } catch {
            let failure: FileUploadError = error.kind == .cancelled ? .cancelled : .send(error)
            guard error.isPerhapsOfTheBody else { return Sent(failure: failure, of: parts) }
            return await failed(failure)
        }
        guard results.count == parts.count else {
            let text = "\(parts.count) parts were sent, \(results.count) answered"
            return Sent(failure: .malformedAnswer(text), of: parts)
        }
        return Sent(results: zip(parts, results).map { $0.outcome($1) }, digests: digests)
    }

    /// The same failure for all parts, but for pieces of files that have changed since they were
    /// opened.
    private func failed(_ failure: FileUploadError) async -> Sent {
        let changes = await DiskQueue.transfers.run {
            parts.map { ($0.body as? FilePiece)?.hasChanged ?? false }
        }
        return Sent(results: changes.map { .failure($0 ? .changed : failure) })
    }
}

extension UploadParcel.Sent {
    /// The same failure for all parts.
    fileprivate init(failure: FileUploadError, of parts: [UploadParcel.Part]) {
        self.init(results: parts.map { _ in .failure(failure) })
    }
}

extension CallError<Files.UploadSessionAppendBatchError> {
    /// Whether a file that was changed between its hash and its sending can be the cause.
    fileprivate var isPerhapsOfTheBody: Bool {
        switch kind {
        case .route(.contentHashMismatch, _): true
        case .transport(let error): error.kind == .bodySource
        default: false
        }
    }
}

extension UploadParcel.Part {
    private var range: Range<UInt64> { offset ..<| offset +| body.length }

    fileprivate var argument: Files.UploadSessionAppendBatchArgEntry {
        .init(
            cursor: .init(sessionID: session, offset: offset),
            length: body.length, close: closes)
    }

    /// A part that is refused because it has arrived before is no failure.
    fileprivate func outcome(
        _ result: Files.UploadSessionAppendBatchResultEntry
    ) -> Result<Void, FileUploadError> {
        switch result {
        case .success: .success(())
        case .failure(let error):
            switch PieceFate(error, range: range) {
            case .arrived, .closed: .success(())
            case .overtaken, .partly, .refused: .failure(.refused(error))
            }
        case .unknown(let tag): .failure(.malformedAnswer(tag))
        }
    }
}
