// Opening and reading folders.

package import Core
import MetadataStore
import Saturating
import Staging
import Sync
import Tree

extension DropboxFileSystem {
    /// Opens a folder; waits until its listing is complete.
    package func openDirectory(_ inode: InodeID) -> Answer<OpenedDirectory> {
        answer { known in
            let isFeedHealthy = self.sync.isFeedHealthy
            let folder = try self.store.readBriefly { try $0.existing(inode) }
            guard folder.kind == .folder else { throw FileSystemError.notADirectory }
            if folder.flags.contains(.noAccess) { throw FileSystemError.accessDenied }
            if folder.place != nil || inode == .root {
                try known.requireListing(of: folder)
            }
            let handle = self.directories.insert(DirectoryHandle(inode: inode))
            return OpenedDirectory(handle: handle, cachesListing: isFeedHealthy)
        }
    }

    /// Has thumbnails made for a folder that a file manager of the mount's user has opened.
    package func noteVisit(at folder: InodeID, by caller: CallingProcess) {
        guard let thumbnails, thumbnails.serves(caller.userID), let program = programName(caller)
        else { return }
        thumbnails.noteVisit(at: folder, by: program)
    }

    /// Passes entries from `offset` on to `accept` until it returns false.
    package func readDirectory(
        _ inode: InodeID, handle: HandleID, offset: UInt64, withEntries: Bool,
        accept: (DirectoryEntry) -> Bool
    ) -> FileSystemError? {
        do {
            let handle = try directories.handle(handle)
            let moment = moment()
            let listing = try listing(of: handle, offset: offset, withEntries: withEntries)
            guard offerDots(of: inode, in: listing.parent, from: offset, accept) else { return nil }
            let rest = listing.lines[listing.index(after: max(offset, DirectoryListing.dots))...]
            if withEntries {
                try offerEntries(rest, handle, (listing.nodes, moment), accept)
            } else {
                offerNames(rest, accept)
            }
            return nil
        } catch {
            return failure(error)
        }
    }

    /// Makes a folder's names survive power loss, and the staged content under them: a name whose
    /// content is lost would be dropped.
    package func synchronizeDirectory(_ inode: InodeID) -> Answer<Void> {
        .pending { () async throws(FileSystemError) in
            try await self.onDisk { try self.staging.synchronize(inode) }
            try await self.drainIfAsked(inode)
        }
    }

    /// Releases a folder handle.
    package func releaseDirectory(_ inode: InodeID, handle: HandleID) {
        _ = directories.remove(handle)
    }

    // MARK: Parts

    /// The listing that a reader continues, read again at offset 0, with the first nodes.
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

    /// Passes "." and ".." to `accept`; returns whether there is room for more.
    private func offerDots(
        of inode: InodeID, in parent: InodeID, from offset: UInt64,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        guard offset < 2 else { return true }
        if offset == 0 {
            let dot = DirectoryEntry(
                name: Self.ownName, inode: inode, kind: .directory, nextOffset: 1, entry: nil)
            guard accept(dot) else { return false }
        }
        return accept(
            DirectoryEntry(
                name: Self.folderName, inode: parent, kind: .directory, nextOffset: 2, entry: nil))
    }

    private func offerNames(
        _ lines: ArraySlice<DirectoryListing.Line>, _ accept: (DirectoryEntry) -> Bool
    ) {
        for line in lines {
            let entry = DirectoryEntry(
                name: line.child.name.shown, inode: line.child.inode,
                kind: FileKind(line.child.kind), nextOffset: line.offset, entry: nil)
            guard accept(entry) else { return }
        }
    }

    /// Passes entries with attributes to `accept`, from `known` if its moment still holds, else
    /// from the store.
    private func offerEntries(
        _ lines: ArraySlice<DirectoryListing.Line>, _ handle: DirectoryHandle,
        _ known: (nodes: [InodeID: Node], moment: Moment), _ accept: (DirectoryEntry) -> Bool
    ) throws {
        var rest = lines
        defer { handle.noteTaken(lines.count -| rest.count) }
        while !rest.isEmpty {
            let isKnown = !known.nodes.isEmpty
            let piece = isKnown ? rest : rest.prefix(handle.pieceSize)
            let moment = isKnown ? known.moment : self.moment()
            let nodes = isKnown ? known.nodes : try nodes(of: handle.inode, piece)
            for line in piece {
                // A node that left the folder since its names were read is skipped.
                if let node = nodes[line.child.inode] {
                    guard offer(node, as: line, since: moment, accept) else { return }
                }
                rest = rest.dropFirst()
            }
        }
    }

    /// Passes one entry with attributes to `accept`; returns whether it was accepted.
    private func offer(
        _ node: Node, as line: DirectoryListing.Line, since moment: Moment,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        let entry = DirectoryEntry(
            name: line.child.name.shown, inode: line.child.inode, kind: FileKind(line.child.kind),
            nextOffset: line.offset, entry: found(node, since: moment))
        guard accept(entry) else {
            forget(line.child.inode, count: 1)
            return false
        }
        return true
    }

    /// The nodes of those names that are still in the folder.
    private func nodes(
        of folder: InodeID, _ lines: ArraySlice<DirectoryListing.Line>
    ) throws -> [InodeID: Node] {
        try store.read { snapshot in
            var found: [InodeID: Node] = [:]
            for child in lines.lazy.map(\.child) {
                let place = Place(parent: folder, name: child.name)
                guard let node = try snapshot.node(child.inode), node.place == place else {
                    continue
                }
                found[child.inode] = node
            }
            return found
        }
    }
}
