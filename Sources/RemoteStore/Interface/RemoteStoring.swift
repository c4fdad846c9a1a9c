// The cloud as a filesystem needs it, as one protocol. Implementations: `DropboxStore` over
// DropboxAPI, `InMemoryStore` as the reference for tests, `FaultInjectingStore` around either.

package import ContentHashing
package import Core

/// A cloud that holds an account's tree.
///
/// Every operation may be applied twice: a response can be lost after the change was applied.
/// Changes therefore state their precondition, and callers treat "already so" as success.
package protocol RemoteStoring: Sendable {
    /// The account of the token.
    func account() async throws(RemoteError) -> RemoteAccount
    /// The name of the root of all paths in the account. Cursors and other state are valid for one
    /// root only.
    var root: String { get }
    /// Restores the root's name that an earlier process recorded, so that a mounted folder is
    /// followed by its identity across processes.
    func resume(root: String)
    /// Updates the root of all paths: after `rootChanged` or `rootMissing`, and at no other time.
    /// Throws `rootMissing` when there is none.
    func refreshRoot() async throws(RemoteError)
    /// The used and the available space.
    func space() async throws(RemoteError) -> RemoteSpace

    // MARK: Listing

    /// Starts a listing of a folder. `recursive` lists everything below, after the folder itself
    /// unless that is the root. The cursor then delivers the changes.
    func list(_ folder: RemotePath, recursive: Bool) async throws(RemoteError) -> RemotePage
    /// The next page or delta. Throws `cursorReset` when the cursor has expired.
    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage
    /// A cursor that delivers later changes to all of the account.
    func latestCursor() async throws(RemoteError) -> Cursor
    /// Longpolls for a change after the cursor, for about `timeout` seconds (30 to 480) at most.
    /// Returns whether to list, and the backoff before the next call in seconds. Throws
    /// `cursorReset` when the cursor has expired.
    func waitForChange(after cursor: Cursor, timeout: Int) async throws(RemoteError) -> RemoteChange
    /// Ends the wait for a change at once, with `cancelled`, and requests anew the page that is on
    /// its way: after a change of the network, their connection may be dead.
    func endWaiting()
    /// The entry at a path (not the root), or nil.
    func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry?
    /// The entry with this id, at any path; nil when it is deleted or outside of the mounted
    /// folder.
    func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry?
    /// The newest revisions of a file, at any paths, newest first; at most 100. None if the
    /// cloud keeps none, or the file is gone.
    func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile]

    // MARK: Content

    /// The bytes `range` of one revision, as a stream of pieces in order; overwritten and deleted
    /// revisions are included. The stream throws `malformed` when the server sends fewer or other
    /// bytes than requested; it never ends early without an error. An empty range, or one that
    /// exceeds the revision, throws `malformed`.
    func download(_ revision: Revision, range: Range<Int64>) async throws(RemoteError)
        -> any RemoteByteStream

    /// The current files below a folder in one stream, for readers of most of them. The folder
    /// holds about `bytes`.
    func archive(of folder: RemotePath, bytes: Int64) async throws(RemoteError)
        -> any RemoteArchive
    /// Uploads a small file (at most 150 MiB, better a few at most) in one request.
    func upload(_ source: any UploadSource, commit: RemoteCommit) async throws(RemoteError)
        -> RemoteEntry
    /// Starts an upload session. `concurrent` ones accept pieces in any order.
    func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession
    /// Appends a piece at an offset. `closes` marks the last one, which may be empty; a concurrent
    /// session must be closed before it is committed. A piece that the server already has counts as
    /// appended. Throws `sessionLost` for an expired session and for a piece that does not fit.
    func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError)
    /// Commits a session. After a refusal the session keeps its bytes, and can be committed at
    /// another path. Throws `sessionLost` when bytes are missing, or when the session is gone. If
    /// it is gone because an earlier call has committed it, the result is the file.
    func finishUpload(_ session: UploadSession, size: Int64, commit: RemoteCommit)
        async throws(RemoteError) -> RemoteEntry

    // MARK: Namespace
    //
    // A change of a node whose id is known applies to that node, at its current path, and throws
    // `notFound` if the node is gone. It never applies to another node at the former path. Some
    // services refuse ids: for these, the current path is requested first and then sent. If another
    // node comes to the path in between, the response is about the other node.

    /// Creates a folder. Throws `conflict(.folder)` when one exists, whose entry the caller can
    /// request.
    func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry
    /// Deletes a file or a folder with everything in it. For a file, `revision` guards against
    /// deleting an unknown revision. Throws `notFound` when it is gone already, and
    /// `conflict(.other)` when another node was deleted in its place.
    func delete(_ node: RemoteReference, revision: Revision?) async throws(RemoteError)
    /// Moves a file or folder to a free path. A name that differs only in case is not free: Dropbox
    /// does not rename by case only, and the error is a conflict.
    ///
    /// If the node with the id is at the target already, because the response to an earlier call
    /// was lost, the move has succeeded. The result is the entry at the target; callers compare its
    /// id with the intended one.
    func move(_ node: RemoteReference, to target: RemotePath) async throws(RemoteError)
        -> RemoteEntry
    /// Copies a file or folder to a free path on the server. The result is the copy's entry;
    /// callers compare its content with the intended one.
    func copy(_ source: RemoteReference, to target: RemotePath) async throws(RemoteError)
        -> RemoteEntry

    /// Replaces the POSIX facts of a file or folder, which changes neither its revision nor its
    /// times. Throws `notFound` when it is gone, and `forbidden` when its facts cannot be kept.
    func setFacts(_ facts: PosixFacts, of node: RemoteReference) async throws(RemoteError)

    // MARK: Deleted files

    /// A cursor that delivers later changes to all of the account. Unlike that of `latestCursor`,
    /// it includes the deletion of each file and folder deleted together with a folder, and entries
    /// created and deleted since. Nil if the cloud does not report them.
    func deletionCursor() async throws(RemoteError) -> Cursor?
    /// The last revision of a deleted file, alone. Nil if an entry exists at the path, or a file
    /// never did.
    func deletedFile(at path: RemotePath) async throws(RemoteError) -> RemoteRevisions?
    /// Restores an old revision at a path, and its parent folders; a file there becomes an old
    /// revision itself. Throws `notFound` when there is no such revision.
    func restore(_ path: RemotePath, to revision: Revision) async throws(RemoteError)
        -> RemoteEntry

    // MARK: Batches

    /// Sends whole contents of at most 4 MiB, each into a separate, closed session; at most 1,000.
    func send(_ contents: [[UInt8]]) async throws(RemoteError) -> [RemoteOutcome<UploadSession>]

    /// Commits sessions, at most 1,000. Outcomes are as those of `finishUpload`, in the same order;
    /// when it throws, any of them may have been applied.
    func finishUploads(_ uploads: [FinishedUpload]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]

    /// Creates folders, at most 1,000, none inside another of them. Outcomes are as those of
    /// `makeFolder`, in the same order.
    func makeFolders(at paths: [RemotePath]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]

    /// Deletes files, at most 1,000. Outcomes are as those of `delete`, in the same order.
    func deleteFiles(_ deletions: [RemoteDeletion]) async throws(RemoteError)
        -> [RemoteOutcome<Void>]

    /// Moves files, at most 1,000, none to the path of another of them. Outcomes are as those of
    /// `move`, in the same order.
    func moveFiles(_ moves: [RemoteRelocation]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]

    /// Copies files, at most 1,000. Outcomes are as those of `copy`, in the same order.
    func copyFiles(_ copies: [RemoteRelocation]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]
}

