// Commits of a lost response: a commit can take effect although its response is lost, and is
// refused when it is sent again. Which refusals can follow such a commit, and which file at the
// path is its result. Pure. Not responsible for requests, nor for the caller's reaction.

package import ContentHashing

extension Files.CommitInfo {
    /// Whether a file at the path can be the result of this commit, whose response was lost.
    ///
    /// Equal content suffices unless the commit is strict: a strict commit conflicts with an equal
    /// file of another client. Then the modification time has to match, too, if one was given.
    package func isStored(as file: Files.FileMetadata, _ hash: ContentHash) -> Bool {
        guard file.contentHash == hash else { return false }
        return !strictConflict || clientModified.map { $0 == file.clientModified } ?? true
    }
}

extension Files.FileMetadata {
    /// Whether the server stored the bytes that were sent, as far as it and the caller know their
    /// hash.
    package func holds(_ hash: ContentHash?, size: UInt64) -> Bool {
        self.size == size && (contentHash == nil || hash == nil || contentHash == hash)
    }
}

extension Files.UploadSessionFinishError {
    /// Whether an earlier request, whose response was lost, can be the reason: it has taken the
    /// path, or used up the session.
    package var mayFollowLostResponse: Bool {
        switch self {
        case .lookupFailed(.notFound), .lookupFailed(.closed): true
        case .path(let error): error.mayFollowLostResponse
        default: false
        }
    }
}

extension Files.UploadError {
    /// Whether an earlier request, whose response was lost, can be the reason.
    package var mayFollowLostResponse: Bool {
        if case .path(let failed) = self { failed.reason.mayFollowLostResponse } else { false }
    }
}

extension Files.WriteError {
    /// Whether the path may be taken by a file.
    fileprivate var mayFollowLostResponse: Bool {
        switch self {
        case .conflict(.file), .conflict(.unknown): true
        default: false
        }
    }
}
