// The scheduler pass: which of the due steps start now, alone or in a batch. Pure: steps are
// offered one by one.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Saturating
import Tree

/// Steps of one kind that share requests.
struct StepBatch: Sendable {
    /// The kinds of batches.
    enum Kind: Hashable, Sendable, CaseIterable {
        case uploads, folders, deletions, moves, copies
        /// Sent one after the other, because the API has no batch of facts: as a batch, they leave
        /// the other connections to contents.
        case facts

        /// Whether no other step may be in flight: moves change which node is at a place.
        var isExclusive: Bool { self == .moves }

        /// Steps of a batch. Facts are a request each, and their nodes' contents wait until the
        /// batch ends.
        var limit: Int { self == .facts ? 8 : StepChoice.batchLimit }
    }

    /// A step of one node.
    struct Item: Sendable {
        var inode: InodeID
        var step: UploadStep
    }

    var kind: Kind
    var items: [Item] = []
    /// Sum of the contents' sizes.
    var bytes: Int64 = 0
}

/// A set of steps that may all be in flight at once.
struct StepChoice: Sendable {
    /// The server's limit for batches.
    static let batchLimit = 1000
    /// Bytes of content in a batch, which are held in memory while it is sent.
    static let batchBytes: Int64 = 32 << 20
    /// Number of small contents from which a batch, which takes three sequential requests, is
    /// better than concurrent single requests.
    static let smallestBatch = 4

    /// Long-running uploads at once: each takes all connections that help. Below the uploader's
    /// number of tasks, so that small files and moves do not wait for them.
    static let longRunningLimit = 3

    /// Nodes that are in flight, or chosen.
    private(set) var busy: Set<InodeID>
    /// Whether the journal has no further due entry.
    var isExhausted = false

    /// The journal's sequence number of the last examined entry.
    var lastExamined: Int64 = 0

    /// Number of steps that cannot start now. At a limit the choice ends, so that users'
    /// transactions come in between; the next choice continues there.
    private var passedOver = 0
    private static let passedOverLimit = 512

    /// The long-running uploads among `busy`, which check their path again before the commit.
    private let longRunning: Set<InodeID>
    private var longRunningCount: Int
    private let batching: Set<StepBatch.Kind>
    private let room: Int
    private var alone: [StepBatch.Item] = []
    private var gathered: [StepBatch.Kind: StepBatch] = [:]

    /// A choice beside the steps in flight, of which some are `longRunning`: `room` is
    /// the number of tasks that may start.
    init(
        busy: Set<InodeID>, longRunning: Set<InodeID> = [], batching: Set<StepBatch.Kind>, room: Int
    ) {
        self.busy = busy
        self.longRunning = longRunning
        longRunningCount = longRunning.count
        self.batching = batching
        self.room = room
    }

    /// Offers a step. Returns false if no more may be chosen after it.
    mutating func add(_ step: UploadStep, for inode: InodeID, attempts: Int) -> Bool {
        if step.isExclusive {
            return addExclusive(step, for: inode, attempts: attempts)
        }
        if gathered[.moves] != nil {
            passOver()
            return true
        }
        if step.isLongRunning {
            guard longRunningCount < Self.longRunningLimit else {
                passOver()
                return true
            }
            longRunningCount +|= 1
        }
        // Contents go first.
        if case .setFacts = step, gathered[.uploads] != nil || batching.contains(.uploads) {
            passOver()
            return true
        }
        // A step that failed in a batch is sent alone.
        guard attempts == 0, let kind = step.batchKind else { return addAlone(step, for: inode) }
        addToBatch(step, for: inode, of: kind)
        return true
    }

    private mutating func addAlone(_ step: UploadStep, for inode: InodeID) -> Bool {
        guard tasks < room else { return false }
        take(inode)
        alone.append(StepBatch.Item(inode: inode, step: step))
        return true
    }

    /// Adds a step to the batch of its kind, or passes it over while there is no room for it.
    private mutating func addToBatch(
        _ step: UploadStep, for inode: InodeID, of kind: StepBatch.Kind
    ) {
        guard !batching.contains(kind), gathered[kind] != nil || tasks < room else {
            passOver()
            return
        }
        var batch = gathered[kind] ?? StepBatch(kind: kind)
        guard batch.items.count < kind.limit,
            batch.items.isEmpty || batch.bytes +| step.contentBytes <= Self.batchBytes
        else {
            passOver()
            return
        }
        take(inode)
        batch.items.append(StepBatch.Item(inode: inode, step: step))
        batch.bytes +|= step.contentBytes
        gathered[kind] = batch
    }

