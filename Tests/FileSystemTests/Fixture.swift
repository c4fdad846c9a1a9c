// A filesystem over a real store and real staging files, with a server that the test plays by hand.

import Blocking
import ContentHashing
import Core
import Foundation
import Logging
import MetadataStore
import RemoteStore
import Staging
import Synchronization
import Testing

@testable import FileSystem
@testable import Sync

final class Fixture: Sendable {
    /// The user that mounts and asks.
    static let user = CallingProcess(userID: 1000, groupID: 1000, processID: 42)

    let folder: String
    let store: MetadataStore
    let staging: StagingArea
    let sync = FakeSync()
    let content = FakeContent()
    let kernel = RecordingKernel()
    let openFiles = OpenFiles()
    let invalidator = KernelInvalidator()
    let clock = ManualClock()
    let documents: DocumentExports?
    let fs: DropboxFileSystem
    let ownedFolder: OwnedFolder
    private let options: FileSystemOptions

    /// Mounts an empty account, or with `reusing` one that an earlier fixture has left.
    init(
        reusing left: OwnedFolder? = nil, over given: MetadataStore? = nil,
        documents: DocumentExports? = nil, queue: (any BackgroundQueue)? = nil,
        configure: (inout FileSystemOptions) -> Void = { _ in },
        programName: @escaping @Sendable (CallingProcess) -> String? = { _ in nil }
    ) throws {
        ownedFolder = try left ?? OwnedFolder()
        folder = ownedFolder.path
        store = try given ?? MetadataStore(path: self.folder + "/tree.sqlite")
        // Until a test asks for it.
        staging = try StagingArea(
            directory: self.folder + "/staging", store: store, removalDelay: 3600)
        // As Sync does, which a test plays.
        for file in staging.leftovers { staging.removeFile(file.number) }
        var options = FileSystemOptions(userID: 1000, groupID: 1000)
        configure(&options)
        self.options = options
        self.documents = documents
        fs = try DropboxFileSystem(
            store: store, staging: staging, sync: sync, reader: content, documents: documents,
            openFiles: openFiles, invalidator: invalidator, options: options, clock: clock,
            queue: { queue ?? ThreadQueue(label: $0) }, programName: programName,
            log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        invalidator.attach(kernel)
        sync.attach(store)
    }

    // MARK: The server's side

    /// Puts a file on the server and into the tree.
    @discardableResult
    func remoteFile(
        _ text: String, in parent: InodeID = .root, _ bytes: [UInt8] = [],
        flags: NodeFlags = [], isCached: Bool = true
    ) throws -> InodeID {
        let facts = content.add(bytes, isCached: isCached, flags: flags)
        return try store.write {
            try $0.insertRemote(
                .file, at: Place(parent: parent, name: name(text)), facts: facts)
        }
    }

    /// Puts a folder on the server and into the tree, with its listing known or not.
    @discardableResult
    func remoteFolder(
        _ text: String, in parent: InodeID = .root, isListed: Bool = true, flags: NodeFlags = [],
        sharedFolderID: String? = nil
    ) throws -> InodeID {
        var facts = content.folderFacts()
        facts.flags = flags
        facts.sharedFolderID = sharedFolderID
        let known = facts
        return try store.write { transaction in
            let inode = try transaction.insertRemote(
                .folder, at: Place(parent: parent, name: name(text)), facts: known)
            try transaction.setFlags(.listed, isListed, of: inode)
            return inode
        }
    }

    /// Does as Sync does after a node was sent as it stands: content, place and deletion.
    func commit(_ inode: InodeID) throws {
        let retired = try store.write { transaction -> Int64? in
            guard let node = try transaction.node(inode) else { return nil }
            guard let place = node.place else {
                try forget(inode, transaction)
                return nil
            }
            var number: Int64?
            if let staged = try staging.file(of: node) {
                let bytes = try content.bytes(of: staged)
                let facts = content.add(bytes, id: node.facts.id, isCached: true)
                let revision = try #require(FileVersion(facts))
                #expect(staged.retire(generation: staged.generation, as: revision))
                try transaction.setFacts(facts, of: inode)
                try transaction.removeStaged(of: inode)
                number = staged.number
            } else if node.kind == .folder && node.facts.id == nil {
                try transaction.setFacts(content.folderFacts(), of: inode)
            }
            try vacate(place, for: inode, transaction)
            try transaction.setRemotePlace(inode, place)
            return number
        }
        retired.map(staging.removeFile)
    }

    /// The server has deleted what users have deleted.
    private func forget(_ inode: InodeID, _ transaction: Transaction) throws {
        try transaction.setRemoteAbsent(inode)
        if !openFiles.isOpen(inode) { try transaction.remove(inode) }
    }

    /// The server's node at a place that another node is sent to is deleted, or on its way
    /// elsewhere: then its own turn is yet to come.
    private func vacate(
        _ place: Place, for inode: InodeID, _ transaction: Transaction
    ) throws {
        guard
            let other = try transaction.remoteChild(
                folded: place.name.folded, of: place.parent), other.inode != inode
        else { return }
        if other.place == nil { return try forget(other.inode, transaction) }
        try transaction.setRemoteAbsent(other.inode)
        try transaction.setFacts(other.facts, of: other.inode)
    }

    /// Sends everything that is queued, folders before their contents.
    func commitAll() throws {
        for entry in try store.read({ try $0.journalEntries(limit: 10_000) }) {
            try commit(entry.inode)
        }
    }

    /// Another client stores new bytes in a file, and Sync brings them in. Returns false, with
    /// nothing changed, if the file has changes of its own.
    func replaceFromServer(_ inode: InodeID, _ bytes: [UInt8], isCached: Bool) throws -> Bool {
        try store.write { transaction in
            guard let node = try transaction.node(inode), let place = node.place,
                node.remote == .inPlace, node.staged == nil
            else { return false }
            let facts = content.add(bytes, id: node.facts.id, isCached: isCached)
            if openFiles.isOpen(inode, in: transaction) {
                try transaction.move(inode, to: nil)
                try transaction.setRemoteAbsent(inode)
                _ = try transaction.insertRemote(.file, at: place, facts: facts)
            } else {
                try transaction.setFacts(facts, of: inode)
                var local = node.local
                (local.modified, local.accessed, local.changed) = (nil, nil, nil)
                try transaction.setLocal(local, of: inode)
            }
            return true
        }
    }

    /// The account in a new process. This fixture must not be used after that.
    func remounted(
        configure: (inout FileSystemOptions) -> Void = { _ in }
    ) throws -> Fixture {
        try store.close()
        var options = options
        configure(&options)
        let next = try Fixture(reusing: ownedFolder) { [options] in $0 = options }
        next.content.update { new in
            content.update { new = $0 }
        }
        return next
    }

    // MARK: Looking inside

    /// Every node that has a row.
    func allNodes() throws -> [Node] {
        let end = try nextInode().rawValue
        return try store.read { snapshot in
            try (1..<end).compactMap { try snapshot.node(InodeID($0)) }
        }
    }

    /// The number that the next node will get: asked for by making one, and undoing that.
    private func nextInode() throws -> InodeID {
        struct Undone: Error {}
        var next = InodeID.root
        do {
            try store.write { transaction in
                next = try transaction.insert(
                    .file, at: Place(parent: InodeID(.max), name: name("probe")),
                    local: LocalFacts())
                throw Undone()
            }
        } catch is Undone {}
        return next
    }

    func node(_ inode: InodeID) throws -> Node? {
        try store.read { try $0.node(inode) }
    }

    func isQueued(_ inode: InodeID) throws -> Bool {
        try store.read { try $0.journalEntry(of: inode) } != nil
    }

    /// The nodes that are queued, in order.
    func journal() throws -> [Node] {
        try store.read { snapshot in
            try snapshot.journalEntries(limit: 10_000).compactMap { try snapshot.node($0.inode) }
        }
    }

    func node(id: FileID) throws -> Node? {
        try store.read { try $0.node(id: id) }
    }

    func remotePlace(of node: Node) throws -> Place? {
        try store.read { try $0.remotePlace(of: node) }
    }

    var stagingFileCount: Int {
        staging.removeUnneeded()
        return (try? FileManager.default.contentsOfDirectory(atPath: staging.directory).count) ?? -1
    }

    /// The nodes that are neither in the tree nor on the server.
    func orphanCount() throws -> Int {
        try allNodes().count(where: \.isOrphan)
    }
}

/// A folder that goes with the last fixture that uses it.
final class OwnedFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "dbxfs-filesystem-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension FileVersion {
    init?(_ facts: RemoteFacts) {
        guard let revision = facts.revision, let hash = facts.hash else { return nil }
        self.init(revision: revision, hash: hash, size: facts.size)
    }
}

/// A name that is known to be valid; a test that gives another one fails.
func name(_ text: String) -> FileName {
    do {
        return try FileName(text)
    } catch {
        preconditionFailure("not a name: \(text)")
    }
}

extension OpenFiles {
    /// Whether a handle is open on the inode.
    func isOpen(_ inode: InodeID) -> Bool {
        decide(on: inode) { $0 }
    }
}
