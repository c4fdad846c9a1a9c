// Choosing the next node: from a due journal entry to the node that it waits for. Not responsible
// for a node's step (`UploadPlanner.swift`) nor for batches.

package import Core
package import MetadataStore
import Staging

extension UploadPlanner {
    /// Seconds until a node is examined again whose rows name nothing to send. A change of the node
    /// makes it due at once.
    private static let examinationPause = 60.0
    /// The problem of such a node.
    static let nothingToSend = Problem.lasting("there is nothing that could be sent")

    /// Skips an entry whose new parent folder was found to wait: many levels of new folders would
    /// cost as many queries for each level that is sent.
    package mutating func decide(
        from entry: JournalEntry, at now: WallTime, busy: Set<InodeID>
    ) throws -> (inode: InodeID, step: UploadStep)? {
        if let folder = entry.unsentFolder, waiting.contains(folder) {
            waiting.insert(entry.inode)
            return nil
        }
        return try decide(from: entry.inode, at: now, busy: busy)
    }

    /// The step to send for a node, or for the one that it waits for, directly or not; nil if there
    /// is none now. `busy` nodes are in flight already.
    package mutating func decide(
        from start: InodeID, at now: WallTime, busy: Set<InodeID>
    ) throws -> (inode: InodeID, step: UploadStep)? {
        var visited: [InodeID] = []
        var found: Set<InodeID> = []
        var settled: Set<InodeID> = []
        var current = start
        while !busy.contains(current), !waiting.contains(current) {
            guard found.insert(current).inserted else { return try breakCycle(of: visited) }
            visited.append(current)
            let step = try step(for: current, busy: busy)
            switch step {
            case .waitFor(let other):
                guard try isDue(other, at: now) else {
                    waiting.formUnion(visited)
                    return nil
                }
                current = other
            case .waitForWriters:
                try transaction.reschedule(current, due: now.adding(seconds: 1))
                waiting.formUnion(visited)
                return nil
            case .settled:
                let node = try transaction.node(current)
                if node?.staged != nil { return (current, step) }
                if let node, node.isOwed {
                    try noteNothingToSend(node, at: now)
                    waiting.formUnion(visited)
                    return nil
                }
                guard current != start else { return nil }
                guard settled.insert(current).inserted else {
                    // Waits for a node without a step, which a delta may change.
                    try transaction.reschedule(start, due: now.adding(seconds: 1))
                    return nil
                }
                current = start
                (visited, found) = ([], [])
            case .makeFolder, .upload, .copy, .move, .setFacts, .deleteFile, .deleteFolder:
                return (current, step)
            }
        }
        // A chain of folders is examined once, and not again from each of them.
        waiting.formUnion(visited)
        return nil
    }

    /// Whether a node may be sent now, for which another node waits. A node that this transaction
    /// has changed is not in the journal yet, and a node without unsent changes never is.
    private func isDue(_ inode: InodeID, at now: WallTime) throws -> Bool {
        if let entry = try transaction.journalEntry(of: inode) { return entry.due <= now }
        return try transaction.node(inode).map { !$0.flags.contains(.localOnly) } ?? false
    }

    /// Handles a node in the journal without a possible step: the rows contradict each other, or
    /// its content is lost. It stays in the journal, where users find it, and is examined again
    /// after a while.
    private func noteNothingToSend(_ node: Node, at now: WallTime) throws {
        let facts = StagedContent.Base(whole: node.facts)
        if node.kind == .file, node.remote == .absent, node.place != nil, let base = facts {
            // The server's last revision can still be read.
            _ = try staging.begin(node.inode, base: base, size: base.size, in: transaction)
            return try transaction.reschedule(node.inode, due: now.adding(seconds: 1))
        }
        try transaction.postpone(
            node.inode, until: now.adding(seconds: Self.examinationPause),
            problem: Self.nothingToSend)
    }
}
