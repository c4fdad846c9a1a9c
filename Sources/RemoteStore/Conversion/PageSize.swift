// How many entries the listings of an account ask for in a page. Not responsible for the limit of
// bytes, which is the client's, nor for listing again.

import DropboxAPI
import Synchronization

/// The number of entries in a page, made smaller for accounts with very long paths while the
/// process lives. Cursors keep theirs on the server, so that a stored one needs no number here.
final class PageSize: Sendable {
    /// Lock: a leaf; memory only.
    private let entries = Mutex(ListingRules.longestPage)

    /// The number of entries to ask for.
    var current: UInt32 { entries.withLock { $0 } }

    /// Makes pages smaller after one that was asked for with `used` had too many bytes, unless
    /// another listing has done so since. Returns false if they are as small as they can be.
    func shrink(from used: UInt32) -> Bool {
        entries.withLock { entries in
            if entries < used { return true }
            guard let smaller = ListingRules.smallerPage(than: used) else { return false }
            entries = smaller
            return true
        }
    }
}
