// POSIX on Dropbox: the parts that the operations share. The operations are in
// `DropboxFileSystem+….swift`, by kind.

package import Blocking
package import Core
package import Logging
package import MetadataStore
import RemoteStore
package import Staging
package import Sync
import Tree

/// A Dropbox account as a filesystem.
///
/// The tree in the store is authoritative. A change of names or attributes is one transaction on
/// the caller's thread that checks, changes local facts and puts the node into the journal; Sync
/// derives the server's step from that. Changed content goes into staging files, whose sizes and
/// block maps are saved when a handle is flushed. Only two things wait on the network: the listing
/// of a folder that was never listed, and bytes that are not cached.
package final class DropboxFileSystem: FileSystemOperations {
    // MARK: Dependencies

    let store: MetadataStore
    let staging: StagingArea
    let sync: any Syncing
    let reader: any ContentReading
    let folderReader: FolderReader?
    /// The exports of cloud documents; nil if these cannot be opened.
    let documents: DocumentExports?
    /// Thumbnails for file managers; nil if none are made.
    let thumbnails: FolderThumbnails?
    let relay: KernelInvalidator
    let openFiles: OpenFiles
    let clock: any SyncClock
    let log: Logger
    let options: FileSystemOptions
    let context: LocalContext
    /// Where tasks wait for the local disk.
    let disk: DiskQueue
    /// The name of the caller's program, if it can be known.
    let programName: @Sendable (CallingProcess) -> String?
    /// Gets the files for which content was fetched, when they are closed.
    let noteFetched: @Sendable (InodeID) -> Void

    // MARK: State

    /// The times shown for folders, which Dropbox does not store: when this account was first
    /// mounted here, so that they stay the same.
    let folderTime: WallTime
    let files = HandleTable<FileHandle>()
    let directories = HandleTable<DirectoryHandle>()
    let entryCount = EntryCount()
    let headerProbes = HeaderProbes()
    let sentBack = SentBack()
    let ended: EndedInodes

    /// The inodes that the kernel has cached.
    var inodes: KernelInodeCache { relay.inodes }

    /// Connects the parts. `openFiles` and `relay` must be those that Sync uses. Without a
    /// `folderReader`, every file is fetched alone; without `documents`, cloud documents cannot be opened; without `thumbnails`,
    /// none are made.
    ///
    /// Throws when the local database is unusable.
    package init(
        store: MetadataStore, staging: StagingArea, sync: any Syncing, reader: any ContentReading,
        folderReader: FolderReader? = nil, documents: DocumentExports? = nil,
        thumbnails: FolderThumbnails? = nil, openFiles: OpenFiles, relay: KernelInvalidator,
        options: FileSystemOptions,
        clock: any SyncClock = SystemClock(),
        disk: DiskQueue = DiskQueue(label: "dbxfs.filesystem"),
        ended: EndedInodes = EndedInodes(delay: 0),
        programName: @escaping @Sendable (CallingProcess) -> String? = { _ in nil },
        noteFetched: @escaping @Sendable (InodeID) -> Void = { _ in }, log: Logger
    ) throws(FileSystemError) {
        self.store = store
        self.staging = staging
        self.sync = sync
        self.reader = reader
        self.folderReader = folderReader
        self.documents = documents
        self.thumbnails = thumbnails
        self.openFiles = openFiles
        self.relay = relay
        self.options = options
        context = LocalContext(
            rules: LocalRules(
                isReadOnly: options.isReadOnly, foldsCase: options.foldsCase,
                refusesNames: options.refusesNames,
                ignored: options.ignored, rootPath: options.rootPath, host: sync.host,
                posix: options.posix),
            staging: staging, openFiles: openFiles, references: relay.inodes)
        self.clock = clock
        self.disk = disk
        self.ended = ended
        self.programName = programName
        self.noteFetched = noteFetched
        self.log = log
        do {
            folderTime = try Self.folderTime(in: store, now: clock.date())
            try changeTree { changes in
                try changes.adoptRules()
                try changes.adoptNames()
            }
        } catch {
            throw FileSystemError(cause: error)
        }
        if options.gathersWrites {
            relay.keepSizesInKernel { inode in
                // If the read fails, the name is looked up when its timeout ends.
                try? store.read { try $0.node(inode) }
            }
        }
    }

    /// Changes the tree for a user in one transaction, and carries out the effects after it. Sync
    /// decides when the changes are due.
    func changeTree<Value>(
        _ known: KnownFolders = KnownFolders(isTreeComplete: false),
        _ body: (inout LocalChanges) throws -> Value
    ) throws -> Value {
        let (value, effects) = try update { transaction in
            var changes = LocalChanges(
                transaction, context: context, known: known, now: clock.date())
            let value = try body(&changes)
            return (value, changes.effects)
        }
        effects.freedFiles.forEach(staging.removeFile)
        effects.otherNames.forEach(relay.forgetName)
        if let returned = effects.returned {
            sync.noteReturn(of: returned)
            relay.treeDidChange(returned.changes)
        }
        return value
    }

    /// Runs a transaction for a user.
    func update<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try store.change(due: { self.sync.due(for: $0) }, body)
    }

    private static func folderTime(in store: MetadataStore, now: WallTime) throws -> WallTime {
        let key = StoredSetting.folderTime
        return try store.write { transaction in
            if let known = try transaction.setting(key).flatMap({ Int64($0, radix: 10) }) {
                return WallTime(nanoseconds: known)
            }
            try transaction.setSetting(key, to: String(now.nanoseconds))
            return now
        }
    }
}
