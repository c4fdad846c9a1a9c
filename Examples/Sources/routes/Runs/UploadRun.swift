// Runs the examples of upload sessions.

import Account
import DropboxAPI

/// Uploads in pieces, and in batches.
struct UploadRun {
    let files: FileExamples

    func run() async throws {
        let second = try await files.uploadSessionStart([1, 2])
        let third = try await files.uploadSessionAppendV2([3], at: second)
        let file = try await files.uploadSessionFinish([4], at: third, as: "/Routes/pieces")
        try expect(file.size == 4, "the file has all pieces: \(file.size)")
        try await batch([[1], [2, 3]])
    }

    private func batch(_ contents: [[UInt8]]) async throws {
        let sessions = try await files.uploadSessionStartBatch(count: UInt64(contents.count))
        let sent = try await files.uploadSessionAppendBatch(contents, to: sessions)
        try expect(sent == [.success, .success], "both contents arrived: \(sent)")
        let uploads = zip(sessions, contents).enumerated().map { number, upload in
            Files.UploadSessionFinishArg(
                cursor: .init(sessionID: upload.0.sessionID, offset: UInt64(upload.1.count)),
                commit: .init(path: "/Routes/batch \(number)"))
        }
        let names = try await files.uploadSessionFinishBatchV2(uploads)
        try expect(names == ["batch 0", "batch 1"], "both are files: \(names)")
    }
}
