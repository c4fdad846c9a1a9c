// What follows a refusal: a pause for everything, another time for one step, a look at what is there, or
// undoing it here. Which of them, `UploadReaction` decides.

import Core
import Logging
import MetadataStore
import RemoteStore

extension Uploader {
    func react(to error: RemoteError, step: UploadStep, inode: InodeID) async {
        let store = environment.store
        let now = environment.clock.now()
        let entry = await attempt { try await store.read { try $0.journalEntry(of: inode) } }
        let attempts = entry.flatMap { $0 }?.attempts ?? 0
        let reaction = UploadReaction(to: error, step: step, attempts: max(attempts, pauses))
        environment.log.debug(
            "step refused",
            metadata: ["step": "\(step.paths)", "error": "\(error)", "reaction": "\(reaction)"])
        switch reaction {
        case .pause(let seconds, let reason):
            pause(for: seconds, reason, at: now)
        case .retry(let seconds, let problem):
            environment.state.update { $0.lastProblem = problem }
            await postpone(inode, by: seconds, problem: problem)
            if error == .insufficientSpace { await noteFull() }
        case .refresh(let paths):
            await refresh(paths)
            await postpone(inode, by: attempts == 0 ? 0 : UploadReaction.delay(after: attempts))
        case .undo(let problem):
            environment.log.warning(
                "a change was refused and is undone",
                metadata: ["step": "\(step.paths)", "reason": "\(problem)"])
            environment.state.update { $0.lastProblem = problem }
            await record { try $0.undo(step, of: inode) }
        case .restart:
            await postpone(inode, by: UploadReaction.delay(after: attempts) / 4)
        }
    }

    private func pause(for seconds: Double, _ reason: UploadReaction.Pause, at now: Timestamp) {
        // Steps that fail together are one reason to wait, not many.
        guard pausedUntil <= now else { return }
        pauses += 1
        pausedUntil = now.adding(seconds: seconds)
        environment.state.update { status in
            switch reason {
            case .offline(let text):
                status.connection = .offline
                status.lastProblem = text
            case .authentication(let text):
                status.connection = .authenticationRequired
                status.lastProblem = text
            case .rateLimit: break
            }
        }
    }

    private func postpone(_ inode: InodeID, by seconds: Double, problem: String? = nil) async {
        let due = environment.clock.now().adding(seconds: seconds)
        await attempt {
            try await self.environment.store.write {
                try $0.postpone(inode, until: due, problem: problem)
            }
        }
    }

    /// Asks what is at paths and brings it into the tree by the rules for deltas. A look, so that no
    /// commit is on its way whose answer would make this one out of date.
    private func refresh(_ paths: [RemotePath]) async {
        await environment.gate.look {
            var entries: [RemoteEntry] = []
            for path in paths {
                do throws(RemoteError) {
                    let known = try await environment.remote.entry(at: path)
                    if let entry = known ?? RemoteEntry(deleted: path) { entries.append(entry) }
                } catch {
                    // Not known now; the step will be refused again and ask again.
                    return
                }
            }
            let found = entries
            await record { try $0.apply(found) }
        }
    }
}
