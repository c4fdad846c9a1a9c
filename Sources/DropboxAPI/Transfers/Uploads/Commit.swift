// The commit of one file. Each commit of a single file goes through here: its failure says whether
// the file may be stored, also that of a cancelled task, and a lost response is settled by a
// request for the file at the path. Not responsible for many commits in one request: BatchCommit;
// nor for which file can be the result of which commit: LostResponse.

import ContentHashing

/// Why a commit has not returned its file.
enum CommitError<Failure: RouteError>: Error {
    /// It was refused, not sent, or cancelled before it was sent: surely nothing was stored.
    case withoutEffect(CallError<Failure>)
    /// It may have been carried out. The file is not at its path, or could not be asked for.
    case uncertain(CallError<Failure>)
    /// The server stored other bytes.
    case hashMismatch(expected: ContentHash, received: ContentHash?)
}

/// The result of a request for the file at a target path.
enum StoredFile: Sendable {
    /// A file that this commit can have stored.
    case stored(Files.FileMetadata)
    /// The path is empty, or has something else.
    case absent
    /// The request has failed.
    case unknown
}

extension Files.Calls {
    /// Makes a commit by one call, and compares the stored file with the bytes that were sent.
    func committed<Failure>(
        _ commit: Files.CommitInfo, _ hash: ContentHash, size: UInt64, options: CallOptions,
        by call: () async throws(CallError<Failure>) -> Files.FileMetadata
    ) async throws(CommitError<Failure>) -> Files.FileMetadata {
        let stored: Files.FileMetadata
        do throws(CallError<Failure>) {
            stored = try await call()
        } catch {
            guard error.mayHaveTakenEffect else { throw .withoutEffect(error) }
            guard case .stored(let file) = await storedFile(of: commit, hash, options: options)
            else { throw .uncertain(error.ofCancelledTask) }
            stored = file
        }
        guard stored.holds(hash, size: size) else {
            throw .hashMismatch(expected: hash, received: stored.contentHash)
        }
        return stored
    }

    /// Requests the file at the target path of a commit. In a cancelled task it stays unknown.
    func storedFile(
        of commit: Files.CommitInfo, _ hash: ContentHash, options: CallOptions
    ) async -> StoredFile {
        var question = options
        (question.progress, question.onEnd) = (nil, nil)
        do throws(CallError<Files.GetMetadataError>) {
            let there = try await getMetadata(path: commit.path, options: question)
            guard case .file(let file) = there, commit.isStored(as: file, hash) else {
                return .absent
            }
            return .stored(file)
        } catch {
            if case .path(.notFound)? = error.routeError { return .absent }
            return .unknown
        }
    }
}
