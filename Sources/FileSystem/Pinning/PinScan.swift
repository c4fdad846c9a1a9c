// What a look at the pinned part of the tree finds. Pure: rows in, sums and open questions out.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

/// How much is pinned, and how much of that is here.
public struct PinTotals: Hashable, Sendable {
    /// Files, and their bytes as users see them.
    public var files = 0
    /// Bytes of these files.
    public var bytes: Int64 = 0
    /// Files that can be read without the network.
    public var presentFiles = 0
    /// Bytes of these files.
    public var presentBytes: Int64 = 0
    /// Files that cannot be downloaded (cloud documents).
    public var unavailableFiles = 0
    /// Bytes of these files.
    public var unavailableBytes: Int64 = 0
    /// Bytes of contents, each counted once: what they take of the cache.
    public var contentBytes: Int64 = 0

    /// Starts with nothing.
    public init() {}

    /// Files that are still to be fetched.
    public var missingFiles: Int { files -| presentFiles -| unavailableFiles }
    /// Bytes of these files.
    public var missingBytes: Int64 { bytes -| presentBytes -| unavailableBytes }
}

/// A content that is pinned and may not be here.
struct WantedContent: Hashable, Sendable {
    var content: FileContent
    /// A file that has it, for messages.
    var inode: InodeID
    /// How many pinned files have it.
    var files = 1
}

/// What is known of contents from before.
struct KnownContents: Sendable {
    /// Contents that are here whole, and pinned.
    var present: Set<ContentHash> = []
    /// Contents that the server refuses to hand out.
    var refused: Set<ContentHash> = []
}

/// One look. What is still unknown of it is found on the disk afterwards.
struct PinScan: Sendable {
    /// Contents that are dealt with at a time: bounds the memory that a list of them takes to some
    /// 15 MB. The rest is found when these are here.
    static let limit = 50_000

    private let known: KnownContents
    private let limit: Int
    private(set) var totals = PinTotals()
    /// What the cache is to keep.
    private(set) var hashes: Set<ContentHash> = []
    /// Contents of which it is not known whether they are here, in the order of the tree.
    private(set) var unknown: [WantedContent] = []
    private var places: [ContentHash: Int] = [:]
    /// Whether there are more of them than the limit.
    private(set) var isCut = false

    init(known: KnownContents, limit: Int = Self.limit) {
        self.known = known
        self.limit = limit
    }

    mutating func add(_ file: PinnedFile) {
        totals.files +|= 1
        totals.bytes +|= file.size
        if file.isStaged {
            // Its bytes are in a staging file. What lies below them, and what that file becomes when
            // it is sent, is only not to be evicted.
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
            let content = FileContent(revision: revision, hash: hash, size: file.size)
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
