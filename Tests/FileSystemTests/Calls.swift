// Operations as tests write them: with text for names, and with errors thrown.

import Core
import Synchronization
import Testing

@testable import FileSystem
@testable import Tree

/// The answer was not what the test can go on with.
struct UnexpectedAnswer: Error {
    let text: String
}

extension Answer {
    /// The value, which must be there at once.
    func now() throws -> Value {
        switch self {
        case .ready(let value): return value
        case .failed(let error): throw error
        case .pending: throw UnexpectedAnswer(text: "the answer waits for the network")
        }
    }

    /// The value, at once or after waiting.
    func value() async throws -> Value {
        switch self {
        case .ready(let value): return value
        case .failed(let error): throw error
        case .pending(let work): return try await work()
        }
    }

    var isPending: Bool {
        if case .pending = self { true } else { false }
    }
}

extension OpenFlags {
    static let reading = OpenFlags(reads: true)
    static let writing = OpenFlags(writes: true)
    static let both = OpenFlags(reads: true, writes: true)
    static let truncating = OpenFlags(writes: true, truncates: true)
    static let appending = OpenFlags(writes: true, appends: true)
}

extension Fixture {
    func lookup(_ text: String, in parent: InodeID = .root) throws -> InodeID {
        guard let entry = try entry(text, in: parent) else { throw FileSystemError.noEntry }
        return entry.attributes.inode
    }

    func entry(_ text: String, in parent: InodeID = .root) throws -> Entry? {
        switch try fs.lookup(Array(text.utf8), in: parent).now() {
        case .found(let entry): entry
        case .absent: nil
        }
    }

    func exists(_ text: String, in parent: InodeID = .root) throws -> Bool {
        guard let entry = try entry(text, in: parent) else { return false }
        fs.forget(entry.attributes.inode, count: 1)
        return true
    }

    @discardableResult
    func mkdir(_ text: String, in parent: InodeID = .root) throws -> InodeID {
        try fs.makeDirectory(
            Array(text.utf8), in: parent, permissions: 0o755, caller: Self.user
        ).now().attributes.inode
    }

    /// Makes a file with content and closes it.
    @discardableResult
    func makeFile(
        _ text: String, in parent: InodeID = .root, _ bytes: [UInt8] = []
    ) throws -> InodeID {
        let created = try create(text, in: parent, OpenFlags(writes: true, isExclusive: true))
        let inode = created.entry.attributes.inode
        if !bytes.isEmpty {
            #expect(try write(inode, created.opened.handle, 0, bytes) == bytes.count)
        }
        try close(inode, created.opened.handle)
        return inode
    }

    func create(
        _ text: String, in parent: InodeID = .root, _ flags: OpenFlags = .both
    ) throws -> CreatedFile {
        try fs.create(
            Array(text.utf8), in: parent, permissions: 0o644, flags: flags, caller: Self.user
        ).now()
    }

