// What follows a refusal: a pause for everything, another time for one step, a look at what is there, or
// undoing it here. Which of them, `UploadReaction` decides.

import Core
import Logging
import MetadataStore
import RemoteStore

extension Uploader {
    /// How often what is missing on the server is waited for, because the news may tell that it was moved.
    private static let doubts = 2
    /// Seconds to wait for them.
    private static let newsDelay = 0.3

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
            let answer = await look(
                at: paths, believesAbsence: attempts >= Self.doubts, becauseOf: inode)
            if attempts < Self.doubts, case .success(let isAllThere) = answer {
                await postpone(
                    inode, by: isAllThere && attempts == 0 ? 0 : Self.newsDelay)
            } else {
                await postpone(inode, by: UploadReaction.delay(after: attempts))
            }
        case .undo(let problem):
            environment.log.warning(
                "a change was refused and is undone",
                metadata: ["step": "\(step.paths)", "reason": "\(problem)"])
            environment.state.update { $0.lastProblem = problem }
            await record { try $0.undo(step, of: inode) }
            // There may be nothing to undo, because what makes room for others and is deleted is not wanted
            // anywhere; or the way back is refused, too.
            await postpone(
                inode, by: UploadReaction.delay(after: attempts), after: attempts)
        case .restart:
            await postpone(inode, by: UploadReaction.delay(after: attempts) / 4)
        }
    }

    /// Sends nothing for a while after a failure that is no step's own.
    private func pause(after error: RemoteError) {
        let now = environment.clock.now()
        let reaction = UploadReaction(to: error, step: .settled, attempts: pauses)
        if case .pause(let seconds, let reason) = reaction {
            pause(for: seconds, reason, at: now)
        } else {
            let seconds = min(30, UploadReaction.delay(after: pauses))
            pause(for: seconds, .offline("\(error)"), at: now)
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

    private func postpone(
        _ inode: InodeID, by seconds: Double, problem: String? = nil, after attempts: Int = 0
    ) async {
        let due = environment.clock.now().adding(seconds: seconds)
        await attempt {
            try await self.environment.store.write {
                try $0.postpone(inode, until: due, problem: problem, after: attempts)
            }
        }
    }

    /// Asks what is at paths and brings it into the tree by the rules for deltas. A look, so that no
    /// commit is on its way whose answer would make this one out of date. Returns whether there was
    /// something at all paths; that something is missing is brought in only if that is to be believed.
    private func look(
        at paths: [RemotePath], believesAbsence: Bool, becauseOf inode: InodeID,
        _ body: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async -> RemoteOutcome<Bool> {
        await environment.gate.look {
            var answers: [(path: RemotePath, entry: RemoteEntry?)] = []
            for path in paths {
                do throws(RemoteError) {
                    answers.append((path, try await environment.remote.entry(at: path)))
                } catch {
                    return .failure(error)
                }
            }
            let found = answers
            let isRecorded = await record { recorder in
                try recorder.found(found, insteadOf: inode, believesAbsence: believesAbsence)
                try body(recorder.transaction)
            }
            return isRecorded
                ? .success(found.allSatisfy { $0.entry != nil })
                : .failure(.server("the local database failed"))
        }
    }

    /// Finds out what became of moves.
    func resolve(_ moves: [(id: Int64, inode: InodeID, target: String)]) async {
        for move in moves {
            let store = environment.store
            let source = await attempt {
                try await store.read { try $0.remotePath(of: move.inode) }
            }
            let paths = [move.target, source.flatMap { $0 }].compactMap { $0 }
            let outcome = await look(
                at: paths.map { RemotePath(rawValue: $0) }, believesAbsence: false,
                becauseOf: move.inode
            ) {
                try $0.forgetAttempt(move.id)
            }
            if case .failure(let error) = outcome {
                pause(after: error)
                break
            }
        }
        isResolving = false
        wake()
    }
}
