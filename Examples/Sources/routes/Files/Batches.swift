// Many files and folders in one request. Where the server takes its time, the answer is the id of a
// job, to be asked about until it has ended. `copyJob(…).result()` and its like do both.

import Account
import DropboxAPI

extension FileExamples {
    /// Begins to make many folders, and returns the id of the job.
    func createFolderBatch(_ paths: [String]) async throws -> Async.AsyncJobID? {
        switch try await client.files.createFolderBatch(paths: paths) {
        case .asyncJobID(let job): return job
        case .complete(let result): print("made \(result.entries.count) at once")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether the folders are made; nil means that some are not yet.
    func createFolderBatchCheck(_ job: Async.AsyncJobID) async throws -> Int? {
        switch try await client.files.createFolderBatchCheck(asyncJobID: job) {
        case .complete(let result): return result.entries.count
        case .failed(let error): throw Usage("no folder is made: \(error)")
        default: return nil
        }
    }

    /// Begins to copy many files and folders, and returns the id of the job.
    func copyBatchV2(_ copies: [Files.RelocationPath]) async throws -> Async.AsyncJobID? {
        switch try await client.files.copyBatchV2(entries: copies) {
        case .asyncJobID(let job): return job
        case .complete(let result): print("copied \(result.entries.count) at once")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether the copies are made; nil means that some are not yet.
    func copyBatchCheckV2(_ job: Async.AsyncJobID) async throws -> Int? {
        switch try await client.files.copyBatchCheckV2(asyncJobID: job) {
        case .complete(let result): result.entries.count
        default: nil
        }
    }

    /// Begins to move many files and folders, and returns the id of the job.
    func moveBatchV2(_ moves: [Files.RelocationPath]) async throws -> Async.AsyncJobID? {
        switch try await client.files.moveBatchV2(entries: moves, autorename: true) {
        case .asyncJobID(let job): return job
        case .complete(let result): print("moved \(result.entries.count) at once")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether all is moved; nil means that it is not yet.
    func moveBatchCheckV2(_ job: Async.AsyncJobID) async throws -> Int? {
        switch try await client.files.moveBatchCheckV2(asyncJobID: job) {
        case .complete(let result): result.entries.count
        default: nil
        }
    }

    /// Begins to delete many files and folders, and returns the id of the job.
    func deleteBatch(_ paths: [String]) async throws -> Async.AsyncJobID? {
        switch try await client.files.deleteBatch(entries: paths.map { .init(path: $0) }) {
        case .asyncJobID(let job): return job
        case .complete(let result): print("deleted \(result.entries.count) at once")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether all is deleted; nil means that it is not yet.
    func deleteBatchCheck(_ job: Async.AsyncJobID) async throws -> Int? {
        switch try await client.files.deleteBatchCheck(asyncJobID: job) {
        case .complete(let result): return result.entries.count
        case .failed(let error): throw Usage("nothing is deleted: \(error)")
        default: return nil
        }
    }
}
