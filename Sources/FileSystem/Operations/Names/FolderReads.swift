// Opening and reading folders.

import Core
import MetadataStore
import Saturating
import Staging
import Sync
import Tree

/// Reads folders for the kernel.
final class FolderReads: Sendable {
    private let store: MetadataStore
    private let staging: StagingArea
    private let sync: any Syncing
    private let attempts: StoreAttempts
    private let entries: KernelEntries
    private let lookups: NodeLookups
    private let keeper: ContentKeeper
    private let invalidator: KernelInvalidator
    /// The names that readers are in the middle of.
    let listings: DirectoryListings
    /// Thumbnails for file managers; nil if none are made.
    private let thumbnails: FolderThumbnails?
    /// The name of the caller's program, if it can be known.
    private let programName: @Sendable (CallingProcess) -> String?
    private let work: LocalWork

    init(
        store: MetadataStore, staging: StagingArea, sync: any Syncing, attempts: StoreAttempts,
        entries: KernelEntries, lookups: NodeLookups, keeper: ContentKeeper,
        invalidator: KernelInvalidator,
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
        self.invalidator = invalidator
        self.thumbnails = thumbnails
        self.listings = listings
        self.programName = programName
        self.work = work
    }

    /// Opens a folder; waits until its listing is complete.
    func open(_ inode: InodeID) -> Answer<OpenedDirectory> {
        attempts.answer { known in
            try self.requireListing(of: self.store.readBriefly { try $0.existing(inode) }, known)
            // Also without a network the kernel may keep a listing: each change is announced.
            // Thumbnails are made for the folders that a program opens. And while listings are
            // waited for, opendir is the place for their errors: many programs take a readdir
            // that fails for the end of the folder.
            let isLast = known.isTreeComplete && self.thumbnails == nil
            return OpenedDirectory(cachesListing: known.isTreeComplete, isLast: isLast)
        }
    }

    private func requireListing(of folder: Node, _ known: KnownFolders) throws {
        guard folder.kind == .folder else { throw FileSystemError.notADirectory }
        if folder.flags.contains(.noAccess) { throw FileSystemError.accessDenied }
        if folder.place != nil || folder.inode == .root {
            try known.requireListing(of: folder)
        }
    }

    /// Has thumbnails made for a folder that a file manager of the mount's user has opened.
    func noteVisit(at folder: InodeID, by caller: CallingProcess) {
        guard let thumbnails, thumbnails.serves(caller.userID), let program = programName(caller)
        else { return }
        thumbnails.noteVisit(at: folder, by: program)
    }

    /// Passes entries from an offset on to `accept` until it returns false; waits until the
    /// folder's listing is complete. Fails only if no entry was accepted.
    func read(
        _ inode: InodeID, _ read: DirectoryRead,
        accept: @escaping @Sendable (DirectoryEntry) -> Bool
    ) -> Answer<Void> {
        attempts.answer { known in
            var reader = Reader(folder: inode, read: read, known: known, accept: accept)
            do {
                try self.serve(&reader)
            } catch {
                // The kernel has to get the entries whose lookups are counted. It asks again behind
                // the last one.
                guard reader.count > 0 else { throw error }
                _ = self.work.failure(error)
            }
            if read.offset == 0 { self.invalidator.inodes.noteListingBegun(inode) }
            guard reader.count == 0 else { return }
            self.listings.noteEnd(of: inode)
            self.invalidator.noteListed(inode, fillsPages: reader.fillsKernelPages)
        }
    }

    /// One call of a reader.
    private struct Reader {
        let folder: InodeID
        let read: DirectoryRead
        let known: KnownFolders
        let accept: (DirectoryEntry) -> Bool
        /// Number of entries that were accepted.
        var count = 0
        /// Whether all names of the folder fill the kernel's pages.
        var fillsKernelPages = false

        /// Entries with attributes that may fit into the buffer: each takes 152 bytes and its name.
        var room: Int { max(16, min(512, read.size / 160)) }

        /// Passes an entry on; returns whether it was accepted.
        mutating func offer(_ entry: DirectoryEntry) -> Bool {
            guard accept(entry) else { return false }
            count +|= 1
            return true
        }
    }

