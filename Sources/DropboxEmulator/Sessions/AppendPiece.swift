// Appends bytes to a session that were first received into another file.

/// A piece of a batch: `files.UploadSessionAppendBatchArgEntry`.
struct AppendPiece: Sendable {
    let session: String
    let offset: Int64
    let length: Int64
    let closes: Bool

    /// Takes the fields of one entry.
    init(_ reader: inout ArgumentReader) throws(ArgumentError) {
        let cursor = try reader.sessionCursor("cursor")
        session = cursor.session
        offset = cursor.offset
        length = try reader.integer("length")
        closes = try reader.boolean("close", default: false)
    }
}

extension Space {
    /// Appends a piece of a batch, which begins at an offset of the received file.
    func append(_ piece: AppendPiece, from start: Int64, of file: BlockingFile) async throws {
        try checkAppend(
            piece.session, offset: piece.offset, length: piece.length, closes: piece.closes)
        let isConcurrent = read { $0.sessions[piece.session]?.isConcurrent == true }
        if isConcurrent {
            let hasher = try await rehash(
                file.path, from: start, to: start + piece.length, with: BlockHasher())
            try await appendFile(
                file, from: start, count: piece.length, to: piece.session, offset: piece.offset)
            try apply(
                .append(
                    session: piece.session, offset: piece.offset, length: piece.length,
                    closes: piece.closes, digests: hasher.allDigests))
        } else {
            try await appendSequential(
                file, from: start, count: piece.length, to: piece.session,
                offset: piece.offset, closes: piece.closes)
        }
    }

    /// Appends a whole received body to a sequential session.
    func append(
        _ received: ReceivedBody, in file: BlockingFile, to session: String, offset: Int64,
        closes: Bool
    ) async throws {
        try checkAppend(session, offset: offset, length: received.size, closes: closes)
        try await appendSequential(
            file, from: 0, count: received.size, to: session, offset: offset, closes: closes)
    }
}
