// POSIX on Dropbox: the parts that operations work with, and how they answer. The operations are in
// `DropboxFileSystem+….swift`, by kind.

import Blocking
import Core
public import Logging
public import MetadataStore
import RemoteStore
public import Staging
public import Sync
import Synchronization

/// A Dropbox account as the kernel sees it.
///
/// The tree in the store is the truth. A change of names or attributes is one transaction on the
/// caller's thread that checks, changes local facts and notes the node in the journal; what the server
/// is to be told follows from that and is Sync's affair. Content that changes goes into staging files,
/// whose sizes and block maps reach the store when a handle is flushed. Only what needs the network
/// is answered later: the listing of a folder that was never listed, and bytes that are not here.
public final class DropboxFileSystem: FileSystemOperations {
    // MARK: Dependencies

    let store: MetadataStore
    let staging: StagingArea
    let sync: any Syncing
    let reader: any ContentReading
    let folderReader: FolderReader?
    let relay: TreeChangeRelay
    let openFiles: OpenFiles
    let clock: any SyncClock
    let log: Logger
    let options: FileSystemOptions
    /// Where tasks wait for the local disk.
    let disk = DiskQueue(label: "dbxfs.filesystem")

    // MARK: State

    /// What folders show for the times that Dropbox does not keep: when this account was first
    /// mounted here, so that they stay the same.
    let folderTime: Timestamp
    let files = HandleTable<FileHandle>()
    let directories = HandleTable<DirectoryHandle>()
    let firstChanges = FirstChanges()
    /// Lock: a leaf; held to copy the value.
    private let writeDelay: Mutex<WriteDelay>
    let entryCount = EntryCount()
    let glances = FolderGlances()
    let sentBack = SentBack()

    /// The inodes that the kernel knows.
    var inodes: InodeTable { relay.inodes }

    /// Connects the parts. `openFiles` and `relay` are those that Sync was given. Without a
    /// `folderReader`, every file is fetched by itself.
    ///
    /// Throws when the local database cannot be used.
    public init(
        store: MetadataStore, staging: StagingArea, sync: any Syncing, reader: any ContentReading,
        folderReader: FolderReader? = nil,
        openFiles: OpenFiles, relay: TreeChangeRelay, options: FileSystemOptions,
        clock: any SyncClock = SystemClock(), log: Logger
    ) throws(FileSystemError) {
        self.store = store
        self.staging = staging
        self.sync = sync
        self.reader = reader
        self.folderReader = folderReader
        self.openFiles = openFiles
        self.relay = relay
        self.options = options
        writeDelay = Mutex(options.writeDelay)
        self.clock = clock
        self.log = log
        do {
            folderTime = try Self.folderTime(in: store, now: clock.date())
            try adoptIgnoreRules()
        } catch {
            throw FileSystemError(cause: error)
        }
        if options.gathersWrites {
            relay.keepSizesInKernel { inode in
                // Without an answer, the name's next lookup is when its time is over.
                try? store.read { try $0.node(inode) }
            }
        }
    }

    /// Changes from now on may be sent after this delay. Those that wait already keep their time.
    public func setWriteDelay(_ delay: WriteDelay) {
        writeDelay.withLock { $0 = delay }
    }

    var currentWriteDelay: WriteDelay { writeDelay.withLock { $0 } }

    /// Changes the tree for a user, in one transaction: what it changes is sent after the write delay.
    func update<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try store.write(
            due: { inode in
                self.firstChanges.due(
                    for: inode, at: self.clock.now(), delay: self.currentWriteDelay)
            }, body)
    }

    private static func folderTime(in store: MetadataStore, now: Timestamp) throws -> Timestamp {
        let key = "filesystem.folder-time"
        return try store.write { transaction in
            if let known = try transaction.setting(key).flatMap({ Int64($0, radix: 10) }) {
                return Timestamp(nanoseconds: known)
            }
            try transaction.setSetting(key, to: String(now.nanoseconds))
            return now
        }
    }
}
