// Which of the due steps start now, alone or together. Pure: steps are offered one by one.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

/// Steps of one kind that travel in the same requests.
struct StepBatch: Sendable {
    /// What can travel together.
    enum Kind: Hashable, Sendable, CaseIterable {
        case uploads, folders, deletions, moves, copies

        /// Whether nothing else may be on its way: what is at a place may have gone there from another.
        var isExclusive: Bool { self == .moves }
    }

    /// A step of one node.
    struct Item: Sendable {
        var inode: InodeID
        var step: UploadStep
    }

    var kind: Kind
    var items: [Item] = []
    /// Bytes of content.
    var bytes: Int64 = 0
}

/// A choice of steps that may all be on their way at once.
struct StepChoice: Sendable {
    /// The server's limit for all kinds of batches.
    static let batchLimit = 1000
    /// Bytes of content in a batch: they are held in memory while they are sent.
    static let batchBytes: Int64 = 32 << 20
    /// From how many small contents on a batch, which takes three requests one after the other, is
    /// better than a request for each, side by side.
    static let smallestBatch = 4

    /// Big files on their way at once: each takes all connections that help, and what is small is not to
    /// wait for them.
    static let patientLimit = 3

    /// Nodes that are on their way, or chosen.
    private(set) var busy: Set<InodeID>
    /// Whether there is nothing else to choose from.
    var isExhausted = false

    /// The journal's sequence number up to which was looked.
    var lastLookedAt: Int64 = 0

    /// Steps that cannot start now. After so many the choice ends, so that users' changes come in
    /// between, and the next one goes on from there.
    private var passedOver = 0
    private static let passedOverLimit = 512

    /// Those of them that take long to send and look again, in the end, where to.
    private let patient: Set<InodeID>
    private var patientCount: Int
    private let batching: Set<StepBatch.Kind>
    private let room: Int
    private var alone: [StepBatch.Item] = []
    private var gathered: [StepBatch.Kind: StepBatch] = [:]

    /// A choice beside what is on its way, some of which is `patient`: `room` is how many tasks may
    /// start.
    init(
        busy: Set<InodeID>, patient: Set<InodeID> = [], batching: Set<StepBatch.Kind>, room: Int
    ) {
        self.busy = busy
        self.patient = patient
        patientCount = patient.count
        self.batching = batching
        self.room = room
    }

    /// Offers a step. Returns false when nothing more may be chosen after it.
    mutating func add(_ step: UploadStep, for inode: InodeID, attempts: Int) -> Bool {
        if step.isExclusive {
            return addExclusive(step, for: inode, attempts: attempts)
        }
        if gathered[.moves] != nil {
            passOver()
            return true
        }
        if step.isPatient {
            guard patientCount < Self.patientLimit else {
                passOver()
                return true
            }
            patientCount += 1
        }
        // What failed in company goes alone.
        guard attempts == 0, let kind = step.batchKind else {
            guard tasks < room else { return false }
            take(inode)
            alone.append(StepBatch.Item(inode: inode, step: step))
            return true
        }
        guard !batching.contains(kind), gathered[kind] != nil || tasks < room else {
            passOver()
            return true
        }
        var batch = gathered[kind] ?? StepBatch(kind: kind)
        guard batch.items.count < Self.batchLimit,
            batch.items.isEmpty || batch.bytes + step.contentBytes <= Self.batchBytes
        else {
            passOver()
            return true
        }
        take(inode)
        batch.items.append(StepBatch.Item(inode: inode, step: step))
        batch.bytes += step.contentBytes
        gathered[kind] = batch
        return true
    }

    /// It waits until it can be alone, and nothing overtakes it. Not for a big file that may be on its way
    /// for hours. Files can move together, because no path but their own changes.
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
        guard busy.isSubset(of: patient), tasks < room else { return false }
        take(inode)
        let item = StepBatch.Item(inode: inode, step: step)
        if isTogether {
            gathered[.moves] = StepBatch(kind: .moves, items: [item])
        } else {
            alone.append(item)
        }
        return isTogether
    }

    /// A node that cannot be sent yet.
    mutating func passOver() {
        passedOver += 1
    }

    private mutating func take(_ inode: InodeID) {
        busy.insert(inode)
    }

    private var tasks: Int { alone.count + gathered.count }

    /// Whether enough was looked at for one transaction.
    var isCutShort: Bool { passedOver >= Self.passedOverLimit }

    /// Whether no task and no batch has room for more, or enough was looked at.
    var isFull: Bool {
        isCutShort
            || tasks >= room && gathered.values.allSatisfy { $0.items.count >= Self.batchLimit }
    }

    var isEmpty: Bool { alone.isEmpty && gathered.isEmpty }

    // MARK: The outcome

    /// What goes alone: also what would be too small a batch.
    var singles: [(inode: InodeID, step: UploadStep)] {
        let lonely = gathered.values.filter { !isWorthwhile($0) }.flatMap(\.items)
        return (alone + lonely).map { ($0.inode, $0.step) }
    }

    /// What goes together.
    var batches: [StepBatch] { gathered.values.filter(isWorthwhile) }

    private func isWorthwhile(_ batch: StepBatch) -> Bool {
        switch batch.kind {
        case .uploads: batch.items.count >= Self.smallestBatch
        case .folders, .deletions, .moves, .copies: batch.items.count > 1
        }
    }
}

/// One walk through the journal, in choices of limited length, from where the last walk was left to the
/// end and on from the beginning. So no look at a long journal takes long, and no entry waits for ever
/// behind others that cannot be sent.
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
            place = choice.lastLookedAt
            if hasPassedEnd && place >= start { return false }
            // What is on its way will wake the uploader, which then goes on from here.
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
    /// Whether it sends content for long before it commits it.
    var isPatient: Bool {
        if case .upload(let upload) = self {
            upload.staged.size > Int64(ContentHasher.blockSize)
        } else {
            false
        }
    }

    /// Which steps it can travel with; nil when it goes alone.
    fileprivate var batchKind: StepBatch.Kind? {
        switch self {
        case .makeFolder: .folders
        case .deleteFile(_, let revision): revision == nil ? nil : .deletions
        // Content over a base may have to be fetched before it can be sent.
        case .upload(let upload):
            upload.staged.base == nil && upload.staged.size <= Int64(ContentHasher.blockSize)
                ? .uploads : nil
        case .copy: .copies
        case .move(let move): move.isFolder ? nil : .moves
        case .settled, .waitFor, .waitForWriters, .deleteFolder: nil
        }
    }

    fileprivate var contentBytes: Int64 {
        if case .upload(let upload) = self { upload.staged.size } else { 0 }
    }
}
