// Runs the examples of batches. The server makes a job of each, even of a small one:
// `synchronous_batch` of the emulator is 0.

import Account
import DropboxAPI

/// Calls in the folder `/Batch`, which is deleted at the end, and with it `/Routes`.
struct BatchRun {
    let files: FileExamples

    func run() async throws {
        let made = try await finished(
            try await files.createFolderBatch(["/Batch/a", "/Batch/b"]),
            files.createFolderBatchCheck)
        try expect(made == 2, "two folders are made: \(made)")
        let copied = try await finished(
            try await files.copyBatchV2([.init(fromPath: "/Batch/a", toPath: "/Batch/c")]),
            files.copyBatchCheckV2)
        try expect(copied == 1, "one folder is copied: \(copied)")
        let moved = try await finished(
            try await files.moveBatchV2([.init(fromPath: "/Batch/c", toPath: "/Batch/d")]),
            files.moveBatchCheckV2)
        try expect(moved == 1, "one folder is moved: \(moved)")
        let deleted = try await finished(
            try await files.deleteBatch(["/Batch", "/Routes"]), files.deleteBatchCheck)
        try expect(deleted == 2, "two folders are deleted: \(deleted)")
    }

    private func finished(
        _ job: Async.AsyncJobID?, _ result: (Async.AsyncJobID) async throws -> Int?
    ) async throws -> Int {
        guard let job else { throw Usage("the server made no job of a batch") }
        for _ in 0..<100 {
            if let count = try await result(job) { return count }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw Usage("a job has not ended within ten seconds")
    }
}
