// Whether a commit whose response was lost has stored its file: the path is asked. Not responsible for which file can be
// the result of which commit: LostResponse.

import ContentHashing

/// The answer to a question for a file's target path.
enum StoredFile: Sendable {
    /// A file that this commit can have stored.
    case stored(Files.FileMetadata)
    /// The path is empty, or has something else.
    case absent
    /// The question was not answered.
    case unknown
}

extension Files.Calls {
    /// Asks for the file at the target path of a commit.
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
