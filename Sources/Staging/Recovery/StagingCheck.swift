// At a start, verifies the staging files that the process before has left. If only the process
// died, all written bytes are there; after a power cut, only flushed ones. If the database is
// damaged or is an older copy, rows and files may not belong
// together: then a row is believed only if its file has not been touched since the row was written.
// Unverified content is put aside and never sent; the node gets its fallback, or keeps the server's
// version. Files that only the cache may still need are left for it; whether they are its content
// is Sync's to find out.

import Core
import Foundation
import Glibc
import LocalFiles
import MetadataStore
import Saturating
import SystemPackage

/// A staging file without a row, whose content the server has, or users have replaced or deleted.
package struct LeftoverFile: Hashable, Sendable {
    /// Number of the staging file.
    package var number: Int64
    /// Its size in bytes, more than 0.
    package var size: Int64
}

/// Compares rows and files once, before the mount serves requests.
struct StagingCheck {
    /// The result of a check.
    struct Outcome {
        /// The content that was put aside.
        var found: [LostContent] = []
        /// The files that may be the only copy of uploaded content here, in order.
        var leftovers: [LeftoverFile] = []
    }

    let directory: String
    let store: MetadataStore
    let lostAndFound: LostAndFound

    /// Puts unverified content aside, and removes empty files without a row.
    func run() throws -> Outcome {
        let system = SystemIdentity.current(of: directory)
        let (nodes, lastSystem) = try store.read { snapshot in
            (try snapshot.stagedNodes(), try snapshot.setting(StoredSetting.stagingSystem))
        }
        let evidence = StagingEvidence(
            isMemoryIntact: store.damage == nil && lastSystem != nil && lastSystem == system,
            isDatabaseIntact: store.damage == nil)
        var outcome = Outcome()
        if let damage = store.damage {
            let note = LostContent(damage: damage, at: WallTime.now())
            try lostAndFound.note(note, number: 0)
            outcome.found.append(note)
        }
        // A database from a backup may count up to the numbers of files that are there.
        let files = try files()
        try store.write { try $0.reserveStagingFiles(upTo: files.last ?? 0) }
        if evidence.isMemoryIntact { try renewStamps(of: nodes) }
        try announceDoubted(nodes, evidence)
        outcome.found.append(contentsOf: try putAside())
        let (known, ended) = try store.read { snapshot in
            (try snapshot.stagingFiles(), try snapshot.endedFiles())
        }
        try sortOut(files.filter { !known.contains($0) }, ended: ended, into: &outcome)
        // A name that comes back after a power cut must not be taken for that of lost content.
        let isGone = ended.isEmpty || (try? LostAndFound.flush(directory)) != nil
        // Nor must a leftover file, by the next start, if this process is killed before it is gone.
        let leftovers = outcome.leftovers.map(\.number)
        try store.write { transaction in
            try transaction.setSetting(StoredSetting.stagingSystem, to: system)
            if isGone { try transaction.forgetEndedFiles(besides: leftovers) }
            // From here on, reads find what the disk has.
            if !evidence.isMemoryIntact {
                try transaction.setSetting(StoredSetting.doubtfulFiles, to: nil)
            }
        }
        return outcome
    }

    // MARK: Rows

    /// Cuts the files that a killed process has changed after their rows were written, and notes
    /// their times: by the times of before, the next power cut would leave doubts about flushed
    /// content. That is flushed again; other content will be, by a call that tells its file of a
    /// failure. A file with a later time has other bytes than its row's generation had, so it gets
    /// the next one: a response to a request, or a pending copy, is of the bytes of before.
    private func renewStamps(of nodes: [Node]) throws {
        let renewed = nodes.compactMap { node -> (inode: InodeID, content: StagedContent)? in
            guard var content = node.staged, let stamp = content.stamp,
                let facts = FileFacts(at: path(of: content.file)),
                facts.size >= content.neededFileSize,
                facts.modified > stamp || facts.size > content.size,
                let time = cut(content.file, to: content.size, flushes: content.isFlushed)
            else { return nil }
            content.stamp = time
            if facts.modified > stamp { content.beginGeneration() }
            return (node.inode, content)
        }
        guard !renewed.isEmpty else { return }
        try store.write { transaction in
            for (inode, content) in renewed {
                _ = try transaction.updateStaged(content, of: inode, isNew: true)
            }
        }
    }

