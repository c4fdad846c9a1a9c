// A tree as POSIX describes it, in dictionaries and byte arrays: the definition of correct for the
// model test. It knows names and content; nothing of servers, staging or transactions.

import Core
import Glibc
import TestSupport

@testable import FileSystem
@testable import Tree

/// A tree that is obviously right.
struct ReferenceTree {
    typealias NodeID = Int

    struct Node {
        var kind: FileKind
        var children: [FileName: NodeID] = [:]
        var bytes: [UInt8] = []
        var target = ""
        /// Nil if no call has set it.
        var permissions: UInt16?
        /// Nil if it is a time of the clock.
        var modified: WallTime?
        var attributes: [String: [UInt8]] = [:]
        /// Never leaves this machine.
        var isLocal: Bool
    }

    struct Handle {
        var node: NodeID
        var flags: OpenFlags
    }

    static let root: NodeID = 0
    /// Names that patterns keep on this machine.
    static let ignored: Set<FileName> = [FileSystemTests.name("b.o")]
    private(set) var nodes: [NodeID: Node] = [root: Node(kind: .directory, isLocal: false)]
    var handles: [Handle] = []
    /// Names are refused that Dropbox refuses, or takes for a sibling's.
    let refusesNames: Bool
    private var next = 1

    init(refusesNames: Bool) { self.refusesNames = refusesNames }

    subscript(id: NodeID) -> Node {
        get { nodes[id] ?? Node(kind: .regular, isLocal: true) }
        set { nodes[id] = newValue }
    }

    // MARK: Walking

    /// The node at a path; paths come from `paths`.
    func find(_ path: [FileName]) -> NodeID {
        path.reduce(Self.root) { nodes[$0]?.children[$1] ?? Self.root }
    }

    /// The paths of all nodes of the given kinds, sorted.
    func paths(_ kinds: Set<FileKind>) -> [[FileName]] {
        var found: [[FileName]] = []
        func visit(_ id: NodeID, _ path: [FileName]) {
            guard let node = nodes[id] else { return }
            if kinds.contains(node.kind) { found.append(path) }
            for (name, child) in node.children.sorted(by: { $0.key < $1.key }) {
                visit(child, path + [name])
            }
        }
        visit(Self.root, [])
        return found
    }

    private func occupant(_ name: FileName, in folder: NodeID) -> (FileName, NodeID)? {
        self[folder].children.first { refusesNames ? $0.key.folded == name.folded : $0.key == name }
            .map { ($0.key, $0.value) }
    }

    private func contains(_ ancestor: NodeID, _ id: NodeID) -> Bool {
        ancestor == id || self[ancestor].children.values.contains { contains($0, id) }
    }

    func isOpen(_ id: NodeID) -> Bool {
        handles.contains { $0.node == id }
    }

    // MARK: Making

    private func isLocal(_ name: FileName, in folder: NodeID) throws(FileSystemError) -> Bool {
        if refusesNames, NamePolicy(name) == .unstorable { throw .invalidArgument }
        return self[folder].isLocal || Self.isLocal(name)
    }

    private static func isLocal(_ name: FileName) -> Bool {
        NamePolicy(name) == .localOnly || ignored.contains(name)
    }

    mutating func make(
        _ kind: FileKind, _ name: FileName, in folder: NodeID, target: String = ""
    ) throws(FileSystemError) -> NodeID {
        if occupant(name, in: folder) != nil { throw .exists }
        let isLocal = try isLocal(name, in: folder)
        return insert(
            Node(kind: kind, target: target, isLocal: isLocal || kind == .symbolicLink),
            name, in: folder)
    }

    private mutating func insert(_ node: Node, _ name: FileName, in folder: NodeID) -> NodeID {
        let id = next
        next += 1
        nodes[id] = node
        self[folder].children[name] = id
        return id
    }

    mutating func create(
        _ name: FileName, in folder: NodeID, _ flags: OpenFlags
    ) throws(FileSystemError) {
        guard let (known, id) = occupant(name, in: folder) else {
            let made = try make(.regular, name, in: folder)
            handles.append(Handle(node: made, flags: flags))
            return
        }
        if flags.isExclusive || known != name { throw .exists }
        try open(id, flags)
    }

    mutating func open(_ id: NodeID, _ flags: OpenFlags) throws(FileSystemError) {
        switch self[id].kind {
        case .directory: throw .isADirectory
        case .symbolicLink: throw .tooManyLinks
        case .fifo, .socket: throw .invalidArgument
        case .regular: break
        }
        if flags.truncates {
            self[id].bytes = []
            self[id].modified = nil
        }
        handles.append(Handle(node: id, flags: flags))
    }

    // MARK: Removing and renaming

    mutating func unlink(_ name: FileName, in folder: NodeID) throws(FileSystemError) {
        guard let id = self[folder].children[name] else { throw .noEntry }
        if self[id].kind == .directory { throw .isADirectory }
        self[folder].children[name] = nil
    }

    mutating func removeDirectory(_ name: FileName, in folder: NodeID) throws(FileSystemError) {
        guard let id = self[folder].children[name] else { throw .noEntry }
        if self[id].kind != .directory { throw .notADirectory }
        if !self[id].children.isEmpty { throw .notEmpty }
        self[folder].children[name] = nil
    }

