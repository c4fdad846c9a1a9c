// The state of all pins, as commands and metrics show it.

package import Core

/// The state of all pins.
package struct PinSummary: Sendable {
    /// A content that is being fetched.
    package struct Fetch: Hashable, Sendable {
        /// A file with this content.
        package var inode: InodeID
        /// Its size in bytes.
        package var bytes: Int64
        /// Bytes that are cached already.
        package var fetched: Int64
    }

    /// Totals over all pins.
    package var totals: PinTotals
    /// The contents being fetched.
    package var fetches: [Fetch]
    /// The last error; nil after a successful fetch.
    package var problem: String?
    /// Whether no missing content can be fetched for now.
    package var isStuck: Bool
    /// Whether pinned content exceeds the cache limit.
    package var exceedsCache: Bool
}
