// Content that comes from elsewhere: from the web, from another account, or from a program without
// a token.

import Account
import DropboxAPI

extension FileExamples {
    /// Lets the server fetch a file from the web, and returns the id of the job.
    func saveURL(_ address: String, to path: String) async throws -> Async.AsyncJobID? {
        switch try await client.files.saveURL(path: path, url: address) {
        case .asyncJobID(let job): return job
        case .complete(let file): print("\(file.name) is stored")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether the server has fetched the file; nil means that it has not yet.
    func saveURLCheckJobStatus(_ job: Async.AsyncJobID) async throws -> Files.FileMetadata? {
        switch try await client.files.saveURLCheckJobStatus(asyncJobID: job) {
        case .complete(let file): return file
        case .failed(let error): throw Usage("nothing is stored: \(error)")
        default: return nil
        }
    }

    /// Makes a reference by which another account can copy the file.
    func copyReferenceGet(_ path: String) async throws -> String {
        let reference = try await client.files.copyReferenceGet(path: path)
        print("\(reference.metadata.name) can be copied until \(reference.expires)")
        return reference.copyReference
    }

    /// Copies the file of a reference to a path of this account.
    func copyReferenceSave(_ reference: String, to path: String) async throws -> Files.Metadata {
        let saved = try await client.files.copyReferenceSave(copyReference: reference, path: path)
        return saved.metadata
    }

    /// Makes an address to which a program without a token can upload this one file within an hour.
    func getTemporaryUploadLink(_ path: String) async throws -> String {
        let commit = Files.CommitInfo(path: path, mode: .add, autorename: true)
        return try await client.files.getTemporaryUploadLink(commitInfo: commit, duration: 3600)
            .link
    }
}
