// Content and listings of the filesystem in memory.

import Core
import FileSystem
import Synchronization

extension TestFileSystem {
    func open(_ inode: InodeID, flags: OpenFlags, caller: CallingProcess) -> Answer<OpenedFile> {
        delayed(by: "open") { [self] in
            perform("open") { (state) throws(FileSystemError) in
                if flags.truncates {
                    state.counts["open with O_TRUNC", default: 0] += 1
                    state.nodes[inode]?.resize(to: 0)
                }
                return OpenedFile(handle: state.makeHandle(), keepsCache: true, isDirect: false)
            }
        }
    }

    func create(
        _ name: [UInt8], in parent: InodeID, permissions: UInt16, flags: OpenFlags,
        caller: CallingProcess
    ) -> Answer<CreatedFile> {
        perform("create") { (state) throws(FileSystemError) in
            let inode = try state.make(name, in: parent, .regular, permissions, caller)
            return CreatedFile(
                entry: try state.counted(inode, timeouts),
                opened: OpenedFile(
                    handle: state.makeHandle(), keepsCache: true, isDirect: false))
        }
    }

    func read(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int
    ) -> Answer<[UInt8]> {
        delayed(by: "read") { [self] in
            perform("read") { (state) throws(FileSystemError) in
                let content = try state.node(inode).content
                let start = min(Int(offset), content.count)
                return Array(content[start..<min(start + count, content.count)])
            }
        }
    }

    func write(
        _ inode: InodeID, handle: HandleID, offset: Int64, bytes: UnsafeRawBufferPointer,
        from origin: WriteOrigin
    ) -> Answer<Int> {
        let bytes = Array(bytes)
        return perform("write") { (state) throws(FileSystemError) in
            guard state.nodes[inode] != nil else { throw .staleHandle }
            let end = Int(offset) + bytes.count
            if state.nodes[inode, default: Self.missing].content.count < end {
                state.nodes[inode]?.resize(to: end)
            }
            state.nodes[inode]?.content.replaceSubrange(Int(offset)..<end, with: bytes)
            state.nodes[inode]?.attributes.modificationTime = .now()
            return bytes.count
        }
    }

    /// Stands for a node that a check before has shown to be there.
    private static var missing: Node {
        Node(attributes: attributes(.root, .regular, 0, .root), parent: .root)
    }

    func flush(_ inode: InodeID, handle: HandleID) -> Answer<Void> {
        delayed(by: "flush") { [self] in perform("flush") { _ in } }
    }

    func synchronize(_ inode: InodeID, handle: HandleID, dataOnly: Bool) -> Answer<Void> {
        perform(dataOnly ? "fdatasync" : "fsync") { _ in }
    }

    func release(_ inode: InodeID, handle: HandleID) {
        state.withLock { $0.counts["release", default: 0] += 1 }
    }

    func allocate(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int64, mode: AllocationMode
    ) -> Answer<Void> {
        perform("fallocate") { (state) throws(FileSystemError) in
            var node = try state.node(inode)
            let end = Int(offset + count)
            let keepsSize =
                mode == .keepSize || mode == .punchHole || mode == .zeroRange(keepsSize: true)
            if !keepsSize && node.content.count < end { node.resize(to: end) }
            if mode != .extend && mode != .keepSize {
                let range = min(Int(offset), node.content.count)..<min(end, node.content.count)
                node.content.replaceSubrange(range, with: repeatElement(0, count: range.count))
            }
            state.nodes[inode] = node
        }
    }

    func copyRange(
        from source: InodeID, handle: HandleID, offset: Int64,
        to target: InodeID, targetHandle: HandleID, targetOffset: Int64, count: Int64
    ) -> Answer<Int> {
        perform("copy_file_range") { (state) throws(FileSystemError) in
            let content = try state.node(source).content
            let start = min(Int(offset), content.count)
            let bytes = Array(content[start..<min(start + Int(count), content.count)])
            var node = try state.node(target)
            let end = Int(targetOffset) + bytes.count
            if node.content.count < end { node.resize(to: end) }
            node.content.replaceSubrange(Int(targetOffset)..<end, with: bytes)
            state.nodes[target] = node
            return bytes.count
        }
    }

    /// Blocks of 4 KiB that hold only zeros are holes.
    func seek(
        _ inode: InodeID, handle: HandleID, offset: Int64, target: SeekTarget
    ) -> Answer<Int64> {
        perform("lseek") { (state) throws(FileSystemError) in
            let content = try state.node(inode).content
            guard offset < content.count else { throw .noSuchOffset }
            for start in stride(from: Int(offset) & ~4095, to: content.count, by: 4096) {
                let block = content[start..<min(start + 4096, content.count)]
                if block.allSatisfy({ $0 == 0 }) == (target == .hole) {
                    return max(offset, Int64(start))
                }
            }
            guard target == .hole else { throw .noSuchOffset }
            return Int64(content.count)
        }
    }

    // MARK: Folders

    func noteVisit(at folder: InodeID, by caller: CallingProcess) {}

    func openDirectory(_ inode: InodeID) -> Answer<OpenedDirectory> {
        perform("opendir") { (state) throws(FileSystemError) in
            _ = try state.node(inode)
            return OpenedDirectory(cachesListing: timeouts.entry > 0, isLast: isOpenDirectoryLast)
        }
    }

    /// A reader that continues gets the names of the last one that has begun.
    func readDirectory(
        _ inode: InodeID, _ read: DirectoryRead,
        accept: @escaping @Sendable (DirectoryEntry) -> Bool
    ) -> Answer<Void> {
        perform(read.withEntries ? "readdirplus" : "readdir") {
            (state) throws(FileSystemError) in
            if read.offset == 0 { state.listings[inode] = try state.listing(of: inode) }
            for var entry in (state.listings[inode] ?? []).dropFirst(Int(read.offset)) {
                let isChild = entry.name != Array(".".utf8) && entry.name != Array("..".utf8)
                if read.withEntries, isChild, let node = state.nodes[entry.inode] {
                    entry.entry = Entry(attributes: node.attributes, timeouts: timeouts)
                }
                guard accept(entry) else { return }
                if entry.entry != nil {
                    state.nodes[entry.inode]?.lookupCount += 1
                }
            }
        }
    }

    func synchronizeDirectory(_ inode: InodeID) -> Answer<Void> {
        perform("fsyncdir") { _ in }
    }
}

extension TestFileSystem.State {
    fileprivate func listing(of folder: InodeID) throws(FileSystemError) -> [DirectoryEntry] {
        let node = try node(folder)
        let ends = [(".", folder), ("..", node.parent)].map { ($0.0, $0.1, FileKind.directory) }
        let names = node.children.sorted { $0.key < $1.key }.compactMap { name, child in
            nodes[child].map { (name.string, child, $0.attributes.kind) }
        }
        return (ends + names).enumerated().map { index, entry in
            DirectoryEntry(
                name: Array(entry.0.utf8), inode: entry.1, kind: entry.2,
                nextOffset: UInt64(index + 1), entry: nil)
        }
    }
}
