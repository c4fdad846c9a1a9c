// Uploads in pieces. `upload(file:to:)` does all of this by itself.

import DropboxAPI

extension FileExamples {
    /// Begins an upload with the first piece, and returns where the second one belongs.
    func uploadSessionStart(_ piece: [UInt8]) async throws -> Files.UploadSessionCursor {
        let session = try await client.files.uploadSessionStart(body: BytesBody(piece))
        return .init(sessionID: session.sessionID, offset: UInt64(piece.count))
    }

    /// Sends the next piece, and returns where the one after it belongs.
    func uploadSessionAppendV2(
        _ piece: [UInt8], at cursor: Files.UploadSessionCursor
    ) async throws -> Files.UploadSessionCursor {
        try await client.files.uploadSessionAppendV2(cursor: cursor, body: BytesBody(piece))
        return .init(
            sessionID: cursor.sessionID, offset: cursor.offset + UInt64(piece.count))
    }

    /// Sends the last piece, and makes all of them a file.
    func uploadSessionFinish(
        _ piece: [UInt8], at cursor: Files.UploadSessionCursor, as path: String
    ) async throws -> Files.FileMetadata {
        try await client.files.uploadSessionFinish(
            cursor: cursor, commit: .init(path: path, mode: .add), body: BytesBody(piece))
    }

    /// Begins several uploads, without their content.
    func uploadSessionStartBatch(count: UInt64) async throws -> [Files.UploadSessionCursor] {
        let begun = try await client.files.uploadSessionStartBatch(numSessions: count)
        return begun.sessionIDs.map { .init(sessionID: $0, offset: 0) }
    }

    /// Sends the whole contents of several small files, one behind the other; a session has to be
    /// closed to be finished in a batch.
    func uploadSessionAppendBatch(
        _ contents: [[UInt8]], to sessions: [Files.UploadSessionCursor]
    ) async throws -> [Files.UploadSessionAppendBatchResultEntry] {
        let pieces = zip(sessions, contents).map { session, content in
            Files.UploadSessionAppendBatchArgEntry(
                cursor: session, length: UInt64(content.count), close: true)
        }
        return try await client.files.uploadSessionAppendBatch(
            entries: pieces, body: BytesBody(contents.flatMap(\.self))
        ).entries
    }

    /// Makes several sessions files; one may fail without the others.
    func uploadSessionFinishBatchV2(
        _ files: [Files.UploadSessionFinishArg]
    ) async throws -> [String] {
        let results = try await client.files.uploadSessionFinishBatchV2(entries: files).entries
        return results.map { result in
            if case .success(let file) = result { file.name } else { "failed: \(result)" }
        }
    }
}