    mutating func rename(
        _ name: FileName, in folder: NodeID, to newName: FileName, in newFolder: NodeID,
        _ mode: RenameMode
    ) throws(FileSystemError) {
        guard let id = self[folder].children[name] else { throw .noEntry }
        if folder == newFolder && name == newName { return }
        var taken = occupant(newName, in: newFolder)
        if taken?.1 == id { taken = nil }
        if let taken, taken.0 != newName { throw mode == .exchange ? .noEntry : .exists }
        if contains(id, newFolder) { throw .invalidArgument }
        guard let (_, other) = taken else {
            if mode == .exchange { throw .noEntry }
            return try place(id, name, folder, newName, newFolder)
        }
        switch mode {
        case .noReplace: throw .exists
        case .exchange: try exchange(id, name, folder, other, newName, newFolder)
        case .replace:
            switch (self[id].kind == .directory, self[other].kind == .directory) {
            case (true, true): if !self[other].children.isEmpty { throw .notEmpty }
            case (true, false): throw .notADirectory
            case (false, true): throw .isADirectory
            case (false, false): break
            }
            try place(id, name, folder, newName, newFolder)
        }
    }

    private mutating func place(
        _ id: NodeID, _ name: FileName, _ folder: NodeID, _ newName: FileName,
        _ newFolder: NodeID
    ) throws(FileSystemError) {
        let isLocal = try isLocalAfterMove(id, newName, newFolder)
        switch (self[id].isLocal, isLocal) {
        case (false, true):
            if self[id].kind == .directory { throw .crossDevice }
            self[id].isLocal = true
        case (true, false): makeSynced(id)
        case (true, true), (false, false): break
        }
        self[folder].children[name] = nil
        self[newFolder].children[newName] = id
    }

    private func isLocalAfterMove(
        _ id: NodeID, _ name: FileName, _ folder: NodeID
    ) throws(FileSystemError) -> Bool {
        try isLocal(name, in: folder) || self[id].kind == .symbolicLink
    }

    private mutating func makeSynced(_ id: NodeID) {
        self[id].isLocal = false
        for (name, child) in self[id].children
        where self[child].kind != .symbolicLink && !Self.isLocal(name) {
            makeSynced(child)
        }
    }

    private mutating func exchange(
        _ id: NodeID, _ name: FileName, _ folder: NodeID, _ other: NodeID, _ newName: FileName,
        _ newFolder: NodeID
    ) throws(FileSystemError) {
        if contains(other, folder) { throw .invalidArgument }
        guard try isLocalAfterMove(id, newName, newFolder) == self[id].isLocal,
            try isLocalAfterMove(other, name, folder) == self[other].isLocal
        else { throw .invalidArgument }
        self[folder].children[name] = other
        self[newFolder].children[newName] = id
    }

    // MARK: Content

    mutating func write(_ handle: Int, _ offset: Int, _ bytes: [UInt8]) {
        let id = handles[handle].node
        let start = handles[handle].flags.appends ? self[id].bytes.count : offset
        self[id].bytes.overwrite(at: start, with: bytes)
        self[id].modified = nil
    }

    func read(_ handle: Int, _ offset: Int, _ count: Int) -> [UInt8] {
        self[handles[handle].node].bytes.slice(offset..<offset + count)
    }

    mutating func truncate(_ id: NodeID, to size: Int) {
        self[id].bytes.resize(size)
        self[id].modified = nil
    }

    mutating func allocate(_ handle: Int, _ range: Range<Int>, _ mode: AllocationMode) {
        let id = handles[handle].node
        let size = self[id].bytes.count
        let zeros = [UInt8](repeating: 0, count: range.count)
        switch mode {
        case .keepSize: return
        case .extend:
            if range.upperBound <= size { return }
            self[id].bytes.resize(range.upperBound)
        case .punchHole, .zeroRange(keepsSize: true):
            if range.lowerBound >= size { break }
            self[id].bytes.overwrite(at: range.lowerBound, with: zeros)
            self[id].bytes.resize(size)
        case .zeroRange(keepsSize: false):
            self[id].bytes.overwrite(at: range.lowerBound, with: zeros)
        }
        self[id].modified = nil
    }

    // MARK: The server's side

    /// Another client stores new bytes: open handles keep the old file.
    mutating func replaceFromServer(_ path: [FileName], _ bytes: [UInt8]) {
        guard let name = path.last else { return }
        let id = find(path)
        if isOpen(id) {
            let folder = find(path.dropLast())
            _ = insert(Node(kind: .regular, bytes: bytes, isLocal: false), name, in: folder)
        } else {
            self[id].bytes = bytes
            self[id].modified = nil
        }
    }
}

extension [UInt8] {
    mutating func resize(_ size: Int) {
        if size < count {
            removeLast(count - size)
        } else {
            append(contentsOf: [UInt8](repeating: 0, count: size - count))
        }
    }

    mutating func overwrite(at offset: Int, with bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        if offset + bytes.count > count {
            resize(offset + bytes.count)
        }
        // Element by element, as `replaceSubrange` does it in a debug build, is slow for blocks.
        withUnsafeMutableBytes { target in
            bytes.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: source)
            }
        }
    }

    func slice(_ range: Range<Int>) -> [UInt8] {
        Array(self[Swift.min(range.lowerBound, count)..<Swift.min(range.upperBound, count)])
    }

    /// Whether two arrays hold the same bytes, compared at once: `==` goes byte by byte in a debug
    /// build.
    func isSame(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { two in
                guard let first = one.baseAddress, let second = two.baseAddress else {
                    return true
                }
                return memcmp(first, second, one.count) == 0
            }
        }
    }
}