extension RemoteStoring {
    /// For stores whose root is identified by its name alone.
    package func resume(root: String) {}

    /// For stores that keep no facts.
    package func setFacts(
        _ facts: PosixFacts, of node: RemoteReference
    ) async throws(RemoteError) {
        throw .forbidden("modes and attributes are not kept there")
    }

    /// For stores that no network separates from here.
    package func endWaiting() {}

    /// For stores without archives.
    package func archive(
        of folder: RemotePath, bytes: Int64
    ) async throws(RemoteError) -> any RemoteArchive {
        throw .notDownloadable
    }
}

/// The result of waiting for a change.
package struct RemoteChange: Hashable, Sendable {
    /// Whether there are changes to list.
    package var hasChanges: Bool
    /// Backoff in seconds before the next wait, if the server asked for it.
    package var backoff: Int?

    /// Takes over both fields.
    package init(hasChanges: Bool, backoff: Int? = nil) {
        self.hasChanges = hasChanges
        self.backoff = backoff
    }
}

/// Bytes being downloaded: pieces in order, read by one task.
package protocol RemoteByteStream: Sendable {
    /// The next piece, or nil at the end of the range. Dropping the stream or cancelling the
    /// reading task ends the transfer.
    func next() async throws(RemoteError) -> [UInt8]?
}

