// Carrying out the reaction to a refusal: a pause, a retry, a metadata read, or undoing the change
// here. `UploadReaction` decides which.

import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Tree

extension Uploader {
    /// Number of retries for a node that is missing on the server, because a delta may contain its
    /// move.
    private static let doubts = 2
    /// Refusals that no metadata read explains, after which `status` shows the last one.
    private static let unexplainedRefusals = 6
    /// Seconds to wait for that delta.
    private static let deltaDelay = 0.3

    func react(to error: SyncError, step: UploadStep, inode: InodeID) async {
        let now = account.clock.now()
        let entry = await journalEntry(of: inode)
        let attempts = entry?.attempts ?? 0
        let reaction = UploadReaction(to: error, step: step, attempts: max(attempts, pause.count))
        account.log.debug(
            "step refused",
            metadata: ["step": "\(step.paths)", "error": "\(error)", "reaction": "\(reaction)"])
        switch reaction {
        case .pause(let seconds, let reason):
            suspend(for: seconds, reason, at: now)
        case .retry(let seconds, let problem):
            account.state.update { $0.lastProblem = problem.text }
            if entry?.problem != problem.text { note(problem.text, with: step) }
            await postpone(inode, by: seconds, problem: problem)
            if error == .remote(.insufficientSpace) {
                await quota.noteFull(refused: step.contentSize)
            }
        case .wait(let seconds): await postpone(inode, by: seconds)
        case .refresh: await refresh(inode, step, refused: error, after: attempts)
        case .undo(let reason): await undo(inode, step, because: reason, after: attempts)
        case .keepHere:
            account.log.notice(
                "a mode, attribute or link stays on this machine",
                metadata: ["path": "\(step.paths)", "reason": "\(error)"])
            await account.recorder.record { try $0.keepFactsHere(of: inode) }
        case .split: await split(inode, step, after: attempts)
        case .restart:
            await postpone(inode, by: UploadReaction.delay(after: attempts) / 4)
        }
    }

    private func journalEntry(of inode: InodeID) async -> JournalEntry? {
        let store = account.store
        let entry = await account.local.attempt {
            try await store.read { try $0.journalEntry(of: inode) }
        }
        return entry.flatMap { $0 }
    }

    /// Applies the present places of a step's nodes. The step is decided again at once, or after a
    /// delta that may contain a move.
    private func refresh(
        _ inode: InodeID, _ step: UploadStep, refused error: SyncError, after attempts: Int
    ) async {
        // A feed that fails cannot report a move.
        let isFeedFailing = account.state.current.isFeedFailing
        let answer = await metadataReads.read(
            for: step, of: inode, believesAbsence: attempts >= Self.doubts && !isFeedFailing)
        if attempts < Self.doubts, case .success(let isAllThere) = answer {
            await postpone(inode, by: isAllThere && attempts == 0 ? 0 : Self.deltaDelay)
        } else {
            let isUnexplained = attempts >= Self.unexplainedRefusals
            await postpone(
                inode, by: UploadReaction.delay(after: attempts),
                problem: isUnexplained ? UploadReaction.unexplained(error) : nil)
        }
    }

    private func undo(
        _ inode: InodeID, _ step: UploadStep, because reason: String, after attempts: Int
    ) async {
        account.log.warning(
            "a change was refused and is undone",
            metadata: ["step": "\(step.paths)", "reason": "\(reason)"])
        account.state.update { $0.lastProblem = reason }
        note(reason, with: step)
        await account.recorder.record { try $0.undo(step, of: inode) }
        // `undo` may be a no-op (a tombstone under a temporary name has no place to return to) or
        // be refused itself; back off in either case.
        await postpone(inode, by: UploadReaction.delay(after: attempts), after: attempts)
    }

    private func note(_ problem: String, with step: UploadStep) {
        let path = step.paths.first.map(\.description) ?? ""
        account.activities?.note(.refused(path: path, problem: problem))
    }

    /// Has a folder moved in parts that the server does not move at once. One that cannot be waits,
    /// with the reason, for users to change it, or for others to make it smaller.
    private func split(_ inode: InodeID, _ step: UploadStep, after attempts: Int) async {
        let (log, now) = (account.log, account.clock.now())
        let recorded = await account.recorder.record { results in
            let split = try results.split(inode)
            log.notice(
                "a folder has too many entries to be moved at once",
                metadata: ["step": "\(step.paths)", "outcome": "\(split)"])
            if split == .isSplit { return }
            let seconds = split.problem == nil ? UploadReaction.delay(after: attempts) : 3600
            try results.transaction.postpone(
                inode, until: now.adding(seconds: seconds), problem: split.problem)
        }
        if case .failure = recorded {
            return await postpone(inode, by: UploadReaction.delay(after: attempts))
        }
        if let problem = await journalEntry(of: inode)?.problem {
            account.state.update { $0.lastProblem = problem }
        }
    }

    /// Suspends uploads after a failure that no step has caused.
    func suspend(after error: SyncError) {
        let now = account.clock.now()
        let seconds = min(30, UploadReaction.delay(after: pause.count))
        if case .local(let failure) = error {
            return suspend(for: seconds, .local(failure.problem), at: now)
        }
        switch UploadReaction(to: error, step: .settled, attempts: pause.count) {
        case .pause(let seconds, let reason): suspend(for: seconds, reason, at: now)
        default: suspend(for: seconds, .offline("\(error)"), at: now)
        }
    }

    private func suspend(
        for seconds: Double, _ reason: UploadReaction.Pause, at now: WallTime
    ) {
        guard pause.begin(at: now, seconds: seconds) else { return }
        account.state.update { status in
            switch reason {
            case .offline(let text):
                status.connection = .offline
                status.lastProblem = text
            case .authentication(let text):
                status.connection = .authenticationRequired
                status.lastProblem = text
            case .local(let text): status.lastProblem = text
            case .rateLimit: break
            }
        }
    }

    private func postpone(
        _ inode: InodeID, by seconds: Double, problem: Problem? = nil, after attempts: Int = 0
    ) async {
        let now = account.clock.now()
        let due = now.adding(seconds: seconds)
        let done: Void? = await account.local.attempt {
            try await self.account.store.write {
                try $0.postpone(inode, until: due, problem: problem, after: attempts)
            }
        }
        // It is still due, and would be tried again at once.
        if done == nil { _ = pause.begin(at: now, seconds: Self.failurePause) }
    }
}

extension FolderSplit {
    /// Why the folder waits; nil if nothing is wrong.
    var problem: Problem? {
        switch self {
        case .isSplit, .isNotListed: nil
        case .changesOnlyCase:
            .lasting(
                "the folder has more entries than Dropbox moves at once, and its names differ only in case: "
                    + "rename it to another name first")
        case .isShared:
            .lasting(
                "the folder has more entries than Dropbox moves at once, and a shared one is not moved in parts"
            )
        case .isDeleted:
            .lasting("a deleted folder has more entries than Dropbox moves out of the way at once")
        }
    }
}
