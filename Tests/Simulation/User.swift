// The actions of a user on a mount, by the operations that the kernel would ask for: every name is
// looked up and forgotten again, and a file that is written to is opened, flushed and released.

import Core
import FileSystem
import MetadataStore
import RemoteStore
import Staging
import Sync

/// The user of one process of a mount.
///
/// `unchecked`: used on the scheduler's thread only.
final class User: @unchecked Sendable {
    /// More than any file has.
    static let mostBytes = 65_536
    static let writing = OpenFlags(writes: true)
    static let caller = CallingProcess(userID: 1000, groupID: 1000, processID: 42)

    /// A file that is held open.
    struct OpenFile {
        var inode: InodeID
        var handle: HandleID
        var writes = true
        /// The content when it was opened; nil if it could not be read then.
        var seen: Set<String>?
        /// The number of the last token at that time.
        var opening = 0
        /// The last write through the handle, and its time by the scheduler's clock.
        var lastWrite: (token: String, time: Int64)?
        /// The writes that no flush followed.
        var tokens: [String] = []
    }

    let name: String
    unowned let process: MountProcess
    let world: World
    var openFiles: [OpenFile] = []
    /// Inodes whose names this user removed: their content is gone with the last descriptor.
    var removed: Set<InodeID> = []

    var fs: DropboxFileSystem { process.fileSystem }
    var kernel: Kernel { process.kernel }
    var ledger: Ledger { world.ledger }
    var isDead: Bool { process.isDead.isSet }

    init(name: String, process: MountProcess, world: World) {
        self.name = name
        self.process = process
        self.world = world
    }

    /// Does a step. Throws what the kernel would answer.
    func perform(_ step: UserStep) async throws {
        switch step {
        case .write(let path): try await write(path)
        case .append(let path): try await append(path)
        case .save(let path):
            try await write(path + ".new")
            try await rename(path + ".new", path, .replace)
        case .saveSafely(let path):
            try await write(path + ".new")
            try await flush(path + ".new")
            try await rename(path + ".new", path, .replace)
        case .flush(let path): try await flush(path)
        case .flushFolder(let path):
            try await with(path) { inode in
                _ = try await self.fs.openDirectory(inode).value()
                let known = self.ledger.acknowledged(try self.tokens(inFilesOf: inode))
                try await self.fs.synchronizeDirectory(inode).value()
                if !self.isDead { self.ledger.promise(known) }
            }
        case .restore(let path): try await restore(path)
        case .overwrite(let path):
            try await opened(path) { file in
                let token = try await self.overwrite(file)
                try await self.fs.flush(file.inode, handle: file.handle).value()
                self.acknowledge([token], file.inode)
            }
        case .truncate(let path): try await truncate(path)
        case .flushOpen:
            for index in openFiles.indices where openFiles[index].writes {
                try await flush(&openFiles[index])
            }
        case .makeFolder(let path):
            try await within(path) { name, parent in
                let entry = try await self.kernel.holding([parent]) {
                    try await self.fs.makeDirectory(
                        name, in: parent, permissions: 0o755, caller: Self.caller
                    ).value()
                }
                self.kernel.made(entry, name, in: parent)
                self.kernel.letGo(entry.attributes.inode)
            }
        case .unlink(let path): try await unlink(path)
        case .removeFolder(let path):
            try await removeFolder(path)
        case .removeTree(let path): try await removeTree(path)
        case .rename(let path, let target): try await rename(path, target, .replace)
        case .exchange(let path, let target): try await rename(path, target, .exchange)
        case .open(let path): try await open(path, writes: true)
        case .hold(let path): try await open(path, writes: false)
        case .writeOpen: try await writeOpen()
        case .overwriteOpen:
            for index in openFiles.indices where openFiles[index].writes {
                await check(openFiles[index])
                noteWrite(try await overwrite(openFiles[index]), index)
            }
        case .close: closeAll()
        case .list(let path): _ = try await list(path)
        case .chmod(let path, let bits):
            try await with(path) { inode in
                // The kernel knows no modes of links.
                let before = try await self.fs.attributes(of: inode).value().attributes
                if before.kind == .symbolicLink { throw FileSystemError.unsupported }
                var changes = AttributeChanges()
                changes.permissions = bits
                let entry = try await self.fs.setAttributes(changes, of: inode, handle: nil)
                    .value()
                self.kernel.changed(entry)
                try self.noteMode(bits, of: inode, over: before.permissions)
            }
        case .link(let path): try await link(path)
        case .copy(let path, let target): try await copy(path, to: target)
        case .pin(let path, let isPinned):
            try await with(path) { inode in
                if !isPinned { self.process.mount.pins.set(false, of: inode) }
                try self.process.setPin(isPinned, of: inode)
                if isPinned, !self.isDead { self.process.mount.pins.set(true, of: inode) }
            }
        }
    }

    private func noteMode(_ bits: UInt16, of inode: InodeID, over before: UInt16) throws {
        let (found, isEchoed) = try process.store.read { snapshot in
            let node = try snapshot.node(inode)
            return (node, try node?.facts.id.map { try snapshot.isUnconfirmed($0) } ?? false)
        }
        guard let node = found else { return }
        let isShared = world.plan.sets(bits, besides: process.mount.machine.index)
        // The deltas are still to tell of this mount's own creation, which had no mode.
        world.unsentModes.note(bits, of: node, process, isShared: isShared || isEchoed)
        let isCurrent = try world.tree(of: process) == world.tree()
        world.setModes.set(bits, of: node, over: before, isCurrent: isCurrent)
    }

