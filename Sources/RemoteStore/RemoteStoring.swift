// The cloud as a filesystem needs it, as one protocol. Implementations: `DropboxStore` over
// DropboxAPI, `InMemoryStore` as the reference for tests, `FaultInjectingStore` around either.

public import ContentHashing
public import Core

/// A cloud that holds an account's tree.
///
/// Every operation may be sent twice: a reply can be lost after the change was applied. Those that
/// change something therefore say what they expect to find, and callers treat "already so" as done.
public protocol RemoteStoring: Sendable {
    /// Whose account this is.
    func account() async throws(RemoteError) -> RemoteAccount
    /// Names what paths start from in the account. Cursors are of use for one root only, and what is
    /// known of one says nothing of another.
    var root: String { get }
    /// Takes over the name that an earlier process had for it, so that a mounted folder is followed by its
    /// identity from one process to the next.
    func resume(root: String)
    /// Asks what paths start from now: after `rootChanged` or `rootMissing`, and at no other time. Throws
    /// `rootMissing` when there is nothing that they could start from.
    func refreshRoot() async throws(RemoteError)
    /// Bytes used and allowed.
    func space() async throws(RemoteError) -> RemoteSpace

    // MARK: Listing

    /// Starts a listing of a folder. `recursive` gives everything below, after the folder itself unless
    /// that is the root. The cursor goes on to deliver what changes in it.
    func list(_ folder: RemotePath, recursive: Bool) async throws(RemoteError) -> RemotePage
    /// The next page or delta. Throws `cursorReset` when the cursor has expired.
    func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage
    /// A cursor that delivers what changes from now on, anywhere.
    func latestCursor() async throws(RemoteError) -> Cursor
    /// Waits until something changed after the cursor, or until about `timeout` seconds (30 to 480)
    /// have passed. Returns whether to list, and how many seconds to wait before waiting again. Throws
    /// `cursorReset` when the cursor has expired.
    func waitForChange(after cursor: Cursor, timeout: Int) async throws(RemoteError) -> RemoteChange
    /// What is at a path (not the root), or nil.
    func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry?
    /// What has this id, wherever it is now; nil when it is gone or outside of the mounted folder.
    func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry?

    // MARK: Content

    /// The bytes `range` of one version, as a stream of pieces in order; versions that were overwritten
    /// or deleted are included. The stream throws `malformed` when the server sends fewer or other bytes
    /// than asked, never ends early in silence. An empty range, or one that ends behind the version's
    /// end, is not allowed and throws `malformed`.
    func download(_ revision: Revision, range: Range<Int64>) async throws(RemoteError)
        -> any RemoteByteStream

    /// The files below a folder, as they are now, in one stream: for a reader who wants most of them. The
    /// folder holds about `bytes`.
    func archive(of folder: RemotePath, bytes: Int64) async throws(RemoteError)
        -> any RemoteArchive
    /// Stores a small file (at most 150 MiB, best at most a few) in one call.
    func upload(_ source: any UploadSource, commit: RemoteCommit) async throws(RemoteError)
        -> RemoteEntry
    /// Opens an upload session. `concurrent` ones take pieces in any order.
    func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession
    /// Adds a piece at an offset. `closes` marks the last one, which may be empty; a concurrent session
    /// must be closed before it is finished. A piece that the server already has counts as added.
    /// Throws `sessionLost` for a session that expired and for a piece that does not fit.
    func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError)
    /// Makes a session's bytes a file. A session whose commit is refused keeps its bytes, to be finished
    /// elsewhere. Throws `sessionLost` when bytes are missing or the session is gone, unless it is gone
    /// because this commit was applied before: then the file is the result.
    func finishUpload(_ session: UploadSession, size: Int64, commit: RemoteCommit)
        async throws(RemoteError) -> RemoteEntry

    // MARK: Namespace
    //
    // A change of a node whose id is known is meant for that node, wherever it is by now, and never for
    // another one at its old path: it throws `notFound` when the node is gone. A service that does not take
    // ids is asked where the node is, and sent that path; then an answer can be about another node that
    // came there in between.

    /// Makes a folder. Throws `conflict(.folder)` when there is one, whose entry the caller can ask for.
    func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry
    /// Deletes a file or a folder with everything in it. For a file, `revision` guards against
    /// deleting what was not seen. Throws `notFound` when it is gone already, and `conflict(.other)` when
    /// another node was deleted in its place.
    func delete(_ node: RemoteReference, revision: Revision?) async throws(RemoteError)
    /// Moves a file or folder to a free place. A name that differs only in case is not free: Dropbox
    /// does not rename by case only, and the error is a conflict.
    ///
    /// If what has the id is at the target already, because the reply to an earlier call was lost, the move
    /// has succeeded. The answer says what is at the target now; callers compare its id with the one that
    /// they meant.
    func move(_ node: RemoteReference, to target: RemotePath) async throws(RemoteError)
        -> RemoteEntry
    /// Copies a file or folder to a free place, without moving content. The answer is about the copy;
    /// callers compare its content with what they meant.
    func copy(_ source: RemoteReference, to target: RemotePath) async throws(RemoteError)
        -> RemoteEntry

    // MARK: Deleted files

    /// A cursor that delivers what changes from now on, anywhere. Unlike that of `latestCursor`, it tells the
    /// deletion of each file and folder that goes with a folder, and of what has come and gone since. Nil if the
    /// cloud does not tell.
    func deletionCursor() async throws(RemoteError) -> Cursor?
    /// Brings back the last version of a deleted file, and the folders above it. Returns nil, and changes
    /// nothing, if something is there, or never was a file.
    func restoreDeleted(_ path: RemotePath) async throws(RemoteError) -> RemoteEntry?

    // MARK: Batches

    /// Sends whole contents of at most 4 MiB, each into a session of its own that accepts no more
    /// bytes; at most 1,000.
    func send(_ contents: [[UInt8]]) async throws(RemoteError) -> [RemoteOutcome<UploadSession>]

    /// Makes sessions files, at most 1,000. Outcomes are as those of `finishUpload`, in the same order;
    /// when it throws, any of them may have been applied.
    func finishUploads(_ uploads: [FinishedUpload]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]

    /// Makes folders, at most 1,000, none inside another of them. Outcomes are as those of
    /// `makeFolder`, in the same order.
    func makeFolders(at paths: [RemotePath]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]

    /// Deletes files, at most 1,000. Outcomes are as those of `delete`, in the same order.
    func deleteFiles(_ deletions: [RemoteDeletion]) async throws(RemoteError)
        -> [RemoteOutcome<Void>]

    /// Moves files, at most 1,000, none to where another of them is. Outcomes are as those of `move`, in
    /// the same order.
    func moveFiles(_ moves: [RemoteRelocation]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]

    /// Copies files, at most 1,000. Outcomes are as those of `copy`, in the same order.
    func copyFiles(_ copies: [RemoteRelocation]) async throws(RemoteError)
        -> [RemoteOutcome<RemoteEntry>]
}

