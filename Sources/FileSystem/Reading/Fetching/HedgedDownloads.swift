// Hedged requests: a second request for bytes that a reader waits for and that are late. Not
// responsible for the bytes after the first ones.

import Core
import RemoteStore
import Synchronization

/// A download with its first bytes.
struct BegunDownload: Sendable {
    var stream: any RemoteByteStream
    var firstChunk: [UInt8]?
}

/// Begins downloads, and learns from each how long the server takes.
final class HedgedDownloads: Sendable {
    private let remote: any RemoteStoring
    /// The hedge delay; nil to learn it.
    private let delay: Duration?
    /// Lock: a leaf; no other lock is taken under it.
    private let responses = Mutex(ResponseTimes())

    init(remote: any RemoteStoring, delay: Duration?) {
        self.remote = remote
        self.delay = delay
    }

    /// Begins a download. If its first bytes are late and a reader waits for them, a second one is
    /// begun, and the first of the two to deliver bytes wins: a single slow server or lost packet
    /// would cost a reader seconds.
    func begin(
        _ revision: Revision, _ range: Range<Int64>, for fetch: BlockFetch
    ) async throws(RemoteError) -> BegunDownload {
        let remote = remote
        let hedgeDelay = delay ?? responses.withLock { $0.hedgeDelay }
        let begin = ContinuousClock.now
        let outcome = await withTaskGroup(of: Result<BegunDownload, RemoteError>?.self) { group in
            group.addTask { await Self.ask(remote, revision, range) }
            group.addTask {
                guard await Self.isLate(fetch, after: hedgeDelay) else { return nil }
                return await Self.ask(remote, revision, range)
            }
            var failure = RemoteError.cancelled
            var isFirst = true
            for await case let result? in group {
                switch result {
                case .success(let download):
                    group.cancelAll()
                    return Result<BegunDownload, RemoteError>.success(download)
                case .failure(let error):
                    // The first of two errors is the cause, and makes the second request
                    // unnecessary.
                    if isFirst { failure = error }
                    isFirst = false
                    group.cancelAll()
                }
            }
            return .failure(failure)
        }
        if case .success = outcome {
            responses.withLock { $0.note(begin.duration(to: .now)) }
        }
        return try outcome.get()
    }

    private static func ask(
        _ remote: any RemoteStoring, _ revision: Revision, _ range: Range<Int64>
    ) async -> Result<BegunDownload, RemoteError> {
        do throws(RemoteError) {
            let stream = try await remote.download(revision, range: range)
            let first = try await stream.next()
            return .success(BegunDownload(stream: stream, firstChunk: first))
        } catch {
            return .failure(error)
        }
    }

    /// Waits for the delay, and then until the fetch has a waiter; false if the fetch ends before.
    private static func isLate(_ fetch: BlockFetch, after hedgeDelay: Duration) async -> Bool {
        var pause = hedgeDelay
        repeat {
            guard (try? await Task.sleep(for: pause)) != nil else { return false }
            pause = hedgeDelay / 4
        } while fetch.waiterCount == 0
        return true
    }
}