    /// An exclusive step waits until it can be alone, and no step overtakes it. It does not wait
    /// for a long-running upload, which may take hours. Moves of files can share a batch, because
    /// no other node's path changes.
    private mutating func addExclusive(
        _ step: UploadStep, for inode: InodeID, attempts: Int
    ) -> Bool {
        let isTogether = attempts == 0 && step.batchKind == .moves
        if var batch = gathered[.moves] {
            guard isTogether, batch.items.count < Self.batchLimit else {
                passOver()
                return true
            }
            take(inode)
            batch.items.append(StepBatch.Item(inode: inode, step: step))
            gathered[.moves] = batch
            return true
        }
        guard busy.isSubset(of: longRunning), tasks < room else { return false }
        take(inode)
        let item = StepBatch.Item(inode: inode, step: step)
        if isTogether {
            gathered[.moves] = StepBatch(kind: .moves, items: [item])
        } else {
            alone.append(item)
        }
        return isTogether
    }

    /// Counts a node that cannot be sent yet.
    mutating func passOver() {
        passedOver +|= 1
    }

    private mutating func take(_ inode: InodeID) {
        busy.insert(inode)
    }

    /// Number of tasks, if each batch is one.
    private var tasks: Int { alone.count +| gathered.count }

    /// Whether enough entries for one transaction were examined.
    var isCutShort: Bool { passedOver >= Self.passedOverLimit }

    /// Whether no task and no batch has room for more, or enough entries were examined.
    var isFull: Bool {
        isCutShort
            || tasks >= room && gathered.values.allSatisfy { $0.items.count >= $0.kind.limit }
    }

    var isEmpty: Bool { alone.isEmpty && gathered.isEmpty }

    // MARK: The outcome

    /// The steps to send alone, including batches that would be too small.
    var singles: [(inode: InodeID, step: UploadStep)] {
        let lonely = gathered.values.filter { !isWorthwhile($0) }.flatMap(\.items)
        return [alone, lonely].joined().map { ($0.inode, $0.step) }
    }

    /// The steps to send in batches.
    var batches: [StepBatch] { gathered.values.filter(isWorthwhile) }

    private func isWorthwhile(_ batch: StepBatch) -> Bool {
        switch batch.kind {
        case .uploads:
            // A few contents are a batch, too, where there is no room for a task each.
            batch.items.count >= Self.smallestBatch
                || batch.items.count > 1 && tasks -| 1 +| batch.items.count > room
        case .folders, .deletions, .moves, .copies: batch.items.count > 1
        case .facts: true
        }
    }
}

/// The journal cursor: one pass through the journal, from where the last pass has ended to the end,
/// and then on from the beginning. It consists of choices that examine a limited number of entries.
/// So no transaction scans a long journal, and no entry waits forever behind others that cannot be
/// sent.
struct JournalRound {
    /// The sequence number after which the next choice begins.
    private(set) var place: Int64

    private let start: Int64
    private var hasPassedEnd = false

    init(start: Int64) {
        self.start = start
        place = start
    }

    /// Takes the outcome of a choice; returns whether to make another one.
    mutating func goesOn(after choice: StepChoice, isSending: Bool) -> Bool {
        if choice.isCutShort {
            place = choice.lastExamined
            if hasPassedEnd && place >= start { return false }
            // A step in flight will wake the uploader, which then continues from here.
            return !choice.isEmpty || !isSending
        }
        place = 0
        if choice.isExhausted {
            defer { hasPassedEnd = true }
            return start > 0 && !hasPassedEnd
        }
        return !choice.isEmpty
    }
}

extension UploadStep {
    /// Whether it is a long-running upload, which sends content for long before its commit.
    var isLongRunning: Bool {
        if case .upload(let upload) = self {
            upload.staged.size > Int64(ContentHasher.blockSize)
        } else {
            false
        }
    }

    /// The kind of batch for it; nil if it is sent alone.
    fileprivate var batchKind: StepBatch.Kind? {
        switch self {
        case .makeFolder: .folders
        case .deleteFile(_, let revision): revision == nil ? nil : .deletions
        // Missing blocks of a base may have to be fetched before the upload.
        case .upload(let upload):
            upload.staged.base == nil && upload.staged.size <= Int64(ContentHasher.blockSize)
                ? .uploads : nil
        case .copy: .copies
        case .setFacts: .facts
        case .move(let move): move.isFolder ? nil : .moves
        case .settled, .waitFor, .waitForWriters, .deleteFolder: nil
        }
    }

    fileprivate var contentBytes: Int64 {
        if case .upload(let upload) = self { upload.staged.size } else { 0 }
    }
}
