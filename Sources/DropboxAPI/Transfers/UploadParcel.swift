// The content of one request: parts of one or more files, each with its upload session. Not
// responsible for the files' results: see UploadRun.

import ContentHashing

/// One request's content, in memory.
struct UploadParcel: Sendable {
    /// A part of a file, or all of it.
    struct Part: Sendable {
        /// Index of the file in the upload.
        var file: Int
        var session = ""
        var offset: UInt64
        var bytes: [UInt8]
        /// Whether it closes its session.
        var closes: Bool
    }

    private(set) var parts: [Part] = []
    private(set) var size = 0

    var isEmpty: Bool { parts.isEmpty }

    mutating func add(_ part: Part) {
        parts.append(part)
        size &+= part.bytes.count
    }

    /// Whether a part of `count` bytes from another file fits in.
    func hasRoom(for count: UInt64, _ limits: UploadLimits) -> Bool {
        parts.count < UploadLimits.partsPerRequest && size <= limits.pieceSize
            && count <= limits.pieceSize &- size
    }

    /// Assigns an upload session to each part.
    mutating func assign(_ sessions: some Sequence<String>) {
        for (index, session) in zip(parts.indices, sessions) { parts[index].session = session }
    }

    /// Sends the request; returns for each part whether the server has it.
    func send(
        by calls: Files.Calls, _ options: CallOptions
    ) async -> [Result<Void, FileUploadError>] {
        var hasher = ContentHasher()
        for part in parts { hasher.update(part.bytes) }
        let results: [Files.UploadSessionAppendBatchResultEntry]
        do throws(CallError<Files.UploadSessionAppendBatchError>) {
            results = try await calls.uploadSessionAppendBatch(
                entries: parts.map(\.argument), contentHash: hasher.finalized(),
                body: ConcatenatedBody(parts.map { BytesBody($0.bytes) }), options: options
            ).entries
        } catch {
            let failure: FileUploadError = error.kind == .cancelled ? .cancelled : .send(error)
            return parts.map { _ in .failure(failure) }
        }
        guard results.count == parts.count else {
            let text = "\(parts.count) parts were sent, \(results.count) answered"
            return parts.map { _ in .failure(.malformedAnswer(text)) }
        }
        return zip(parts, results).map { $0.outcome($1) }
    }
}

extension UploadParcel.Part {
    private var end: UInt64 { offset &+ UInt64(clamping: bytes.count) }

    fileprivate var argument: Files.UploadSessionAppendBatchArgEntry {
        .init(
            cursor: .init(sessionID: session, offset: offset),
            length: UInt64(clamping: bytes.count),
            close: closes)
    }

    /// A part whose first response was lost is refused on retry, but has arrived: no other client
    /// writes to the session.
    fileprivate func outcome(
        _ result: Files.UploadSessionAppendBatchResultEntry
    ) -> Result<Void, FileUploadError> {
        switch result {
        case .success, .failure(.closed): .success(())
        case .failure(.incorrectOffset(let place)) where place.correctOffset == end: .success(())
        case .failure(let error): .failure(.refused(error))
        case .unknown(let tag): .failure(.malformedAnswer(tag))
        }
    }
}