    // MARK: Names

    private func unlink(_ path: String) async throws {
        try await within(path) { name, parent in
            let before = try self.node(named: name, in: parent)
            try await self.kernel.holding([parent]) {
                try await self.fs.unlink(name, in: parent).value()
            }
            // Before the kernel forgets the file, and its content goes.
            self.giveUp(before)
            self.kernel.removed(name, in: parent)
        }
    }

    private func removeTree(_ path: String) async throws {
        for name in try await list(path).sorted(by: >) {
            let inner = path + "/" + name
            do {
                try await unlink(inner)
            } catch FileSystemError.isADirectory {
                try await removeTree(inner)
            }
        }
        try await removeFolder(path)
    }

    private func removeFolder(_ path: String) async throws {
        try await within(path) { name, parent in
            try await self.kernel.holding([parent]) {
                try await self.fs.removeDirectory(name, in: parent).value()
            }
            self.kernel.removed(name, in: parent)
        }
    }

    private func rename(_ path: String, _ target: String, _ mode: RenameMode) async throws {
        try await within(path) { name, parent in
            try await self.within(target) { newName, newParent in
                let source = try self.node(named: name, in: parent)
                let before = try self.node(named: newName, in: newParent)
                if let source { self.ledger.rename(self.text(of: source)) }
                try await self.kernel.holding([parent, newParent]) {
                    let answer = self.fs.rename(
                        name, in: parent, to: newName, in: newParent, mode: mode)
                    try await answer.value()
                    // A name that is ignored waits for content: until then, others may put a file
                    // at the target, which is replaced.
                    if case .pending = answer {
                        self.world.texts(below: target).forEach { self.ledger.give(up: $0) }
                    }
                }
                defer {
                    self.kernel.renamed(
                        Kernel.Name(parent: parent, bytes: name),
                        to: Kernel.Name(parent: newParent, bytes: newName),
                        isExchange: mode == .exchange)
                }
                guard mode == .replace, before?.inode != source?.inode else { return }
                self.giveUp(before, for: source)
                if let before, let source, !self.isDead {
                    self.process.mount.pins.handOver(from: before.inode, to: source.inode)
                }
            }
        }
    }

    private func giveUp(_ node: Node?, for other: Node? = nil) {
        guard let node, node.kind != .folder else { return }
        if let other {
            ledger.give(up: text(of: node), for: text(of: other), sent: world.serverTokens())
        } else {
            ledger.give(up: text(of: node))
        }
        removed.insert(node.inode)
        process.mount.pins.forgetOpened()
        noteRemoval(of: text(of: node))
    }

    /// A call that removed or replaced a text has returned.
    func noteRemoval(of text: String) {
        ledger.noteReplacement(
            of: text, at: world.scheduler.now, flushTime: Mount.flushTime)
        if !isDead { world.noteRemoval(byUserOf: process.mount, text) }
    }

    private func list(_ path: String) async throws -> [String] {
        var names: Set<String> = []
        try await with(path) { names = try await self.kernel.list($0) }
        return names.sorted()
    }

    // MARK: Paths

    /// Calls a function with the inode of a path, which stays known during it. As the kernel does,
    /// once more after a refusal of what the caches say.
    func with(_ path: String, _ body: (InodeID) async throws -> Void) async throws {
        do {
            try await walk(path, anew: false, body)
        } catch FileSystemError.staleHandle {
            try await walk(path, anew: true, body)
        }
    }

    private func walk(
        _ path: String, anew: Bool, _ body: (InodeID) async throws -> Void
    ) async throws {
        var known: [InodeID] = []
        defer { for inode in known.reversed() { kernel.letGo(inode) } }
        var inode = InodeID.root
        for name in path.split(separator: "/") {
            inode = try await kernel.lookup(Self.bytes(of: name), in: inode, anew: anew)
            known.append(inode)
        }
        try await body(inode)
    }

    /// Calls a function with the last name of a path and the inode of its folder. The name itself
    /// is looked up before, as the kernel does.
    func within(
        _ path: String, _ body: ([UInt8], InodeID) async throws -> Void
    ) async throws {
        let names = path.split(separator: "/")
        let folder = names.dropLast().map { "/" + $0 }.joined()
        let name = Self.bytes(of: names.last ?? "")
        try await with(folder) { inode in
            do {
                kernel.letGo(try await kernel.lookup(name, in: inode))
            } catch FileSystemError.noEntry {
                // It is to be made.
            }
            try await body(name, inode)
        }
    }

    /// The bytes of a name in a path, in which U+FFFD stands for a byte that is no UTF-8.
    static func bytes(of name: some StringProtocol) -> [UInt8] {
        name.unicodeScalars.flatMap { scalar in
            scalar == "\u{FFFD}" ? [0xFF] : Array(String(scalar).utf8)
        }
    }

    /// The name in a path that stands for bytes.
    static func path(of name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    // MARK: The user's view

    func node(named name: [UInt8], in parent: InodeID) throws -> Node? {
        guard let name = try? FileName(shown: name) else { return nil }
        return try process.store.read { try $0.child(name, of: parent) }
    }

    func text(named name: [UInt8], in parent: InodeID) throws -> String {
        try node(named: name, in: parent).map { text(of: $0) } ?? ""
    }

    /// The text of a file as this mount has it.
    func text(of node: Node) -> String { world.text(of: node, process) }
}

extension Answer {
    /// The value, at once or after waiting.
    func value() async throws -> Value {
        switch self {
        case .ready(let value): return value
        case .failed(let error): throw error
        case .pending(let work): return try await work()
        }
    }
}