    /// Reads a folder in pieces of `count` entries, as the kernel does.
    func readFolder(
        _ folder: InodeID, by count: Int, withEntries: Bool, between: () throws -> Void = {}
    ) throws -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        while true {
            let piece = try readEntries(
                of: folder, behind: entries.last?.nextOffset ?? 0, count, withEntries: withEntries)
            if piece.isEmpty { return entries }
            entries += piece
            try between()
        }
    }

    /// Reads up to `count` entries of a folder.
    func readEntries(
        of folder: InodeID, behind offset: UInt64 = 0, _ count: Int = .max,
        withEntries: Bool = false
    ) throws -> [DirectoryEntry] {
        let reply = ListingReply(limit: count)
        try fs.readDirectory(folder, .part(behind: offset, withEntries)) { reply.take($0) }.now()
        return reply.entries
    }

    @discardableResult
    func symlink(_ text: String, to target: String, in parent: InodeID = .root) throws -> InodeID {
        try fs.makeSymbolicLink(
            Array(text.utf8), in: parent, target: Array(target.utf8), caller: Self.user
        ).now().attributes.inode
    }

    func open(_ inode: InodeID, _ flags: OpenFlags = .both) throws -> HandleID {
        try fs.open(inode, flags: flags).now().handle
    }

    func write(
        _ inode: InodeID, _ handle: HandleID, _ offset: Int64, _ bytes: [UInt8],
        isPage: Bool = false
    ) throws -> Int {
        let origin: WriteOrigin = isPage ? .page : .call(try fs.handles.handle(handle).flags)
        return try bytes.withUnsafeBytes {
            try fs.write(inode, handle: handle, offset: offset, bytes: $0, from: origin).now()
        }
    }

    func writeWaiting(
        _ inode: InodeID, _ handle: HandleID, _ offset: Int64, _ bytes: [UInt8]
    ) async throws -> Int {
        let flags = try fs.handles.handle(handle).flags
        let answer = bytes.withUnsafeBytes {
            fs.write(inode, handle: handle, offset: offset, bytes: $0, from: .call(flags))
        }
        return try await answer.value()
    }

    func read(
        _ inode: InodeID, _ handle: HandleID, _ offset: Int64 = 0, _ count: Int = 1 << 26
    ) throws -> [UInt8] {
        try fs.read(inode, handle: handle, offset: offset, count: count).now()
    }

    /// Closes the only descriptor of a handle.
    func close(_ inode: InodeID, _ handle: HandleID) throws {
        try fs.flush(inode, handle: handle).now()
        fs.release(inode, handle: handle)
    }

    /// All bytes of a file, opened for this.
    func contents(_ inode: InodeID) throws -> [UInt8] {
        let handle = try open(inode, .reading)
        defer { fs.release(inode, handle: handle) }
        return try read(inode, handle)
    }

    func attributes(_ inode: InodeID) throws -> Attributes {
        try fs.attributes(of: inode).now().attributes
    }

    func checkAccess(_ kinds: AccessKinds, to inode: InodeID) throws {
        try fs.checkAccess(kinds, to: inode).now()
    }

    @discardableResult
    func setAttributes(
        _ inode: InodeID, _ change: (inout AttributeChanges) -> Void
    ) throws -> Attributes {
        var changes = AttributeChanges()
        change(&changes)
        return try fs.setAttributes(changes, of: inode, handle: nil).now().attributes
    }

    func unlink(_ text: String, in parent: InodeID = .root) throws {
        try fs.unlink(Array(text.utf8), in: parent).now()
    }

    func rmdir(_ text: String, in parent: InodeID = .root) throws {
        try fs.removeDirectory(Array(text.utf8), in: parent).now()
    }

    func rename(
        _ old: String, in parent: InodeID = .root, to new: String, into newParent: InodeID = .root,
        _ mode: RenameMode = .replace
    ) throws {
        try fs.rename(
            Array(old.utf8), in: parent, to: Array(new.utf8), in: newParent, mode: mode
        ).now()
    }

    /// The names in a folder in the order of the alphabet, "." and ".." left out.
    func names(in folder: InodeID = .root) throws -> [String] {
        try list(folder).map(\.text).filter { $0 != "." && $0 != ".." }
            .sorted { Folding.fold($0) < Folding.fold($1) }
    }

    func list(_ folder: InodeID = .root) throws -> [DirectoryEntry] {
        _ = try fs.openDirectory(folder).now()
        return try readEntries(of: folder)
    }
}

/// The entries of a reply to a reader.
final class ListingReply: Sendable {
    private let taken = Mutex<[DirectoryEntry]>([])
    private let isTaken: @Sendable (DirectoryEntry, Int) -> Bool

    /// Has room for so many entries.
    init(limit: Int) { isTaken = { _, count in count < limit } }

    /// Has room for all entries but these.
    init(without isLeftOut: @escaping @Sendable (DirectoryEntry) -> Bool) {
        isTaken = { entry, _ in !isLeftOut(entry) }
    }

    var entries: [DirectoryEntry] { taken.withLock { $0 } }

    func take(_ entry: DirectoryEntry) -> Bool {
        taken.withLock { entries in
            guard isTaken(entry, entries.count) else { return false }
            entries.append(entry)
            return true
        }
    }
}

extension DirectoryRead {
    static func part(behind offset: UInt64 = 0, _ withEntries: Bool = false) -> DirectoryRead {
        DirectoryRead(offset: offset, size: 32 << 10, withEntries: withEntries)
    }
}

extension DirectoryEntry {
    var text: String { String(decoding: name, as: UTF8.self) }
}

func text(_ text: String) -> [UInt8] {
    Array(text.utf8)
}

extension DropboxFileSystem {
    /// Opens a file for one and the same thread.
    func open(_ inode: InodeID, flags: OpenFlags) -> Answer<OpenedFile> {
        open(inode, flags: flags, caller: CallingProcess(userID: 1000, groupID: 1000, processID: 1))
    }
}