    /// Cuts off the bytes beyond a row's size, which are no content. Returns the file's time then;
    /// nil if the disk refuses it.
    private func cut(_ number: Int64, to size: Int64, flushes: Bool) -> WallTime? {
        let descriptor = open(path(of: number), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0,
            status.st_size <= size || ftruncate(descriptor, off_t(clamping: size)) == 0,
            !flushes || fsync(descriptor) == 0, fstat(descriptor, &status) == 0
        else { return nil }
        return WallTime(modificationTimeOf: status)
    }

    /// Ends the rows of content that cannot be verified, and announces its files in their place.
    /// Both are on the disk before a file is moved. Otherwise a power cut could leave a row that
    /// names a moved file, and the next start would take that content for lost.
    private func announceDoubted(_ nodes: [Node], _ evidence: StagingEvidence) throws {
        let doubted = try nodes.compactMap { node in
            try doubt(about: node, evidence).map { (node, $0) }
        }
        guard !doubted.isEmpty else { return }
        try store.write { transaction in
            for (node, aside) in doubted {
                try transaction.announceAside(aside)
                try end(node, evidence, in: transaction)
            }
        }
        try store.synchronize()
    }

    /// The announcement of a node's staging file; nil if it is verified.
    private func doubt(about node: Node, _ evidence: StagingEvidence) throws -> AsideFile? {
        guard let staged = node.staged else { return nil }
        let facts = FileFacts(at: path(of: staged.file))
        guard let reason = evidence.doubt(about: staged, facts) else { return nil }
        let names = try store.read { try $0.localPath(of: node.inode) }
        var lost = LostContent(
            size: staged.size, bytes: facts?.size ?? 0,
            modified: node.modified.seconds, found: WallTime.now().seconds, reason: reason)
        lost.path = names.map { $0.map { "/" + $0.text }.joined() }
        lost.base = staged.base?.revision.rawValue
        if staged.base != nil { lost.blocks = BlockBitmap(bytes: staged.blocks).members }
        return AsideFile(file: staged.file, note: try lost.text())
    }

    /// Gives a node the content that remains without its staging file.
    private func end(
        _ node: Node, _ evidence: StagingEvidence, in transaction: Transaction
    ) throws {
        if try returnToFallback(node, evidence, in: transaction) { return }
        guard let current = try transaction.node(node.inode) else { return }
        if current.remote == .absent, let base = current.staged?.base {
            // The server has lost it, too: the base revision remains.
            return try stageBase(base, of: current.inode, in: transaction)
        }
        try transaction.abandonStaged(of: current)
    }

    /// Moves the announced files. A start that was cut off may have moved some of them.
    private func putAside() throws -> [LostContent] {
        let announced = try store.read { try $0.filesToPutAside() }
        guard !announced.isEmpty else { return [] }
        var found: [LostContent] = []
        for aside in announced {
            let path = path(of: aside.file)
            let facts = FileFacts(at: path)
            let lost = LostContent(text: aside.note) ?? facts.map { LostContent(unknown: $0) }
            guard let lost else { continue }
            if lost.reason == .missing {
                try lostAndFound.note(lost, number: aside.file)
                found.append(lost)
            } else if facts != nil {
                found.append(try lostAndFound.take(path, number: aside.file, lost))
            }
        }
        try LostAndFound.flush(directory)
        try store.write { try $0.forgetAside() }
        return found
    }

    /// Makes the fallback the node's content again, if the disk has all of it.
    private func returnToFallback(
        _ node: Node, _ evidence: StagingEvidence, in transaction: Transaction
    ) throws -> Bool {
        guard let fallback = try transaction.fallback(of: node.inode),
            evidence.doubt(about: fallback, FileFacts(at: path(of: fallback.file))) == nil
        else { return false }
        try transaction.returnToFallback(node.inode)
        var local = node.local
        local.modified = fallback.stamp ?? local.modified
        try transaction.setLocal(local, of: node.inode)
        return true
    }

    private func stageBase(
        _ base: StagedContent.Base, of inode: InodeID, in transaction: Transaction
    ) throws {
        let number = try transaction.nextStagingFile()
        let path = path(of: number)
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw StagingError(code: errno) }
        close(descriptor)
        var whole = base
        whole.limit = base.size
        var content = StagedContent(
            file: number, size: base.size, generation: number << 32 | 1, base: whole, blocks: [])
        content.stamp = FileFacts(at: path)?.modified
        try transaction.replaceUnverified(of: inode, by: content)
    }