    private func serve(_ reader: inout Reader) throws {
        var position = reader.read.offset
        while true {
            let (names, moment) = try names(for: reader, at: position)
            guard offerDots(in: names.listing.parent, from: position, &reader) else { return }
            let rest = names.listing.lines(behind: max(position, DirectoryListing.dots))
            let hasRoom =
                reader.read.withEntries
                ? try offerEntries(rest, names, since: moment, &reader)
                : offerNames(rest, names.listing, &reader)
            // A reply without names would be the end of the folder.
            guard hasRoom, let end = names.listing.end else {
                if reader.count == 0 { reader.fillsKernelPages = names.listing.fillsKernelPages }
                return
            }
            position = end
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

    // MARK: Names

    /// Names of a folder, and the nodes of all of them if they were read together.
    private struct Names {
        var listing: DirectoryListing
        var nodes: [InodeID: Node] = [:]
    }

    /// The names that a reader at an offset gets next, and the moment from before the nodes were
    /// read. A reader that begins gets the names of this moment; one that continues, those that are
    /// kept.
    private func names(for reader: Reader, at offset: UInt64) throws -> (Names, Moment) {
        let moment = entries.moment()
        let folder = reader.folder
        guard offset == 0 else {
            if let kept = listings.listing(of: folder, at: offset) {
                return (Names(listing: kept), moment)
            }
            let start = listings.start(in: folder, for: offset)
            let names = try readNames(for: reader, behind: start, nodes: 0)
            if names.listing.covers(offset) { return (names, moment) }
            return (try readNames(for: reader, behind: offset, nodes: 0), moment)
        }
        let limit = reader.read.withEntries ? reader.room : 0
        let kept = listings.first(of: folder, at: store.version, longerThan: limit)
        if let kept { return (Names(listing: kept), moment) }
        return (try readNames(for: reader, behind: 0, nodes: limit), moment)
    }

    /// Names behind an offset from the store, and their nodes too if there are at most `limit` in
    /// the folder.
    private func readNames(
        for reader: Reader, behind start: UInt64, nodes limit: Int
    ) throws -> Names {
        let (version, ticket) = (store.version, listings.ticket())
        let names = try store.read { try self.namesInStore(for: reader, behind: start, limit, $0) }
        listings.keep(names.listing, of: reader.folder, at: version, ticket)
        return names
    }

    private func namesInStore(
        for reader: Reader, behind start: UInt64, _ limit: Int, _ snapshot: Snapshot
    ) throws -> Names {
        let folder = reader.folder
        let node = try snapshot.existing(folder)
        try requireListing(of: node, reader.known)
        let parent = node.place?.parent ?? .root
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

    /// Passes "." and ".." on; returns whether there is room for more.
    private func offerDots(
        in parent: InodeID, from offset: UInt64, _ reader: inout Reader
    ) -> Bool {
        guard offset < DirectoryListing.dots else { return true }
        let dots = [(NodeLookups.ownName, reader.folder), (NodeLookups.folderName, parent)]
        return dots.enumerated().dropFirst(Int(clamping: offset)).allSatisfy { number, dot in
            reader.offer(
                DirectoryEntry(
                    name: dot.0, inode: dot.1, kind: .directory,
                    nextOffset: UInt64(clamping: number +| 1), entry: nil))
        }
    }

    /// Passes names on; returns whether there is room for more.
    private func offerNames(
        _ lines: ArraySlice<DirectoryListing.Line>, _ listing: DirectoryListing,
        _ reader: inout Reader
    ) -> Bool {
        for line in lines {
            let entry = DirectoryEntry(
                name: listing.name(of: line), inode: line.inode, kind: FileKind(line.kind),
                nextOffset: line.offset, entry: nil)
            guard reader.offer(entry) else { return false }
        }
        return true
    }

    /// Passes entries with attributes on, from the nodes of `names` if it has them, else from the
    /// store; returns whether there is room for more.
    private func offerEntries(
        _ lines: ArraySlice<DirectoryListing.Line>, _ names: Names, since start: Moment,
        _ reader: inout Reader
    ) throws -> Bool {
        var rest = lines
        while !rest.isEmpty {
            let isKnown = !names.nodes.isEmpty
            let piece = isKnown ? rest : rest.prefix(reader.room)
            let moment = isKnown ? start : self.entries.moment()
            let nodes = isKnown ? names.nodes : try nodes(of: reader.folder, piece, names.listing)
            for line in piece {
                // A node that left the folder since its names were read is skipped.
                if let node = nodes[line.inode] {
                    let name = names.listing.name(of: line)
                    guard offer(node, name, line.offset, since: moment, &reader) else {
                        return false
                    }
                }
                rest = rest.dropFirst()
            }
        }
        return true
    }

    /// Passes one entry with attributes on; returns whether it was accepted.
    private func offer(
        _ node: Node, _ name: [UInt8], _ offset: UInt64, since moment: Moment,
        _ reader: inout Reader
    ) -> Bool {
        let entry = DirectoryEntry(
            name: name, inode: node.inode, kind: FileKind(node.kind), nextOffset: offset,
            entry: entries.found(node, since: moment))
        guard reader.offer(entry) else {
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
