// One running operation: its task, its callbacks and its end. Not responsible for the work.

import DropboxAPI
import Synchronization

/// An operation's work: its end is JSON, or nothing.
struct Work: Sendable {
    let run: @Sendable (Run) async throws(BorderError) -> JSONText?
}

/// An operation that is running.
final class Run: Sendable {
    typealias Outcome = Result<JSONText?, BorderError>

    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
        /// The progress that waits for its callback.
        var progress: TransferProgress?
    }

    private let options: OperationOptions
    private let place: any CallbackPlace
    private let state = Mutex(State())

    /// An operation whose callbacks are called at a place.
    init(_ options: OperationOptions, at place: any CallbackPlace) {
        self.options = options
        self.place = place
    }

    /// Starts the work; `ended` is called once, at the place.
    func start(_ work: Work, ended: @escaping @Sendable (Outcome) -> Void) {
        options.cancel?.add(self)
        let task = Task.detached {
            let outcome: Outcome
            do throws(BorderError) {
                outcome = .success(try await work.run(self))
            } catch {
                outcome = .failure(error)
            }
            self.options.cancel?.remove(self)
            self.place.post(Callback { ended(outcome) })
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Ends the work early.
    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    /// Options of the operation's calls.
    var callOptions: CallOptions {
        var call = CallOptions(deadline: options.deadline)
        if options.progress != nil {
            call.progress = { [weak self] in self?.report($0) }
        }
        return call
    }

    /// Has the latest progress called back. A report that is not called back yet is replaced.
    private func report(_ progress: TransferProgress) {
        guard let callee = options.progress else { return }
        let isWaiting = state.withLock { state in
            defer { state.progress = progress }
            return state.progress != nil
        }
        guard !isWaiting else { return }
        place.post(
            Callback {
                let latest = self.state.withLock { state in
                    defer { state.progress = nil }
                    return state.progress
                }
                guard let latest else { return }
                callee.function(callee.context, latest.bytesDone, latest.bytesTotal ?? .max)
            })
    }

    /// Calls a callback and waits for what it returns: 0 to go on. A callback that will never be
    /// called ends the operation.
    func ask(_ callback: @escaping @Sendable () -> Int32) async -> Bool {
        guard !Task.isCancelled else { return false }
        let returned = await withCheckedContinuation {
            (waiter: CheckedContinuation<Int32, Never>) in
            place.post(
                Callback(
                    run: { waiter.resume(returning: callback()) },
                    drop: { waiter.resume(returning: -1) }))
        }
        return returned == 0
    }
}
