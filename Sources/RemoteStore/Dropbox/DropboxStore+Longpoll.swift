// The wait for changes. It can be ended from outside: a machine that has slept, or has moved to another network, would not get
// the answer, and would notice it only by a timeout.

package import Core
import DropboxAPI
import Synchronization

extension DropboxStore {
    private typealias Answer = Result<
        Files.ListFolderLongpollResult, CallError<Files.ListFolderLongpollError>
    >

    /// Waits for a change by longpoll.
    package func waitForChange(
        after cursor: Core.Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        let argument = Files.ListFolderLongpollArg(
            cursor: FeedPosition(cursor).cursor,
            timeout: ListingRules.timeout(UInt64(clamping: timeout)))
        let client = client
        let task = Task { () async -> Answer in
            do throws(CallError<Files.ListFolderLongpollError>) {
                return .success(try await client.call(Files.listFolderLongpoll, argument))
            } catch {
                return .failure(error)
            }
        }
        let id = longpolls.begin { task.cancel() }
        let answer = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if longpolls.end(id) { throw .cancelled }
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

    /// Ends the wait for a change.
    package func endWaiting() {
        longpolls.endAll()
    }
}

/// The longpolls in flight, by numbers.
final class Longpolls: Sendable {
    private struct State {
        var last: UInt64 = 0
        var cancellations: [UInt64: @Sendable () -> Void] = [:]
        var ended: Set<UInt64> = []
    }

    /// Lock: a leaf; memory only.
    private let state = Mutex(State())

    /// Registers a longpoll by how it is cancelled.
    func begin(_ cancel: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.last &+= 1
            state.cancellations[state.last] = cancel
            return state.last
        }
    }

    /// Forgets a longpoll; returns whether it was ended from outside.
    func end(_ id: UInt64) -> Bool {
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