    // MARK: Files

    /// Handles files without a row. Empty ones are removed: their content has ended, or a
    /// transaction that was rolled back has left them. Those ended on purpose are leftovers. All
    /// others hold content that exists nowhere else, as far as is known.
    private func sortOut(
        _ files: [Int64], ended: Set<Int64>, into outcome: inout Outcome
    ) throws {
        var isReserved = false
        for number in files {
            let path = path(of: number)
            guard let facts = FileFacts(at: path) else { continue }
            if facts.size == 0 {
                unlink(path)
                continue
            }
            if ended.contains(number), store.damage == nil {
                outcome.leftovers.append(LeftoverFile(number: number, size: facts.size))
                continue
            }
            var lost = LostContent(unknown: facts)
            // The blocks without data may be those of a revision that was edited.
            lost.blocks = BlockBitmap(dataOf: path, size: facts.size)?.members
            // Its number is reserved on the disk, too: after a power cut only the moved file would
            // tell that it was used.
            if !isReserved { try store.synchronize() }
            isReserved = true
            outcome.found.append(try lostAndFound.take(path, number: number, lost))
        }
    }

    private func path(of number: Int64) -> String { "\(directory)/\(number)" }

    /// The numbers of all files, in order.
    private func files() throws(StagingError) -> [Int64] {
        do {
            return try namesOfFolder(directory).compactMap { Int64($0, radix: 10) }.sorted()
        } catch {
            throw StagingError(code: error.errno)
        }
    }
}

/// The evidence about the time since the last run. Pure.
struct StagingEvidence {
    /// The system has not lost its memory since the last run: all written bytes are there, flushed
    /// or not.
    var isMemoryIntact: Bool
    /// The rows are the latest ones.
    var isDatabaseIntact: Bool

    /// Why content cannot be verified; nil if it can.
    func doubt(about staged: StagedContent, _ file: FileFacts?) -> LostContent.Reason? {
        guard let file else { return staged.needsFile ? .missing : nil }
        guard file.size >= staged.neededFileSize else { return .short }
        if isMemoryIntact { return nil }
        // Written later than the row: the file has bytes that the row does not know.
        let isUntouched = staged.stamp.map { file.modified <= $0 } ?? isDatabaseIntact
        if !isDatabaseIntact {
            // The row may be older than the file.
            return isUntouched && file.size <= staged.size && staged.isFlushed ? nil : .changed
        }
        // An fsync was acknowledged: later bytes may be there or not, as on any local disk.
        if staged.promised > 0, staged.flushed >= staged.generation { return nil }
        // Rows of older versions have no stamp.
        if staged.stamp == nil { return nil }
        guard staged.isFlushed else { return .notFlushed }
        // A longer file has bytes that were cut off; the disk may not know that yet.
        return isUntouched ? nil : .changed
    }
}

extension StagedContent {
    /// Whether any byte of it is in the staging file.
    var needsFile: Bool { base == nil || blocks.contains { $0 != 0 } }

    /// Begins the generation of bytes whose hash is not known, flushed as those before.
    fileprivate mutating func beginGeneration() {
        // Not `isFlushed`, which an edit without a block is, too.
        let wasFlushed = flushed >= generation
        generation +|= 1
        hash = nil
        if wasFlushed { flushed = generation }
    }

    /// Minimum size of the staging file if it has all blocks of the row.
    var neededFileSize: Int64 {
        guard base != nil else { return size }
        guard let last = BlockBitmap(bytes: blocks).members.last else { return 0 }
        return min(StagedFile.blockSize *| (Int64(clamping: last) +| 1), size)
    }
}

extension LostContent {
    fileprivate init(damage: DatabaseDamage, at time: WallTime) {
        self.init(
            size: 0, bytes: 0, modified: time.seconds, found: time.seconds, reason: .database)
        detail = damage.description
    }

    /// A file without a row.
    fileprivate init(unknown facts: FileFacts) {
        self.init(
            size: facts.size, bytes: facts.size, modified: facts.modified.seconds,
            found: WallTime.now().seconds, reason: .unknown)
    }

    init(size: Int64, bytes: Int64, modified: Int64, found: Int64, reason: Reason) {
        self.size = size
        self.bytes = bytes
        self.modified = modified
        self.found = found
        self.reason = reason
    }
}
