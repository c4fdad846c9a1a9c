// The wait for changes, and the request for them. Both can be ended from outside: a machine that
// has slept, or has moved to another network, would not get the answer, and would notice it only by
// a timeout.

package import Core
import DropboxAPI
import Synchronization

extension DropboxStore {
    private typealias Answer = Result<
        Files.ListFolderLongpollResult, CallError<Files.ListFolderLongpollError>
    >
    private typealias NextPage = Result<
        TolerantListing, CallError<Files.ListFolderContinueError>
    >

    /// Waits for a change by longpoll.
    package func waitForChange(
        after cursor: Core.Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        let argument = Files.ListFolderLongpollArg(
            cursor: FeedPosition(cursor).cursor,
            timeout: ListingRules.timeout(UInt64(clamping: timeout)))
        let client = client
        let (answer, isEnded) = await longpolls.run { () async -> Answer in
            do throws(CallError<Files.ListFolderLongpollError>) {
                return .success(try await client.call(Files.listFolderLongpoll, argument))
            } catch {
                return .failure(error)
            }
        }
        if isEnded { throw .cancelled }
        switch answer {
        case .success(let result):
            return RemoteChange(
                hasChanges: result.changes,
                backoff: ListingRules.pause(after: result).map { Int(clamping: $0) })
        case .failure(let error):
            if error.isAboutCursor { throw .cursorReset }
            throw RemoteError(error) { $0 == .reset ? .cursorReset : .server("\($0)") }
        }
    }

    /// Requests the next page of a listing or delta. A request that is on its way when the network
    /// changes is made anew: the bytes sent on the old connection may be lost, and the kernel would
    /// repeat them seconds later only. The request changes nothing on the server.
    func nextPage(
        _ argument: Files.ListFolderContinueArg
    ) async throws(CallError<Files.ListFolderContinueError>) -> TolerantListing {
        while true {
            let client = client
            let (answer, isEnded) = await pageRequests.run { () async -> NextPage in
                do throws(CallError<Files.ListFolderContinueError>) {
                    return .success(
                        try await client.call(
                            TolerantListing.listFolderContinue, argument, options: .interactive))
                } catch {
                    return .failure(error)
                }
            }
            if case .failure(let error) = answer, error.kind == .cancelled, isEnded,
                !Task.isCancelled
            {
                continue
            }
            return try answer.get()
        }
    }

    /// Ends the wait for a change, and begins the request for a page anew.
    package func endWaiting() {
        longpolls.endAll()
        pageRequests.endAll()
    }
}

/// Calls in flight that can be ended from outside, by numbers.
final class EndableCalls: Sendable {
    private struct State {
        var last: UInt64 = 0
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var ended: Set<UInt64> = []
    }

    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Makes a call, and returns its answer, and whether it was ended from outside.
    func run<Answer: Sendable>(
        _ call: @escaping @Sendable () async -> Answer
    ) async -> (answer: Answer, isEnded: Bool) {
        let task = Task { await call() }
        let id = begin { task.cancel() }
        let answer = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return (answer, end(id))
    }

    /// Registers a call by how it is cancelled.
    private func begin(_ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.last &+= 1
            state.cancellations[state.last] = cancel
            return state.last
        }
    }

    /// Forgets a call; returns whether it was ended from outside.
    private func end(_ id: UInt64) -> Bool {
        state.withLock { state in
            state.cancellations[id] = nil
            return state.ended.remove(id) != nil
        }
    }

    func endAll() {
        let cancellations = state.withLock { state in
            state.ended.formUnion(state.cancellations.keys)
            return Array(state.cancellations.values)
        }
        for cancel in cancellations { cancel() }
    }
}
