// How far a listing of the whole account is, and what there is to expect of it.

import Core
import MetadataStore
import Mounting
import RemoteStore
import Sync

/// The listing of a mount's account.
struct MountListing: Sendable {
    let plan: MountPlan
    let store: MetadataStore
    let engine: SyncEngine

    /// The listing that is running; nil without one.
    var current: ListingStatus? {
        let sync = engine.status
        guard sync.isListing else { return nil }
        let now = SystemClock().now()
        return status(sync, known: (try? store.nodeCount(at: now)) ?? 0, at: now)
    }

    /// The listing that is running, in an account of which `known` entries are known.
    func status(_ sync: SyncStatus, known: Int, at now: WallTime) -> ListingStatus? {
        guard sync.isListing, let began = sync.listingBegan else { return nil }
        var listing = ListingStatus(
            seconds: now.seconds(since: began), isFirst: !sync.isTreeComplete,
            entries: sync.listedEntries, bytes: sync.listedBytes)
        if sync.isTreeComplete { listing.expectedEntries = known }
        // A team's space has files that the mount does not show, and a folder is not all of the
        // account.
        if let space = sync.space, space.isPersonal, plan.source.remotePath.isEmpty,
            plan.settings.root == .home
        {
            listing.expectedBytes = space.used
        }
        return listing
    }
}
