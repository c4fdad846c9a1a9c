// Recognises somebody who reads the files of a folder one after the other, and folder after folder. Pure:
// reads in, folders to fetch as a whole out.

import Core

/// What is known of the folders whose files are being read.
struct FolderPattern {
    /// A folder that may be fetched as a whole, if everything below it is not more than that.
    struct Candidate: Hashable {
        var folder: InodeID
        /// Bytes.
        var budget: Int64
    }

    /// Where a file is.
    struct Location: Hashable {
        var folder: InodeID
        /// The folder above; nil for the root's files.
        var parent: InodeID?
    }

    private struct Walked {
        var parent: InodeID?
        var bytes: Int64
    }

    /// Files of one folder that are fetched one by one before it is taken for a walk: a file and its
    /// neighbour may well be read by chance.
    private static let evidence = 3
    /// Folders read under one parent before that is the candidate.
    private static let siblings = 2
    /// What may be fetched on the evidence of a few files: a round trip's worth at 1 Gbit/s is 6 MB.
    private static let initialBudget: Int64 = 4 << 20
    /// How much more than what was read already may be fetched.
    private static let growth: Int64 = 4
    /// Seconds without a read after which whoever comes is somebody else.
    private static let patience = 10.0
    /// Folders that are remembered.
    private static let memory = 64

    private var read: [InodeID: Set<InodeID>] = [:]
    private var walked: [InodeID: Walked] = [:]
    private var order: [InodeID] = []
    private var bytes: Int64 = 0
    /// Fetched, and perhaps not read.
    private var unread: Int64 = 0
    private var last: Timestamp?

    /// Notes that a small file is about to be fetched. Returns the folders to fetch instead, the first
    /// that fits.
    mutating func note(
        _ file: InodeID, _ size: Int64, at location: Location, now: Timestamp
    ) -> [Candidate] {
        if let last, now > last.adding(seconds: Self.patience) { self = FolderPattern() }
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

    /// A folder has been fetched as a whole. That it was wanted, reading on in another one will tell.
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
