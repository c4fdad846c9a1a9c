// A small filesystem in memory, for tests of the bridge: the tree, names and attributes. Content is
// in TestFileSystem+Files.swift. Each operation answers at once, unless a knob makes it wait.

import Core
import FileSystem
import Synchronization

/// Everything the kernel can ask for, from memory, with a count of each question.
final class TestFileSystem: FileSystemOperations {
    struct Node {
        var attributes: Attributes
        var parent: InodeID
        var children: [FileName: InodeID] = [:]
        var content: [UInt8] = []
        var target: [UInt8] = []
        var extendedAttributes: [String: [UInt8]] = [:]
        var lookupCount: UInt64 = 0
    }

    struct State {
        var nodes: [InodeID: Node] = [:]
        var lastInode: UInt64 = 1
        var lastHandle: UInt64 = 0
        var listings: [InodeID: [DirectoryEntry]] = [:]
        var counts: [String: Int] = [:]
    }

    let state = Mutex(State())
    let gate = Gate()
    let timeouts: Timeouts
    /// The first opendir tells the kernel not to ask again.
    let isOpenDirectoryLast: Bool

    init(timeout: Double, isOpenDirectoryLast: Bool) {
        self.isOpenDirectoryLast = isOpenDirectoryLast
        timeouts = Timeouts(entry: timeout, attributes: timeout)
        state.withLock { state in
            let attributes = Self.attributes(.root, .directory, 0o755, CallingProcess.root)
            state.nodes[.root] = Node(attributes: attributes, parent: .root)
        }
    }

    /// Counts an operation and runs it under the lock.
    func perform<Value>(
        _ operation: String,
        _ body: (inout sending State) throws(FileSystemError) -> sending Value
    ) -> Answer<Value> {
        .now { () throws(FileSystemError) -> Value in
            try state.withLock { (state) throws(FileSystemError) -> Value in
                state.counts[operation, default: 0] += 1
                return try body(&state)
            }
        }
    }

    /// Answers at once, or after the gate has opened if it is closed for the key.
    func delayed<Value>(
        by key: String, _ answer: @escaping @Sendable () -> Answer<Value>
    ) -> Answer<Value> {
        guard gate.isClosed(for: key) else { return answer() }
        return .pending { [gate] () throws(FileSystemError) -> Value in
            guard await gate.pass(key) else { throw .interrupted }
            switch answer() {
            case .ready(let value): return value
            case .failed(let error): throw error
            case .pending: throw .inputOutput("waited twice")
            }
        }
    }

    static func attributes(
        _ inode: InodeID, _ kind: FileKind, _ permissions: UInt16, _ caller: CallingProcess
    ) -> Attributes {
        let now = WallTime.now()
        return Attributes(
            inode: inode, kind: kind, permissions: permissions, linkCount: 1,
            userID: caller.userID, groupID: caller.groupID, size: 0, accessTime: now,
            modificationTime: now, changeTime: now)
    }

    // MARK: Names

    func lookup(_ name: [UInt8], in parent: InodeID) -> Answer<LookupResult> {
        delayed(by: "lookup \(String(decoding: name, as: UTF8.self))") { [self] in
            perform("lookup") { (state) throws(FileSystemError) in
                guard let name = try? FileName(utf8: name),
                    let inode = state.nodes[parent]?.children[name]
                else { return .absent(timeout: timeouts.entry) }
                return .found(try state.counted(inode, timeouts))
            }
        }
    }

    func forget(_ inode: InodeID, count: UInt64) {
        state.withLock { state in
            state.counts["forget", default: 0] += 1
            state.nodes[inode]?.lookupCount -= count
        }
    }

    func makeDirectory(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, caller: CallingProcess
    ) -> Answer<Entry> {
        perform("mkdir") { (state) throws(FileSystemError) in
            let inode = try state.make(name, in: parent, .directory, permissions, caller)
            return try state.counted(inode, timeouts)
        }
    }

