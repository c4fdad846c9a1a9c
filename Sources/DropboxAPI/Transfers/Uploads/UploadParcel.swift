// The content of one request: parts of one or more files, each with its upload session. Not
// responsible for the files' results: see UploadRun.

import Blocking
import ContentHashing
import Saturating

/// One request's content, in memory.
package struct UploadParcel: Sendable {
    /// A part of a file, or all of it.
    package struct Part: Sendable {
        /// Index of the file in the upload.
        var file: Int
        var session = ""
        var offset: UInt64
        var bytes: [UInt8]
        /// Whether it closes its session.
        var closes: Bool
    }

    package private(set) var parts: [Part] = []
    package private(set) var size = 0

    var isEmpty: Bool { parts.isEmpty }

    mutating func add(_ part: Part) {
        parts.append(part)
        size &+= part.bytes.count
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
            parcel.add(Part(file: file, session: session, offset: 0, bytes: bytes, closes: true))
        }
        if !parcel.isEmpty { parcels.append(parcel) }
        return parcels
    }

    /// Assigns an upload session to each part.
    mutating func assign(_ sessions: some Sequence<String>) {
        for (index, session) in zip(parts.indices, sessions) { parts[index].session = session }
    }

    /// Sends the request; returns for each part whether the server has it.
    package func send(
        by calls: Files.Calls, _ options: CallOptions
    ) async -> [Result<Void, FileUploadError>] {
        let hash = await DiskQueue.transfers.run {
            var hasher = ContentHasher()
            for part in parts { hasher.update(part.bytes) }
            return hasher.finalized()
        }
        let results: [Files.UploadSessionAppendBatchResultEntry]
        do throws(CallError<Files.UploadSessionAppendBatchError>) {
            results = try await calls.uploadSessionAppendBatch(
                entries: parts.map(\.argument), contentHash: hash,
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
    private var range: Range<UInt64> { offset ..<| offset +| UInt64(clamping: bytes.count) }

    fileprivate var argument: Files.UploadSessionAppendBatchArgEntry {
        .init(
            cursor: .init(sessionID: session, offset: offset),
            length: UInt64(clamping: bytes.count),
            close: closes)
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
