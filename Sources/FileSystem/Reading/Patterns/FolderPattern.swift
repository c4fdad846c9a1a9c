// Recognises a reader that reads the files of a folder one after the other, and folder after
// folder. Pure: reads in, folders to fetch as a whole out.

import Core
import Saturating

/// The state of the folders whose files are being read.
struct FolderPattern {
    /// A folder that may be fetched as a whole, if its subtree is within the budget.
    struct Candidate: Hashable {
        var folder: InodeID
        /// Limit of the subtree in bytes.
        var budget: Int64
    }

    /// The folders above a file.
    struct Location: Hashable {
        var folder: InodeID
        /// The parent folder; nil for the root's files.
        var parent: InodeID?
    }

    private struct Walked {
        var parent: InodeID?
        var bytes: Int64
    }

    /// Files of one folder that are fetched alone before it becomes a candidate: a file and its
    /// neighbour may well be read by chance.
    private static let evidence = 3
    /// Folders read under one parent before that becomes the candidate.
    private static let siblings = 2
    /// Budget on the evidence of a few files: a round trip's worth at 1 Gbit/s is 6 MB.
    private static let initialBudget: Int64 = 4 << 20
    /// Budget as a multiple of the bytes that were read.
    private static let growth: Int64 = 4
    /// Seconds without a read after which the pattern starts afresh.
    private static let idleTimeout = 10.0
    /// Number of folders to remember.
    private static let memory = 64

    private var read: [InodeID: Set<InodeID>] = [:]
    private var walked: [InodeID: Walked] = [:]
    private var order: [InodeID] = []
    private var bytes: Int64 = 0
    /// Bytes fetched with folders, and perhaps not read.
    private var unread: Int64 = 0
    private var last: WallTime?

    /// Notes that a small file is about to be fetched. Returns candidates to fetch instead, of
    /// which the first suitable one is taken.
    mutating func note(
        _ file: InodeID, _ size: Int64, at location: Location, now: WallTime
    ) -> [Candidate] {
        if let last, now > last.adding(seconds: Self.idleTimeout) { self = FolderPattern() }
        last = now
        bytes +|= size +| unread
        unread = 0
        remember(location.folder)
        read[location.folder, default: []].insert(file)
        let budget = max(Self.initialBudget, Self.growth *| bytes)
        var candidates: [Candidate] = []
        let siblings = walked.values.count { $0.parent == location.parent && $0.parent != nil }
        if let parent = location.parent, siblings >= Self.siblings {
            candidates.append(Candidate(folder: parent, budget: budget))
        }
        if siblings > 0 || (read[location.folder]?.count ?? 0) >= Self.evidence {
            candidates.append(Candidate(folder: location.folder, budget: budget))
        }
        return candidates
    }

    /// Notes that a folder was fetched as a whole. Reads in another folder will confirm that it was
    /// wanted.
    mutating func noteFetched(_ location: Location, bytes: Int64) {
        unread +|= bytes
        remember(location.folder)
        walked[location.folder] = Walked(parent: location.parent, bytes: bytes)
    }

    private mutating func remember(_ folder: InodeID) {
        guard read[folder] == nil, walked[folder] == nil else { return }
        order.append(folder)
        if order.count > Self.memory {
            let oldest = order.removeFirst()
            read[oldest] = nil
            walked[oldest] = nil
        }
    }
}