extension RemoteStoring {
    /// For stores whose root has no identity but its name.
    public func resume(root: String) {}

    /// For stores that send files one by one only.
    public func archive(
        of folder: RemotePath, bytes: Int64
    ) async throws(RemoteError) -> any RemoteArchive {
        throw .notDownloadable
    }
}

/// The outcome of waiting for a change.
public struct RemoteChange: Hashable, Sendable {
    /// Whether there is something to list.
    public var hasChanges: Bool
    /// Seconds to wait before waiting again, if the server asked for it.
    public var backoff: Int?

    /// Names both.
    public init(hasChanges: Bool, backoff: Int? = nil) {
        self.hasChanges = hasChanges
        self.backoff = backoff
    }
}

/// Bytes on their way down: pieces in order, to be read by one task.
public protocol RemoteByteStream: Sendable {
    /// The next piece, or nil at the end of the range. Dropping the stream or cancelling the reading
    /// task ends the transfer.
    func next() async throws(RemoteError) -> [UInt8]?
}

/// Files on their way down together, to be read by one task.
public protocol RemoteArchive: Sendable {
    /// The bytes of the next files that are complete, in no particular order; nil at the end. Which file
    /// of the folder each of them is, their hash tells. Files of more than a block (4 MiB) are left out.
    /// Dropping the archive or cancelling the reading task ends the transfer.
    func next() async throws(RemoteError) -> [[UInt8]]?
}

/// Bytes on their way up, readable at any offset and more than once: a call may be retried.
public protocol UploadSource: Sendable {
    /// Size in bytes.
    var size: Int64 { get }
    /// Fills the buffer from the offset on and returns the count of bytes; called on the transfer's
    /// own thread, so it may block on the local disk but on nothing else. Throws to abort the upload.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}

/// How content becomes a file.
public struct RemoteCommit: Hashable, Sendable {
    /// What the place must look like.
    public enum Expectation: Hashable, Sendable {
        /// Nothing is there. Identical content at the place is not an error but this very file, unless
        /// `strict`.
        case absent(strict: Bool)
        /// This revision is there; fails if it is another or was deleted. Another revision with the
        /// commit's own `hash` is not an error: this commit may have been sent before.
        case revision(Revision)
    }

    /// Where.
    public var path: RemotePath
    /// What is expected there.
    public var expectation: Expectation
    /// The modification time to show, cut to whole seconds.
    public var clientModified: Timestamp
    /// The hash of the whole content, if known; the result is compared with it.
    public var hash: ContentHash?

    /// Names every field.
    public init(
        path: RemotePath, expectation: Expectation, clientModified: Timestamp, hash: ContentHash?
    ) {
        self.path = path
        self.expectation = expectation
        self.clientModified = clientModified
        self.hash = hash
    }
}

/// A running upload on the server; survives this process for seven days.
public struct UploadSession: Hashable, Sendable {
    /// The server's name for it.
    public var id: String
    /// Whether pieces may come in any order, at multiples of 4 MiB.
    public var isConcurrent: Bool

    /// Names both.
    public init(id: String, isConcurrent: Bool) {
        self.id = id
        self.isConcurrent = isConcurrent
    }
}
