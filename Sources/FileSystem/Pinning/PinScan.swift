// The result of a scan of the pinned part of the tree. Pure: rows in, totals and contents to check
// out.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Saturating

/// How much is pinned, and how much of that is cached.
package struct PinTotals: Hashable, Sendable {
    /// Number of pinned files.
    package var files = 0
    /// Sum of their sizes as users see them.
    package var bytes: Int64 = 0
    /// Files that can be read without the network.
    package var presentFiles = 0
    /// Sum of their sizes.
    package var presentBytes: Int64 = 0
    /// Files that cannot be downloaded (cloud documents).
    package var unavailableFiles = 0
    /// Sum of their sizes.
    package var unavailableBytes: Int64 = 0
    /// Bytes of distinct contents: their space in the cache.
    package var contentBytes: Int64 = 0

    /// Creates totals of 0.
    package init() {}

    /// Files that are still to be fetched.
    package var missingFiles: Int { files -| presentFiles -| unavailableFiles }
    /// Sum of their sizes.
    package var missingBytes: Int64 { bytes -| presentBytes -| unavailableBytes }
}

/// A pinned content that may not be cached.
struct WantedContent: Hashable, Sendable {
    var content: FileVersion
    /// A file with this content, for messages.
    var inode: InodeID
    /// Number of pinned files with this content.
    var files = 1
}

/// The results of earlier scans.
struct KnownContents: Sendable {
    /// Contents that are cached as a whole, and pinned.
    var present: Set<ContentHash> = []
    /// Contents whose download the server refuses.
    var refused: Set<ContentHash> = []
}

/// One scan. For its unknown contents the disk is checked afterwards.
struct PinScan: Sendable {
    /// Contents of one scan: bounds the memory of their list to some 15 MB. A later scan finds the
    /// rest.
    static let limit = 50_000

    private let known: KnownContents
    private let limit: Int
    private(set) var totals = PinTotals()
    /// Contents that the cache must keep.
    private(set) var hashes: Set<ContentHash> = []
    /// Contents not known to be cached, in tree order.
    private(set) var unknown: [WantedContent] = []
    private var places: [ContentHash: Int] = [:]
    /// Whether the limit cut off further contents.
    private(set) var isCut = false

    init(known: KnownContents, limit: Int = Self.limit) {
        self.known = known
        self.limit = limit
    }

    mutating func add(_ file: PinnedFile) {
        totals.files +|= 1
        totals.bytes +|= file.size
        if file.isStaged {
            // Its bytes are in a staging file. Its base, and the content that it becomes when it is
            // uploaded, are only protected from eviction.
            hashes.formUnion([file.hash, file.stagedHash].compactMap(\.self))
            return notePresent(file)
        }
        guard file.isDownloadable, let hash = file.hash, let revision = file.revision,
            !known.refused.contains(hash)
        else {
            totals.unavailableFiles +|= 1
            totals.unavailableBytes +|= file.size
            return
        }
        guard file.size > 0 else { return notePresent(file) }
        if hashes.insert(hash).inserted { totals.contentBytes +|= file.size }
        if known.present.contains(hash) {
            notePresent(file)
        } else if let place = places[hash] {
            unknown[place].files +|= 1
        } else if unknown.count < limit {
            places[hash] = unknown.count
            let content = FileVersion(revision: revision, hash: hash, size: file.size)
            unknown.append(WantedContent(content: content, inode: file.inode))
        } else {
            isCut = true
        }
    }

    private mutating func notePresent(_ file: PinnedFile) {
        totals.presentFiles +|= 1
        totals.presentBytes +|= file.size
    }
}
