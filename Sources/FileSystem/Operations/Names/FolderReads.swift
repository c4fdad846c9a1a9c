// Opening and reading folders.

import Core
import MetadataStore
import Saturating
import Staging
import Sync
import Tree

/// Reads open folders for the kernel.
final class FolderReads: Sendable {
    private let store: MetadataStore
    private let staging: StagingArea
    private let sync: any Syncing
    private let attempts: StoreAttempts
    private let entries: KernelEntries
    private let lookups: NodeLookups
    private let keeper: ContentKeeper
    private let handles = HandleTable<DirectoryHandle>()
    /// The names that the handles read.
    let listings: DirectoryListings
    /// Thumbnails for file managers; nil if none are made.
    private let thumbnails: FolderThumbnails?
    /// The name of the caller's program, if it can be known.
    private let programName: @Sendable (CallingProcess) -> String?
    private let work: LocalWork

    init(
        store: MetadataStore, staging: StagingArea, sync: any Syncing, attempts: StoreAttempts,
        entries: KernelEntries, lookups: NodeLookups, keeper: ContentKeeper,
        thumbnails: FolderThumbnails?, listings: DirectoryListings,
        programName: @escaping @Sendable (CallingProcess) -> String?, work: LocalWork
    ) {
        self.store = store
        self.staging = staging
        self.sync = sync
        self.attempts = attempts
        self.entries = entries
        self.lookups = lookups
        self.keeper = keeper
        self.thumbnails = thumbnails
        self.listings = listings
        self.programName = programName
        self.work = work
    }

    /// Opens a folder; waits until its listing is complete.
    func open(_ inode: InodeID) -> Answer<OpenedDirectory> {
        attempts.answer { known in
            let isFeedHealthy = self.sync.isFeedHealthy
            let folder = try self.store.readBriefly { try $0.existing(inode) }
            guard folder.kind == .folder else { throw FileSystemError.notADirectory }
            if folder.flags.contains(.noAccess) { throw FileSystemError.accessDenied }
            if folder.place != nil || inode == .root {
                try known.requireListing(of: folder)
            }
            let handle = self.handles.insert(DirectoryHandle(inode: inode))
            return OpenedDirectory(handle: handle, cachesListing: isFeedHealthy)
        }
    }

    /// Has thumbnails made for a folder that a file manager of the mount's user has opened.
    func noteVisit(at folder: InodeID, by caller: CallingProcess) {
        guard let thumbnails, thumbnails.serves(caller.userID), let program = programName(caller)
        else { return }
        thumbnails.noteVisit(at: folder, by: program)
    }

    /// Passes entries from `offset` on to `accept` until it returns false.
    func read(
        _ inode: InodeID, handle: HandleID, offset: UInt64, withEntries: Bool,
        accept: (DirectoryEntry) -> Bool
    ) -> FileSystemError? {
        do {
            let handle = try handles.handle(handle)
            var position = offset
            while true {
                let (names, moment) = try names(
                    for: handle, at: position, withEntries: withEntries)
                guard offerDots(of: inode, in: names.listing.parent, from: position, accept)
                else { return nil }
                let rest = names.listing.lines(behind: max(position, DirectoryListing.dots))
                let hasRoom =
                    withEntries
                    ? try offerEntries(rest, names, handle, since: moment, accept)
                    : offerNames(rest, names.listing, accept)
                // A reply without names would be the end of the folder.
                guard hasRoom, let end = names.listing.end else { return nil }
                position = end
            }
        } catch {
            return work.failure(error)
        }
    }

    /// Makes a folder's names survive power loss, and the staged content under them: a name whose
    /// content is lost would be dropped.
    func synchronize(_ inode: InodeID) -> Answer<Void> {
        .pending { () async throws(FileSystemError) in
            try await self.work.onDisk { try self.staging.synchronize(inode) }
            try await self.keeper.drainIfAsked(folder: inode)
        }
    }

    /// Releases a folder handle.
    func release(_ handle: HandleID) {
        if let removed = handles.remove(handle) { listings.release(removed) }
    }

    // MARK: Names

    /// Names of a folder, and the nodes of all of them if they were read together.
    private struct Names {
        var listing: DirectoryListing
        var nodes: [InodeID: Node] = [:]
    }

    /// The names that a reader at an offset gets next, and the moment from before the nodes were
    /// read. Names are read again at offset 0, and where the handle has no listing.
    private func names(
        for handle: DirectoryHandle, at offset: UInt64, withEntries: Bool
    ) throws -> (Names, Moment) {
        let moment = entries.moment()
        if offset > 0, let known = listings.listing(of: handle), known.covers(offset) {
            return (Names(listing: known), moment)
        }
        let start = offset > 0 ? handle.start(for: offset) : 0
        let limit = withEntries && start == 0 ? handle.pieceSize : 0
        let names = try readNames(for: handle, behind: start, nodes: limit)
        if names.listing.covers(offset) { return (names, moment) }
        return (try readNames(for: handle, behind: offset, nodes: 0), moment)
    }