    func makeNode(
        _ kind: MakeableKind, _ name: [UInt8], in parent: InodeID, permissions: UInt16,
        caller: CallingProcess
    ) -> Answer<Entry> {
        perform("mknod") { (state) throws(FileSystemError) in
            let inode = try state.make(name, in: parent, FileKind(kind), permissions, caller)
            return try state.counted(inode, timeouts)
        }
    }

    func makeSymbolicLink(
        _ name: [UInt8], in parent: InodeID, target: [UInt8], caller: CallingProcess
    ) -> Answer<Entry> {
        perform("symlink") { (state) throws(FileSystemError) in
            let inode = try state.make(name, in: parent, .symbolicLink, 0o777, caller)
            state.nodes[inode]?.target = target
            state.nodes[inode]?.attributes.size = Int64(target.count)
            return try state.counted(inode, timeouts)
        }
    }

    func unlink(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        perform("unlink") { (state) throws(FileSystemError) in
            let (name, inode) = try state.find(name, in: parent)
            if state.nodes[inode]?.attributes.kind == .directory { throw .isADirectory }
            state.nodes[parent]?.children[name] = nil
        }
    }

    func removeDirectory(_ name: [UInt8], in parent: InodeID) -> Answer<Void> {
        perform("rmdir") { (state) throws(FileSystemError) in
            let (name, inode) = try state.find(name, in: parent)
            guard state.nodes[inode]?.children.isEmpty == true else { throw .notEmpty }
            state.nodes[parent]?.children[name] = nil
        }
    }

    func rename(
        _ name: [UInt8], in parent: InodeID, to newName: [UInt8], in newParent: InodeID,
        mode: RenameMode
    ) -> Answer<Void> {
        perform("rename") { (state) throws(FileSystemError) in
            let (name, inode) = try state.find(name, in: parent)
            let target = try FileName(validating: newName)
            let replaced = state.nodes[newParent]?.children[target]
            switch mode {
            case .replace: state.nodes[parent]?.children[name] = nil
            case .noReplace:
                guard replaced == nil else { throw .exists }
                state.nodes[parent]?.children[name] = nil
            case .exchange:
                guard let replaced else { throw .noEntry }
                state.nodes[parent]?.children[name] = replaced
                state.nodes[replaced]?.parent = parent
            }
            state.nodes[newParent]?.children[target] = inode
            state.nodes[inode]?.parent = newParent
        }
    }

    func readSymbolicLink(_ inode: InodeID) -> Answer<[UInt8]> {
        perform("readlink") { (state) throws(FileSystemError) in try state.node(inode).target }
    }

    // MARK: Attributes

    func checkAccess(_ kinds: AccessKinds, to inode: InodeID) -> Answer<Void> {
        perform("access") { (state) throws(FileSystemError) in _ = try state.node(inode) }
    }

    func attributes(of inode: InodeID) -> Answer<Entry> {
        delayed(by: "getattr") { [self] in
            perform("getattr") { (state) throws(FileSystemError) in
                Entry(attributes: try state.node(inode).attributes, timeouts: timeouts)
            }
        }
    }

    func setAttributes(
        _ changes: AttributeChanges, of inode: InodeID, handle: HandleID?
    ) -> Answer<Entry> {
        perform("setattr") { (state) throws(FileSystemError) in
            var node = try state.node(inode)
            node.attributes.permissions = changes.permissions ?? node.attributes.permissions
            node.attributes.userID = changes.userID ?? node.attributes.userID
            node.attributes.groupID = changes.groupID ?? node.attributes.groupID
            if let time = changes.accessTime { node.attributes.accessTime = time.resolved }
            if let time = changes.modificationTime {
                node.attributes.modificationTime = time.resolved
            }
            if let size = changes.size { node.resize(to: Int(size)) }
            state.nodes[inode] = node
            return Entry(attributes: node.attributes, timeouts: timeouts)
        }
    }

