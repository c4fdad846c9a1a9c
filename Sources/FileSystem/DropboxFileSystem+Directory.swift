// Listing folders.

public import Core
import MetadataStore
import Sync

extension DropboxFileSystem {
    /// Opens a folder; waits until its listing is complete.
    public func openDirectory(_ inode: InodeID) -> Answer<OpenedDirectory> {
        answer { known in
            let isFeedHealthy = self.sync.isFeedHealthy
            let folder = try self.store.read { try $0.existing(inode) }
            guard folder.kind == .folder else { throw FileSystemError.notADirectory }
            if folder.flags.contains(.noAccess) { throw FileSystemError.accessDenied }
            if folder.place != nil || inode == .root {
                try known.requireListing(of: folder)
            }
            let handle = self.directories.insert(DirectoryHandle(inode: inode))
            return OpenedDirectory(handle: handle, cachesListing: isFeedHealthy)
        }
    }

    /// Offers entries from `offset` on until `accept` returns false.
    public func readDirectory(
        _ inode: InodeID, handle: HandleID, offset: UInt64, withEntries: Bool,
        accept: (DirectoryEntry) -> Bool
    ) -> FileSystemError? {
        do {
            let handle = try directories.handle(handle)
            let moment = moment()
            let listing = try listing(of: handle, offset: offset, withEntries: withEntries)
            guard offerDots(of: inode, in: listing.parent, from: offset, accept) else { return nil }
            let first = Int(clamping: offset > 2 ? offset - 2 : 0)
            guard first < listing.children.count else { return nil }
            if withEntries {
                try offerEntries(
                    listing.children, from: first, handle, (listing.nodes, moment), accept)
            } else {
                offerNames(listing.children, from: first, accept)
            }
            return nil
        } catch {
            return failure(error)
        }
    }

    /// Makes a folder's names survive power loss.
    public func synchronizeDirectory(_ inode: InodeID) -> Answer<Void> {
        .pending { () async throws(FileSystemError) in
            try await self.onDisk { try self.store.synchronize() }
            try await self.drainIfAsked(inode)
        }
    }

    /// Closes a folder.
    public func releaseDirectory(_ inode: InodeID, handle: HandleID) {
        _ = directories.remove(handle)
    }

    // MARK: Parts

    /// The names that a reader goes through, read anew at their beginning, with the first nodes.
    private func listing(
        of handle: DirectoryHandle, offset: UInt64, withEntries: Bool
    ) throws -> DirectoryListing {
        if offset > 0, let known = handle.listing {
            return known
        }
        let limit = withEntries ? handle.pieceSize : 0
        let listing = try store.read {
            try DirectoryListing(of: handle.inode, nodes: limit, in: $0)
        }
        handle.refresh(listing)
        return listing
    }

    /// Offers "." and ".."; returns whether there is room for more.
    private func offerDots(
        of inode: InodeID, in parent: InodeID, from offset: UInt64,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        guard offset < 2 else { return true }
        if offset == 0 {
            let dot = DirectoryEntry(
                name: ".", inode: inode, kind: .directory, nextOffset: 1, entry: nil)
            guard accept(dot) else { return false }
        }
        return accept(
            DirectoryEntry(
                name: "..", inode: parent, kind: .directory, nextOffset: 2, entry: nil))
    }

    private func offerNames(
        _ children: [Child], from first: Int, _ accept: (DirectoryEntry) -> Bool
    ) {
        for index in first..<children.count {
            let child = children[index]
            let entry = DirectoryEntry(
                name: child.name.string, inode: child.inode, kind: FileKind(child.kind),
                nextOffset: UInt64(index) + 3, entry: nil)
            guard accept(entry) else { return }
        }
    }

    /// Offers entries with attributes: those of `known`, which were read after its moment, from memory.
    private func offerEntries(
        _ children: [Child], from first: Int, _ handle: DirectoryHandle,
        _ known: (nodes: [Node], moment: Moment), _ accept: (DirectoryEntry) -> Bool
    ) throws {
        var index = first
        defer { handle.noteTaken(index - first) }
        if first == 0 {
            for node in known.nodes {
                guard offer(node, as: children[index], index, since: known.moment, accept) else {
                    return
                }
                index += 1
            }
        }
        while index < children.count {
            let piece = index..<min(children.count, index + handle.pieceSize)
            let moment = self.moment()
            let nodes = try nodes(of: handle.inode, children[piece])
            for position in piece {
                // What has left the folder since its names were read is passed over.
                if let node = nodes[children[position].inode],
                    !offer(node, as: children[position], position, since: moment, accept)
                {
                    return
                }
                index = position + 1
            }
        }
    }

    /// Offers one entry with attributes; returns whether it was taken.
    private func offer(
        _ node: Node, as child: Child, _ position: Int, since moment: Moment,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        let entry = DirectoryEntry(
            name: child.name.string, inode: child.inode, kind: FileKind(child.kind),
            nextOffset: UInt64(position) + 3, entry: found(node, since: moment))
        guard accept(entry) else {
            forget(child.inode, count: 1)
            return false
        }
        return true
    }

    /// The nodes of some consecutive children that are still where they were.
    private func nodes(
        of folder: InodeID, _ children: ArraySlice<Child>
    ) throws -> [InodeID: Node] {
        guard let first = children.first, let last = children.last else { return [:] }
        let nodes = try store.read {
            try $0.childNodes(
                of: folder, fromFolded: first.name.folded, throughFolded: last.name.folded)
        }
        let names = Dictionary(
            children.map { ($0.inode, $0.name) }, uniquingKeysWith: { first, _ in first })
        var found: [InodeID: Node] = [:]
        for node in nodes where names[node.inode] == node.place?.name {
            found[node.inode] = node
        }
        return found
    }
}
