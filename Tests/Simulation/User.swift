// What a user does on a mount, by the operations that the kernel would ask for: every name is looked up and forgotten
// again, and a file that is written to is opened, flushed and released.

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
    private static let mostBytes = 65_536
    private static let caller = Caller(userID: 1000, groupID: 1000, processID: 42)

    /// A file that is held open.
    private struct OpenFile {
        var inode: InodeID
        var handle: HandleID
        /// The content by others when it was opened; nil if it could not be read then.
        var seen: Set<String>?
        /// The unflushed writes.
        var tokens: [String] = []
    }

    private let name: String
    private unowned let process: MountProcess
    private let world: World
    private var openFiles: [OpenFile] = []
    /// Inodes whose names this user removed: their content is gone with the last descriptor.
    private var removed: Set<InodeID> = []

    private var fs: DropboxFileSystem { process.fileSystem }
    private var ledger: Ledger { world.ledger }
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
                let opened = try await self.fs.openDirectory(inode).value()
                defer { self.fs.releaseDirectory(inode, handle: opened.handle) }
                let known = self.ledger.acknowledged(try self.tokens(inFilesOf: inode))
                try await self.fs.synchronizeDirectory(inode).value()
                if !self.isDead { self.ledger.secure(known) }
            }
        case .restore(let path): try await restore(path)
        case .flushOpen:
            for index in openFiles.indices { try await flush(&openFiles[index]) }
        case .makeFolder(let path):
            try await within(path) { name, parent in
                let entry = try await self.fs.makeDirectory(
                    name, in: parent, permissions: 0o755, caller: Self.caller
                ).value()
                self.fs.forget(entry.attributes.inode, count: 1)
            }
        case .unlink(let path): try await unlink(path)
        case .removeFolder(let path):
            try await within(path) { try await self.fs.removeDirectory($0, in: $1).value() }
        case .removeTree(let path): try await removeTree(path)
        case .rename(let path, let target): try await rename(path, target, .replace)
        case .exchange(let path, let target): try await rename(path, target, .exchange)
        case .open(let path):
            try await with(path) { inode in
                let opened = try await self.fs.open(
                    inode, flags: OpenFlags(reads: true, writes: true), caller: Self.caller
                ).value()
                var file = OpenFile(inode: inode, handle: opened.handle)
                file.seen = try? await self.foreign(in: file)
                self.openFiles.append(file)
            }
        case .writeOpen: try await writeOpen()
        case .close: closeAll()
        case .list(let path): _ = try await list(path)
        }
    }

    // MARK: Files

    private func write(_ path: String) async throws {
        let token = ledger.issue(name)
        try await within(path) { name, parent in
            let before = try self.text(named: name, in: parent)
            let created = try await self.emptied(name, in: parent, before)
            let inode = created.entry.attributes.inode
            defer { self.fs.forget(inode, count: 1) }
            self.ledger.give(up: before, for: token)
            defer { self.fs.release(inode, handle: created.opened.handle) }
            try await self.put(token, at: 0, inode, created.opened.handle)
        }
    }

    /// Opens a file, or makes it, and empties it. A full disk may refuse that, and a process may die, after the file was
    /// emptied.
    private func emptied(
        _ name: [UInt8], in parent: InodeID, _ before: String
    ) async throws -> CreatedFile {
        do {
            return try await fs.create(
                name, in: parent, permissions: 0o644,
                flags: OpenFlags(writes: true, truncates: true), caller: Self.caller
            ).value()
        } catch {
            if isDead || error as? FileSystemError == .noSpace { ledger.give(up: before) }
            throw error
        }
    }

    private func append(_ path: String) async throws {
        let token = ledger.issue(name)
        try await with(path) { inode in
            let opened = try await self.fs.open(
                inode, flags: OpenFlags(reads: true, writes: true, appends: true),
                caller: Self.caller
            ).value()
            defer { self.fs.release(inode, handle: opened.handle) }
            let before = try await self.tokens(in: OpenFile(inode: inode, handle: opened.handle))
            self.ledger.add(token, to: before)
            let size = try await self.fs.attributes(of: inode).value().attributes.size
            try await self.put(token, at: size, inode, opened.handle)
        }
    }

    /// Writes a token and flushes the handle, as before it is closed.
    private func put(
        _ token: String, at offset: Int64, _ inode: InodeID, _ handle: HandleID
    ) async throws {
        try await send(token, at: offset, inode, handle)
        try await fs.flush(inode, handle: handle).value()
        acknowledge([token], inode)
    }

    private func send(
        _ token: String, at offset: Int64, _ inode: InodeID, _ handle: HandleID
    ) async throws {
        let answer = Array(token.utf8).withUnsafeBytes {
            fs.write(inode, handle: handle, offset: offset, bytes: $0, isPage: false)
        }
        _ = try await answer.value()
    }

    /// A dead process returns nothing.
    private func acknowledge(_ tokens: [String], _ inode: InodeID) {
        if isDead || removed.contains(inode) { return }
        for token in tokens { ledger.acknowledge(token, at: world.scheduler.now) }
    }

    private func flush(_ path: String) async throws {
        try await with(path) { inode in
            let opened = try await self.fs.open(
                inode, flags: OpenFlags(reads: true, writes: true), caller: Self.caller
            ).value()
            defer { self.fs.release(inode, handle: opened.handle) }
            let file = OpenFile(inode: inode, handle: opened.handle)
            let tokens = try await self.tokens(in: file)
            try await self.fs.synchronize(inode, handle: opened.handle, dataOnly: false).value()
            if !self.isDead { self.ledger.secure(tokens) }
        }
    }

    private func flush(_ file: inout OpenFile) async throws {
        try await fs.synchronize(file.inode, handle: file.handle, dataOnly: false).value()
        acknowledge(file.tokens, file.inode)
        if !isDead { ledger.secure(file.tokens) }
        file.tokens = []
    }

    /// The content by others in an open file.
    private func foreign(in file: OpenFile) async throws -> Set<String> {
        try await tokens(in: file).filter { !$0.hasPrefix(name) }
    }

    /// The contents of the files of a folder, as this mount has them.
    private func tokens(inFilesOf folder: InodeID) throws -> Set<String> {
        let nodes = try process.store.read { snapshot in
            try snapshot.children(of: folder).compactMap { try snapshot.node($0.inode) }
        }
        return Set(nodes.flatMap { Ledger.tokens(text(of: $0)) })
    }

    private func tokens(in file: OpenFile) async throws -> Set<String> {
        let bytes = try await fs.read(
            file.inode, handle: file.handle, offset: 0, count: Self.mostBytes
        ).value()
        return Ledger.tokens(String(decoding: bytes, as: UTF8.self))
    }

    /// Whether a handle still leads to the file that was opened: what others store replaces it.
    private func check(_ file: OpenFile) async {
        guard let seen = file.seen, let now = try? await foreign(in: file) else { return }
        let others = now.subtracting(seen).sorted()
        guard !others.isEmpty else { return }
        world.violation = Violation(
            rule: "a handle leads to another file", detail: "\(name) \(others)")
    }

    private func writeOpen() async throws {
        for index in openFiles.indices {
            let file = openFiles[index]
            await check(file)
            let token = ledger.issue(name)
            ledger.add(token, to: try await tokens(in: file))
            let size = try await fs.attributes(of: file.inode).value().attributes.size
            try await send(token, at: size, file.inode, file.handle)
            openFiles[index].tokens.append(token)
        }
    }

    /// Closes all open files.
    func closeAll() {
        for file in openFiles {
            if case .ready = fs.flush(file.inode, handle: file.handle) {
                acknowledge(file.tokens, file.inode)
            }
            fs.release(file.inode, handle: file.handle)
            fs.forget(file.inode, count: 0)
        }
        openFiles = []
    }

    /// Makes the oldest revision that is listed the current one.
    private func restore(_ path: String) async throws {
        let names = try path.split(separator: "/").map { try FileName(utf8: Array($0.utf8)) }
        let history = UserHistory(link: process.link) { [world] in world.giveUp(at: $0) }
        let known = try await process.engine.revisions(of: names, limit: 3, from: history)
        let revision = known.isDeleted ? nil : known.versions.last?.file.revision
        _ = try await process.engine.restore(names, to: revision, from: history)
    }

    // MARK: Names

    private func unlink(_ path: String) async throws {
        try await within(path) { name, parent in
            let before = try self.node(named: name, in: parent)
            try await self.fs.unlink(name, in: parent).value()
            self.giveUp(before)
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
        try await within(path) { try await self.fs.removeDirectory($0, in: $1).value() }
    }

    private func rename(_ path: String, _ target: String, _ mode: RenameMode) async throws {
        try await within(path) { name, parent in
            try await self.within(target) { newName, newParent in
                let source = try self.node(named: name, in: parent)
                let before = try self.node(named: newName, in: newParent)
                try await self.fs.rename(
                    name, in: parent, to: newName, in: newParent, mode: mode
                ).value()
                guard mode == .replace, before?.inode != source?.inode else { return }
                self.giveUp(before, for: source)
            }
        }
    }

    private func giveUp(_ node: Node?, for other: Node? = nil) {
        guard let node, node.kind == .file else { return }
        if let other {
            ledger.give(up: text(of: node), for: text(of: other))
        } else {
            ledger.give(up: text(of: node))
        }
        removed.insert(node.inode)
    }

    private func list(_ path: String) async throws -> [String] {
        var names: [String] = []
        try await with(path) { inode in
            let opened = try await self.fs.openDirectory(inode).value()
            defer { self.fs.releaseDirectory(inode, handle: opened.handle) }
            let error = self.fs.readDirectory(
                inode, handle: opened.handle, offset: 0, withEntries: false
            ) { entry in
                if entry.name != ".", entry.name != ".." { names.append(entry.name) }
                return true
            }
            if let error { throw error }
        }
        return names
    }

    // MARK: Paths

    /// Calls a function with the inode of a path, which stays known during it.
    private func with(_ path: String, _ body: (InodeID) async throws -> Void) async throws {
        var known: [InodeID] = []
        defer { for inode in known { fs.forget(inode, count: 1) } }
        var inode = InodeID.root
        for name in path.split(separator: "/") {
            guard case .found(let entry) = try await fs.lookup(Array(name.utf8), in: inode).value()
            else { throw FileSystemError.noEntry }
            inode = entry.attributes.inode
            known.append(inode)
        }
        try await body(inode)
    }

    /// Calls a function with the last name of a path and the inode of its folder. The name itself is looked up
    /// before, as the kernel does.
    private func within(
        _ path: String, _ body: ([UInt8], InodeID) async throws -> Void
    ) async throws {
        let names = path.split(separator: "/")
        let folder = names.dropLast().map { "/" + $0 }.joined()
        let name = Array((names.last ?? "").utf8)
        try await with(folder) { inode in
            if case .found(let entry) = try await fs.lookup(name, in: inode).value() {
                fs.forget(entry.attributes.inode, count: 1)
            }
            try await body(name, inode)
        }
    }

    // MARK: What the user sees

    private func node(named name: [UInt8], in parent: InodeID) throws -> Node? {
        guard let name = try? FileName(utf8: name) else { return nil }
        return try process.store.read { try $0.child(name, of: parent) }
    }

    private func text(named name: [UInt8], in parent: InodeID) throws -> String {
        try node(named: name, in: parent).map { text(of: $0) } ?? ""
    }

    /// The text of a file as this mount has it.
    private func text(of node: Node) -> String { world.text(of: node, process) }
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