    func extendedAttribute(_ name: String, of inode: InodeID) -> Answer<[UInt8]> {
        perform("getxattr") { (state) throws(FileSystemError) in
            guard let value = try state.node(inode).extendedAttributes[name] else {
                throw .noAttribute
            }
            return value
        }
    }

    func extendedAttributeNames(of inode: InodeID) -> Answer<[String]> {
        perform("listxattr") { (state) throws(FileSystemError) in
            try state.node(inode).extendedAttributes.keys.sorted()
        }
    }

    func setExtendedAttribute(
        _ name: String, of inode: InodeID, to value: [UInt8], mode: AttributeWriteMode
    ) -> Answer<Void> {
        perform("setxattr") { (state) throws(FileSystemError) in
            let isThere = try state.node(inode).extendedAttributes[name] != nil
            if isThere && mode == .create { throw .exists }
            if !isThere && mode == .replace { throw .noAttribute }
            state.nodes[inode]?.extendedAttributes[name] = value
        }
    }

    func removeExtendedAttribute(_ name: String, of inode: InodeID) -> Answer<Void> {
        perform("removexattr") { (state) throws(FileSystemError) in
            guard try state.node(inode).extendedAttributes[name] != nil else { throw .noAttribute }
            state.nodes[inode]?.extendedAttributes[name] = nil
        }
    }

    func spaceUsage() -> SpaceUsage {
        SpaceUsage(totalBytes: 10 << 30, freeBytes: 4 << 30, entryCount: 7)
    }
}

extension CallingProcess {
    static var root: CallingProcess { CallingProcess(userID: 0, groupID: 0, processID: 0) }
}

extension FileName {
    /// Validates a name in the words of POSIX.
    init(validating bytes: [UInt8]) throws(FileSystemError) {
        do {
            try self.init(utf8: bytes)
        } catch .tooLong {
            throw .nameTooLong
        } catch .notUTF8 {
            throw .invalidEncoding
        } catch {
            throw .invalidArgument
        }
    }
}

extension AttributeChanges.TimeChange {
    fileprivate var resolved: WallTime {
        switch self {
        case .now: .now()
        case .time(let time): time
        }
    }
}

extension TestFileSystem.Node {
    /// Cuts the content or extends it with zeros.
    mutating func resize(to size: Int) {
        if size < content.count {
            content.removeLast(content.count - size)
        } else {
            content.append(contentsOf: repeatElement(0, count: size - content.count))
        }
        attributes.size = Int64(size)
    }
}

extension TestFileSystem.State {
    func node(_ inode: InodeID) throws(FileSystemError) -> TestFileSystem.Node {
        guard let node = nodes[inode] else { throw .staleHandle }
        return node
    }

    func find(
        _ name: [UInt8], in parent: InodeID
    ) throws(FileSystemError) -> (FileName, InodeID) {
        let name = try FileName(validating: name)
        guard let inode = nodes[parent]?.children[name] else { throw .noEntry }
        return (name, inode)
    }

    mutating func make(
        _ name: [UInt8], in parent: InodeID, _ kind: FileKind, _ permissions: UInt16,
        _ caller: CallingProcess
    ) throws(FileSystemError) -> InodeID {
        let name = try FileName(validating: name)
        guard nodes[parent]?.children[name] == nil else { throw .exists }
        lastInode += 1
        let inode = InodeID(lastInode)
        nodes[inode] = TestFileSystem.Node(
            attributes: TestFileSystem.attributes(inode, kind, permissions, caller),
            parent: parent)
        nodes[parent]?.children[name] = inode
        return inode
    }

    /// The entry for a reply that counts a lookup.
    mutating func counted(
        _ inode: InodeID, _ timeouts: Timeouts
    ) throws(FileSystemError) -> Entry {
        nodes[inode]?.lookupCount += 1
        return Entry(attributes: try node(inode).attributes, timeouts: timeouts)
    }

    mutating func makeHandle() -> HandleID {
        lastHandle += 1
        return HandleID(lastHandle)
    }
}