/// An archive being downloaded, read by one task.
package protocol RemoteArchive: Sendable {
    /// The contents of the next complete files, in no particular order; nil at the end. Their
    /// hashes identify the files. Files of more than a block (4 MiB) are left out. Dropping the
    /// archive or cancelling the reading task ends the transfer.
    func next() async throws(RemoteError) -> [[UInt8]]?
}

/// Upload content, readable at any offset and more than once: a call may be retried.
package protocol UploadSource: Sendable {
    /// The size in bytes.
    var size: Int64 { get }
    /// Fills the buffer from the offset and returns the count of bytes; called on the transfer's
    /// own thread, so it may block for the local disk but for nothing else. Throws to abort the
    /// upload.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// Called on the transfer's own thread when the network has taken the bytes of the request
    /// before this offset; with a lower offset again when a request is repeated. It must return
    /// quickly.
    func noteTaken(upTo offset: Int64)
}

extension UploadSource {
    /// For sources whose progress is shown to no user.
    package func noteTaken(upTo offset: Int64) {}
}

/// The target and the conditions of a commit.
package struct RemoteCommit: Hashable, Sendable {
    /// The precondition at the path.
    package enum Expectation: Hashable, Sendable {
        /// Nothing is there. Identical content at the path counts as this file and is no error,
        /// unless `strict`.
        case absent(strict: Bool)
        /// This revision is there; the commit fails if it was replaced or deleted. Another revision
        /// with the commit's own `hash` is no error: this commit may have been sent before.
        case revision(Revision)
    }

    /// The path of the file.
    package var path: RemotePath
    /// The precondition at the path.
    package var expectation: Expectation
    /// The modification time to show, truncated to whole seconds.
    package var clientModified: WallTime
    /// The hash of the whole content, if known; the result is compared with it.
    package var hash: ContentHash?
    /// The POSIX facts to keep with the file; nil to leave those that it has.
    package var facts: PosixFacts?
    /// Whether the facts are worth requests of their own, to prepare the account for them. Without,
    /// they are sent if that costs nothing.
    package var needsFacts: Bool

    /// Takes over all fields.
    package init(
        path: RemotePath, expectation: Expectation, clientModified: WallTime, hash: ContentHash?,
        facts: PosixFacts? = nil, needsFacts: Bool = false
    ) {
        self.path = path
        self.expectation = expectation
        self.clientModified = clientModified
        self.hash = hash
        self.facts = facts
        self.needsFacts = needsFacts
    }
}

/// Runs a listing, and begins it anew when its cursor is reset: pages can be made smaller three
/// times, and the cursor can expire, too. Throws `cursorReset` at the fifth reset.
package func beginningAnew<Listing>(
    _ list: () async throws(RemoteError) -> Listing
) async throws(RemoteError) -> Listing {
    let mostResets = 5
    for _ in 1..<mostResets {
        do throws(RemoteError) {
            return try await list()
        } catch {
            guard error == .cursorReset else { throw error }
        }
    }
    return try await list()
}

/// An upload session on the server; it survives this process for seven days.
package struct UploadSession: Hashable, Sendable {
    /// The server's id of the session.
    package var id: String
    /// Whether pieces may come in any order, at multiples of 4 MiB.
    package var isConcurrent: Bool

    /// Takes over both fields.
    package init(id: String, isConcurrent: Bool) {
        self.id = id
        self.isConcurrent = isConcurrent
    }
}
