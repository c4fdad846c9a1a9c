// How far a full listing is, and whether the server goes on with it. Not responsible for pages, nor
// for pauses between them (`ChangeFeed`).

import Core
import MetadataStore
import Saturating

/// The progress of a full listing, page by page or folder by folder.
struct ListingProgress {
    /// Consecutive failures of the full listing before folders are listed one by one.
    static let mostFailures = 3

    /// Consecutive pages without new entries.
    private var emptyPages = ServerPace()
    /// Consecutive failures of the full listing.
    private var failures = 0
    /// The last listed folder, while listing folder by folder; 0 at the begin of a round.
    private(set) var lastFolder = InodeID(0)

    /// Whether the last page had new entries, or was the last one.
    var isMovingOn: Bool { emptyPages.count == 0 }

    /// Whether a round of folders has begun, so that there may be new ones behind the present one.
    var isInRound: Bool { lastFolder.rawValue > 0 }

    /// The delay before the next page, in seconds.
    func pause(atMost limit: Double) -> Double { emptyPages.pause(atMost: limit) }

    /// Notes an applied page. `isMovingOn`: it had new entries, or was the last one.
    mutating func notePage(isMovingOn: Bool) {
        failures = 0
        if isMovingOn { emptyPages.forget() } else { emptyPages.note() }
    }

    /// Notes a refusal of the full listing. Returns whether it was one too many: then the count
    /// begins anew.
    mutating func noteRefusal() -> Bool {
        failures +|= 1
        guard failures >= Self.mostFailures else { return false }
        failures = 0
        return true
    }

    /// Begins a round of folders.
    mutating func beginRound() { lastFolder = InodeID(0) }

    mutating func noteListed(upTo folder: InodeID) { lastFolder = folder }
}
