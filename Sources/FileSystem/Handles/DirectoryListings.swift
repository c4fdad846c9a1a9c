// The listings of open folders: one for all handles that read the same, and together no more than
// a budget. Not responsible for reading them from the store: `FolderReads`.

import Core
import Saturating
import Synchronization

/// The listings that handles read in several calls.
///
/// Any process that may open a folder may open it thousands of times. So a listing belongs to no
/// handle: beyond the budget, those that were read longest ago are given up, and a handle without a
/// listing has it read again from where it is. It loses no name by that (see `DirectoryListing`).
final class DirectoryListings: Sendable {
    /// A part of a folder's names.
    fileprivate struct Key: Hashable {
        var folder: InodeID
        var start: UInt64
    }

    fileprivate struct Kept {
        var key: Key
        var listing: DirectoryListing
        /// A version of the store that has these names; nil if none is known.
        var version: UInt64?
        /// Number of handles that read it.
        var handles = 0
        var lastUse: UInt64 = 0
    }

    fileprivate struct State {
        var kept: [UInt64: Kept] = [:]
        var newest: [Key: UInt64] = [:]
        var byteCount = 0
        var lastNumber: UInt64 = 0
        var lastUse: UInt64 = 0
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
    var count: Int { state.withLock { $0.kept.count } }
    /// Their memory in bytes.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// The listing that a handle reads, unless it was given up.
    func listing(of handle: DirectoryHandle) -> DirectoryListing? {
        guard let number = handle.listing else { return nil }
        return state.withLock { $0.use(number) }
    }

    /// The listing of a folder from an offset on, if one is kept that is up to date at this version
    /// of the store.
    func current(
        _ folder: InodeID, behind start: UInt64, at version: UInt64?
    ) -> DirectoryListing? {
        guard let version else { return nil }
        let key = Key(folder: folder, start: start)
        return state.withLock { state in
            guard let kept = state.newest(key), kept.version == version else { return nil }
            return kept.listing
        }
    }

    /// Notes that a handle reads this listing from now on. Returns the one to read: an equal one
    /// that is kept already, or this. `version` is the store's from before the listing was read.
    func keep(
        _ listing: DirectoryListing, for handle: DirectoryHandle, at version: UInt64?
    ) -> DirectoryListing {
        let key = Key(folder: handle.inode, start: listing.start)
        let known = state.withLock { $0.newest(key)?.listing }
        // Compared outside of the lock, because it may be megabytes.
        let isSame = known.map { $0 === listing || $0.isSame(as: listing) } ?? false
        let shared = isSame ? known ?? listing : listing
        let number = state.withLock { state in
            let number = state.add(shared, key, at: version)
            state.giveUp(beyond: budget)
            return number
        }
        if let last = handle.replaceListing(number, start: shared.start, end: shared.end) {
            state.withLock { $0.leave(last) }
        }
        return shared
    }

    /// Notes that a handle is closed.
    func release(_ handle: DirectoryHandle) {
        if let number = handle.listing { state.withLock { $0.leave(number) } }
    }
}

extension DirectoryListings.State {
    fileprivate func newest(_ key: DirectoryListings.Key) -> DirectoryListings.Kept? {
        newest[key].flatMap { kept[$0] }
    }

    fileprivate mutating func use(_ number: UInt64) -> DirectoryListing? {
        lastUse +|= 1
        kept[number]?.lastUse = lastUse
        return kept[number]?.listing
    }

    /// Adds a handle to a listing. Returns the listing's number.
    fileprivate mutating func add(
        _ listing: DirectoryListing, _ key: DirectoryListings.Key, at version: UInt64?
    ) -> UInt64 {
        let number: UInt64
        if let same = newest[key], kept[same]?.listing === listing {
            number = same
        } else {
            lastNumber +|= 1
            number = lastNumber
            kept[number] = DirectoryListings.Kept(key: key, listing: listing)
            newest[key] = number
            byteCount +|= listing.byteCount
        }
        if let version { kept[number]?.version = version }
        kept[number]?.handles +|= 1
        _ = use(number)
        return number
    }

    /// Takes a handle from a listing, which goes with the last one.
    fileprivate mutating func leave(_ number: UInt64) {
        guard let handles = kept[number]?.handles else { return }
        if handles > 1 { kept[number]?.handles = handles -| 1 } else { remove(number) }
    }

    /// Removes the listings that were read longest ago, and some more than necessary, so that
    /// sorting is rare.
    fileprivate mutating func giveUp(beyond budget: Int) {
        guard byteCount > budget else { return }
        let goal = budget / 4 *| 3
        for (number, _) in kept.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if byteCount <= goal { return }
            remove(number)
        }
    }

    private mutating func remove(_ number: UInt64) {
        guard let removed = kept.removeValue(forKey: number) else { return }
        byteCount -|= removed.listing.byteCount
        if newest[removed.key] == number { newest[removed.key] = nil }
    }
}
