// How far a full listing is, and whether the server goes on with it. Not responsible for pages, nor
// for pauses between them (`ChangeFeed`).

import Core
import MetadataStore
import Saturating

/// The progress of a full listing, page by page or folder by folder.
struct ListingProgress {
    /// Consecutive failures of the full listing before folders are listed one by one.
    static let mostFailures = 3
    /// Entries that the server may always tell again.
    private static let fewestRepeats = 10_000

    /// Consecutive pages that do not bring the listing on.
    private var emptyPages = ServerPace()
    /// Entries that the listing has had for the first time.
    private var listed = 0
    /// Entries that it has had again, because other clients have changed their nodes since.
    private var repeated = 0
    /// Consecutive failures of the full listing.
    private var failures = 0
    /// The last listed folder, while listing folder by folder; 0 at the begin of a round.
    private(set) var lastFolder = InodeID(0)

    /// Whether the last page has brought the listing on.
    var isMovingOn: Bool { emptyPages.count == 0 }

    /// Whether a round of folders has begun, so that there may be new ones behind the present one.
    var isInRound: Bool { lastFolder.rawValue > 0 }

    /// The delay before the next page, in seconds.
    func pause(atMost limit: Double) -> Double { emptyPages.pause(atMost: limit) }

    /// Notes an applied page. It brings the listing on if some of its entries are new, if it is the
    /// last one, or if each node may have changed once since it was listed: a server that tells
    /// the same for ever is asked less and less often.
    mutating func notePage(entries: Int, newlySeen: Int, isLast: Bool) {
        failures = 0
        listed +|= newlySeen
        repeated +|= max(0, entries -| newlySeen)
        let mayBeChanged = entries > 0 && repeated <= max(Self.fewestRepeats, listed)
        if newlySeen > 0 || isLast || mayBeChanged {
            emptyPages.forget()
        } else {
            emptyPages.note()
        }
        if isLast { (listed, repeated) = (0, 0) }
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
