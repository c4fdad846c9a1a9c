// The work of a request while its handlers come and go: it waits for its start, keeps its result
// until there is a handler for it, and ends early when it is cancelled. Not responsible for its
// content.

import Dispatch
import Foundation
import Synchronization

// Sendable: a handler is an app's closure, which is called once, on the queue that the app named,
// as in the API it is written for.
/// Reads a result and calls the app.
struct RequestCompletion: @unchecked Sendable {
    let queue: DispatchQueue?
    /// Reads the result, off the app's queue; the closure that it returns calls the app.
    let prepare: (RequestResult) -> () -> Void
}

// Sendable: as RequestCompletion; its calls follow each other on one queue.
/// Tells the app how far the content has come.
struct RequestProgress: @unchecked Sendable {
    let call: (Progress) -> Void
}

// Sendable: it is handed from one queue to the next, and called there once.
/// A closure between two threads.
struct HandedOver: @unchecked Sendable {
    let call: () -> Void
}

/// A request that waits for its start, is under way, or has ended.
final class RequestWork: Sendable {
    /// Holds the function that does the work.
    struct Operation: Sendable {
        let run: @Sendable (RequestWork) async -> RequestResult
    }

    private struct State {
        /// Nil once it runs.
        var operation: Operation?
        var task: Task<Void, Never>?
        var result: RequestResult?
        var completion: RequestCompletion?
        var progress: RequestProgress?
        /// Counts that the handler has not been told.
        var counts: (done: Int64, total: Int64)?
        var isReporting = false
        /// While the handler runs.
        var isTelling = false
        var clientString: String?
        var earliestStart: Date?
    }

    /// Where results are read: that may take long, and files may be moved.
    static let readers = DispatchQueue(
        label: "SwiftyDropbox.results", qos: .userInitiated, attributes: .concurrent)

    /// Held for an access only.
    private let state: Mutex<State>
    private let progress = Progress(totalUnitCount: -1)
    /// Whether the handler is called by the one who finishes it, before `finish` returns.
    private let answersInPlace: Bool

    /// A request that a test finishes: what the handler does is done when the test goes on.
    init() {
        state = Mutex(State())
        answersInPlace = true
    }

    private init(_ operation: Operation) {
        state = Mutex(State(operation: operation))
        answersInPlace = false
    }

    /// A request that waits for its start, and does this.
    convenience init(_ run: @escaping @Sendable (RequestWork) async -> RequestResult) {
        self.init(Operation(run: run))
    }

    /// Starts the operation, unless it was before.
    func start() {
        state.withLock { state in
            guard let operation = state.operation else { return }
            state.operation = nil
            state.task = Task { self.finish(await operation.run(self)) }
        }
    }

    // MARK: From the operation

    func finish(_ result: RequestResult) {
        let completion = state.withLock { state in
            guard state.result == nil else { return nil as RequestCompletion? }
            state.result = result
            return state.completion
        }
        if let completion { deliver(result, to: completion) }
    }

    func report(done: UInt64, total: UInt64?) {
        let queue = state.withLock { state in
            state.counts = (Int64(clamping: done), total.map { Int64(clamping: $0) } ?? -1)
            guard state.progress != nil, !state.isReporting else { return nil as DispatchQueue? }
            state.isReporting = true
            return state.completion?.queue ?? LibrarySettings.responseQueue
        }
        if let queue { queue.async { self.tellProgress(on: queue) } }
    }

    /// Calls the handler with the latest counts, and again while there are newer ones: never twice
    /// at the same time, on any queue.
    private func tellProgress(on queue: DispatchQueue) {
        if tellCounts(isReport: true) { queue.async { self.tellProgress(on: queue) } }
    }

    /// Calls the handler with the latest counts; false when there are none, or while it is called.
    @discardableResult
    private func tellCounts(isReport: Bool) -> Bool {
        let told = state.withLock { state in
            if isReport { state.isReporting = false }
            guard !state.isTelling, let handler = state.progress, let counts = state.counts else {
                return nil as (handler: RequestProgress, done: Int64, total: Int64)?
            }
            state.counts = nil
            state.isTelling = true
            if isReport { state.isReporting = true }
            return (handler, counts.done, counts.total)
        }
        guard let told else { return false }
        progress.totalUnitCount = told.total
        progress.completedUnitCount = told.done
        told.handler.call(progress)
        state.withLock { $0.isTelling = false }
        return true
    }

    /// Calls the app with the result, after its progress: the last counts may have come while
    /// others were told.
    private func complete(_ call: () -> Void) {
        tellCounts(isReport: false)
        call()
    }

    private func deliver(_ result: RequestResult, to completion: RequestCompletion) {
        if answersInPlace { return completion.prepare(result)() }
        let queue = completion.queue ?? LibrarySettings.responseQueue
        guard LibrarySettings.readsInBackground else {
            return queue.async { self.complete(completion.prepare(result)) }
        }
        Self.readers.async {
            let call = HandedOver(call: completion.prepare(result))
            queue.async { self.complete(call.call) }
        }
    }

    // MARK: From the app

    func setCompletion(_ completion: RequestCompletion) {
        let result = state.withLock { state in
            state.completion = completion
            return state.result
        }
        if let result { deliver(result, to: completion) }
        start()
    }

    func setProgress(_ handler: RequestProgress) {
        state.withLock { $0.progress = handler }
    }

    func cancel() {
        let task = state.withLock { state in
            state.operation = nil
            return state.task
        }
        if let task {
            task.cancel()
        } else {
            finish(.failure(.client(.urlSessionError(URLError(.cancelled)))))
        }
    }

    var clientString: String? {
        get { state.withLock { $0.clientString } }
        set { state.withLock { $0.clientString = newValue } }
    }

    var earliestStart: Date? {
        get { state.withLock { $0.earliestStart } }
        set { state.withLock { $0.earliestStart = newValue } }
    }
}
