// The listings that readers of folders are in the middle of: one for all readers of a folder, and
// together no more than a budget. Not responsible for reading them from the store: `FolderReads`.

import Core
import Saturating
import Synchronization

/// The listings of folders that are read in several calls.
///
/// The kernel does not tell which calls belong to one reader, nor when it stops. So a listing
/// belongs to its folder: it stays until its readers have reached the end, or another reads the
/// folder anew. Beyond the budget, those that were read longest ago are given up. A reader without
/// a listing has it read again from where it is, and loses no name by that (see
/// `DirectoryListing`).
final class DirectoryListings: Sendable {
    /// A part of a folder's names.
    fileprivate struct Part {
        var listing: DirectoryListing
        /// A version of the store that has these names; nil if none is known.
        var version: UInt64?
        var lastUse: UInt64 = 0
    }

    fileprivate struct Folder {
        var parts: [Part] = []
        /// Number of readers that have begun and not ended, as far as that is known.
        var readers = 0
    }

    fileprivate struct State {
        var folders: [InodeID: Folder] = [:]
        var byteCount = 0
        var lastUse: UInt64 = 0
        var lastTicket: UInt64 = 0
        /// Names that were read before this ticket are not kept.
        var oldestTicket: UInt64 = 0
    }

    /// A moment before names are read from the store.
    struct Ticket {
        fileprivate let number: UInt64
    }

    /// Bytes that all listings may have.
    let budget: Int
    /// Lock rank 4 (see `OpenFiles`), held for dictionary accesses.
    private let state = Mutex(State())

    init(budget: Int) {
        self.budget = budget
    }

    /// Bytes that one listing should have: many readers of large folders have room.
    var listingSize: Int { budget / 8 }

    /// Number of listings that are kept.
    var count: Int { state.withLock { $0.folders.values.reduce(0) { $0 +| $1.parts.count } } }
    /// Their memory in bytes.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// The listing for a reader that begins, with more than `limit` names: it must have those of
    /// this version of the store.
    func first(
        of folder: InodeID, at version: UInt64?, longerThan limit: Int
    ) -> DirectoryListing? {
        guard let version else { return nil }
        return state.withLock { state in
            let first = state.use(folder) { part in
                part.listing.start == 0 && part.version == version
                    && part.listing.lines.count > limit
            }
            if first != nil { state.noteBeginning(of: folder, after: state.lastTicket) }
            return first
        }
    }

    /// The listing for a reader that continues at an offset.
    func listing(of folder: InodeID, at offset: UInt64) -> DirectoryListing? {
        state.withLock { state in state.use(folder) { $0.listing.covers(offset) } }
    }

    /// Where a listing for a reader at this offset should start: behind one that is kept, so that
    /// readers of the same folder have the same listings.
    func start(in folder: InodeID, for offset: UInt64) -> UInt64 {
        let ends = state.withLock { $0.folders[folder]?.parts.compactMap(\.listing.end) ?? [] }
        return ends.filter { $0 <= offset }.max() ?? offset
    }

    /// To be taken before names are read from the store.
    func ticket() -> Ticket {
        state.withLock { state in
            state.lastTicket +|= 1
            return Ticket(number: state.lastTicket)
        }
    }

    /// Keeps a listing, unless a reader has begun since the ticket: it would continue in names from
    /// before its beginning. `version` is the store's from before the names were read. The first
    /// listing of a folder ends the others.
    func keep(
        _ listing: DirectoryListing, of folder: InodeID, at version: UInt64?, _ ticket: Ticket
    ) {
        state.withLock { state in
            guard ticket.number > state.oldestTicket else { return }
            let readers = state.folders[folder]?.readers ?? 0
            state.remove(folder) { $0.listing.start == listing.start || listing.start == 0 }
            state.add(Part(listing: listing, version: version), of: folder)
            state.folders[folder]?.readers = readers
            if listing.start == 0 { state.noteBeginning(of: folder, after: ticket.number) }
            state.giveUp(beyond: budget)
        }
    }

    /// Notes that a reader has reached the end of a folder.
    func noteEnd(of folder: InodeID) {
        state.withLock { $0.noteEnd(of: folder) }
    }
}

extension DirectoryListings.State {
    fileprivate mutating func use(
        _ folder: InodeID, where isWanted: (DirectoryListings.Part) -> Bool
    ) -> DirectoryListing? {
        guard let index = folders[folder]?.parts.firstIndex(where: isWanted) else { return nil }
        lastUse +|= 1
        folders[folder]?.parts[index].lastUse = lastUse
        return folders[folder]?.parts[index].listing
    }

    fileprivate mutating func noteBeginning(of folder: InodeID, after ticket: UInt64) {
        oldestTicket = max(oldestTicket, ticket)
        folders[folder]?.readers +|= 1
    }

    fileprivate mutating func noteEnd(of folder: InodeID) {
        // A listing that was read before would stay, with no reader to end it.
        oldestTicket = lastTicket
        guard let readers = folders[folder]?.readers, readers <= 1 else {
            folders[folder]?.readers -|= 1
            return
        }
        remove(folder) { _ in true }
    }

    fileprivate mutating func add(_ part: DirectoryListings.Part, of folder: InodeID) {
        lastUse +|= 1
        var part = part
        part.lastUse = lastUse
        byteCount +|= part.listing.byteCount
        folders[folder, default: .init()].parts.append(part)
    }

    fileprivate mutating func remove(
        _ folder: InodeID, where isRemoved: (DirectoryListings.Part) -> Bool
    ) {
        guard let parts = folders[folder]?.parts else { return }
        for part in parts where isRemoved(part) { byteCount -|= part.listing.byteCount }
        folders[folder]?.parts.removeAll(where: isRemoved)
        if folders[folder]?.parts.isEmpty ?? true { folders[folder] = nil }
    }

    /// Removes the listings that were read longest ago, and some more than necessary, so that
    /// sorting is rare.
    fileprivate mutating func giveUp(beyond budget: Int) {
        guard byteCount > budget else { return }
        let goal = budget / 4 *| 3
        let uses = folders.flatMap { folder, kept in kept.parts.map { (folder, $0.lastUse) } }
        for (folder, use) in uses.sorted(by: { $0.1 < $1.1 }) {
            if byteCount <= goal { return }
            remove(folder) { $0.lastUse == use }
        }
    }
}
