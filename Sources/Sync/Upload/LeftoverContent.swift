// Content that an earlier process had uploaded, and was killed before the cache had it: its staging
// files become the cache's at the next start, so that it is not downloaded. Not responsible for
// finding the files, which is Staging's, nor for content that the server lacks, which has a row.

import Blocking
import ContentHashing
import Core
import Logging
import MetadataStore
import Saturating
import Staging
import Synchronization

/// Gives leftover staging files to the cache, as far as the server has their content, and removes
/// the others.
struct LeftoverContent: Sendable {
    /// A file that may be the content of a node on the server.
    struct Candidate: Sendable {
        var file: LeftoverFile
        /// The hashes of all contents of its size.
        var hashes: Set<ContentHash>
    }

    /// The contents that the server has of files here, and those of them that are pinned.
    private struct Known: Sendable {
        var hashes: [Int64: Set<ContentHash>] = [:]
        var pinned: Set<ContentHash> = []

        init(sizes: Set<Int64>, in snapshot: Snapshot) throws {
            hashes = try snapshot.contents(ofSizes: sizes)
            let all = hashes.values.reduce(into: Set()) { $0.formUnion($1) }
            try snapshot.forEachPinnedFile { file in
                if let hash = file.hash, all.contains(hash) { pinned.insert(hash) }
            }
        }
    }

    let account: SyncedAccount
    /// The most files and bytes that are adopted before a mount answers: as many files as a batch
    /// has, and bytes that take a part of a second.
    var first = (files: StepChoice.batchLimit, bytes: Int64(64) << 20)

    /// Gives the first files to the cache, so that no reader comes before them, and returns the
    /// rest, for `adopt`. If the database fails, all stay for the next start.
    func adoptFirst() async -> [Candidate] {
        let files = account.staging.leftovers
        guard !files.isEmpty else { return [] }
        let sizes = Set(files.map(\.size))
        let known = await account.local.attempt {
            try await account.store.read { try Known(sizes: sizes, in: $0) }
        }
        guard let known else { return [] }
        // Pins are restored after the mount answers, and a full cache would evict what it has just
        // got.
        for hash in known.pinned { account.cache.pin(hash, true) }
        var (chosen, rest): ([Candidate], [Candidate]) = ([], [])
        var bytes: Int64 = 0
        for file in files {
            // Without hashes it is removed at once, and takes no time.
            let candidate = Candidate(file: file, hashes: known.hashes[file.size] ?? [])
            let total = bytes +| (candidate.hashes.isEmpty ? 0 : file.size)
            if chosen.count < first.files, total <= first.bytes {
                chosen.append(candidate)
                bytes = total
            } else {
                rest.append(candidate)
            }
        }
        account.log.info(
            "an earlier process has left staging files",
            metadata: ["files": "\(files.count)", "later": "\(rest.count)"])
        await adopt(chosen)
        return rest
    }

    /// Gives files to the cache, one after the other, and removes a file that the cache does not
    /// take. A task that is cancelled ends after a block at most; the rest is left for the next
    /// start.
    func adopt(_ candidates: [Candidate]) async {
        let cancellation = Cancellation()
        await withTaskCancellationHandler {
            for candidate in candidates {
                await account.disk.run { [self] in adopt(candidate, cancellation) }
            }
        } onCancel: {
            cancellation.note()
        }
    }

    private func adopt(_ candidate: Candidate, _ cancellation: Cancellation) {
        guard !cancellation.hasHappened else { return }
        let (staging, file) = (account.staging, candidate.file)
        if !candidate.hashes.isEmpty {
            account.cache.adopt(
                path: staging.path(of: file.number), size: file.size, anyOf: candidate.hashes
            ) { cancellation.hasHappened }
        }
        if !cancellation.hasHappened { staging.removeFile(file.number) }
    }
}

/// Whether a task was cancelled, for work on other threads.
private final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var hasHappened: Bool { flag.load(ordering: .relaxed) }

    func note() { flag.store(true, ordering: .relaxed) }
}