    /// Names behind an offset, from the store or as another handle has read them, and their nodes
    /// too if there are at most `limit` in the folder.
    private func readNames(
        for handle: DirectoryHandle, behind start: UInt64, nodes limit: Int
    ) throws -> Names {
        let version = store.version
        if let current = listings.current(handle.inode, behind: start, at: version),
            limit == 0 || limit < current.lines.count
        {
            return Names(listing: listings.keep(current, for: handle, at: version))
        }
        var names = try store.read {
            try self.namesInStore(of: handle.inode, behind: start, limit, $0)
        }
        names.listing = listings.keep(names.listing, for: handle, at: version)
        return names
    }

    private func namesInStore(
        of folder: InodeID, behind start: UInt64, _ limit: Int, _ snapshot: Snapshot
    ) throws -> Names {
        let parent = try snapshot.node(folder)?.place?.parent ?? .root
        if limit > 0 {
            let nodes = try snapshot.childNodes(of: folder, afterFolded: nil, limit: limit +| 1)
            if nodes.count <= limit {
                let listing = DirectoryListing(
                    in: parent, behind: start, limit: listings.listingSize
                ) { take in
                    for node in nodes {
                        if let place = node.place { take(place.name, node.inode, node.kind) }
                    }
                }
                let known = nodes.map { ($0.inode, $0) }
                return Names(
                    listing: listing,
                    nodes: Dictionary(known, uniquingKeysWith: { first, _ in first }))
            }
        }
        let listing = try DirectoryListing(
            in: parent, behind: start, limit: listings.listingSize
        ) { take in
            try snapshot.forEachChild(of: folder) { take($0.name, $0.inode, $0.kind) }
        }
        return Names(listing: listing)
    }

    /// Passes "." and ".." to `accept`; returns whether there is room for more.
    private func offerDots(
        of inode: InodeID, in parent: InodeID, from offset: UInt64,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        guard offset < 2 else { return true }
        if offset == 0 {
            let dot = DirectoryEntry(
                name: NodeLookups.ownName, inode: inode, kind: .directory, nextOffset: 1, entry: nil
            )
            guard accept(dot) else { return false }
        }
        return accept(
            DirectoryEntry(
                name: NodeLookups.folderName, inode: parent, kind: .directory, nextOffset: 2,
                entry: nil))
    }

    /// Passes names to `accept`; returns whether there is room for more.
    private func offerNames(
        _ lines: ArraySlice<DirectoryListing.Line>, _ listing: DirectoryListing,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        lines.allSatisfy { line in
            accept(
                DirectoryEntry(
                    name: listing.name(of: line), inode: line.inode, kind: FileKind(line.kind),
                    nextOffset: line.offset, entry: nil))
        }
    }

    /// Passes entries with attributes to `accept`, from the nodes of `names` if it has them, else
    /// from the store; returns whether there is room for more.
    private func offerEntries(
        _ lines: ArraySlice<DirectoryListing.Line>, _ names: Names, _ handle: DirectoryHandle,
        since start: Moment, _ accept: (DirectoryEntry) -> Bool
    ) throws -> Bool {
        var rest = lines
        defer { handle.noteTaken(lines.count -| rest.count) }
        while !rest.isEmpty {
            let isKnown = !names.nodes.isEmpty
            let piece = isKnown ? rest : rest.prefix(handle.pieceSize)
            let moment = isKnown ? start : self.entries.moment()
            let nodes =
                isKnown ? names.nodes : try nodes(of: handle.inode, piece, names.listing)
            for line in piece {
                // A node that left the folder since its names were read is skipped.
                if let node = nodes[line.inode] {
                    let name = names.listing.name(of: line)
                    guard offer(node, name, line.offset, since: moment, accept) else {
                        return false
                    }
                }
                rest = rest.dropFirst()
            }
        }
        return true
    }

    /// Passes one entry with attributes to `accept`; returns whether it was accepted.
    private func offer(
        _ node: Node, _ name: [UInt8], _ offset: UInt64, since moment: Moment,
        _ accept: (DirectoryEntry) -> Bool
    ) -> Bool {
        let entry = DirectoryEntry(
            name: name, inode: node.inode, kind: FileKind(node.kind), nextOffset: offset,
            entry: entries.found(node, since: moment))
        guard accept(entry) else {
            lookups.forget(node.inode, count: 1)
            return false
        }
        return true
    }

    /// The nodes of those names that are still in the folder.
    private func nodes(
        of folder: InodeID, _ lines: ArraySlice<DirectoryListing.Line>, _ listing: DirectoryListing
    ) throws -> [InodeID: Node] {
        try store.read { snapshot in
            var found: [InodeID: Node] = [:]
            for line in lines {
                guard let node = try snapshot.node(line.inode), let place = node.place,
                    place.parent == folder, listing.isName(place.name, of: line)
                else { continue }
                found[line.inode] = node
            }
            return found
        }
    }
}
