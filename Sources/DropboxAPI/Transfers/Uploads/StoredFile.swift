// Whether a commit whose response was lost has stored its file: the file at the path is requested. Not responsible for
// which file can be the result of which commit: LostResponse.

import ContentHashing

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
    /// Requests the file at the target path of a commit.
    func storedFile(
        of commit: Files.CommitInfo, _ hash: ContentHash, options: CallOptions
    ) async -> StoredFile {
        var question = options
        (question.progress, question.ended) = (nil, nil)
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
