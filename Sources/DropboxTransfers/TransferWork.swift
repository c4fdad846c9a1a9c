// What uploads and downloads have in common: the record, the pauses, and the ways to end. Each effect is written down in
// such an order that a crash between any two of them leaves something to go on from; `checkpoint` is where tests crash.

import Blocking
import ContentHashing
import DropboxAPI
import Foundation

/// Why work on a transfer stops.
enum WorkEnd: Error {
    /// The queue was closed or the transfer cancelled: the record stays as it is.
    case stopped
    /// The transfer ends without a result.
    case failed(TransferFailure)
    /// The record could not be read or written: the transfer stays as it is.
    case store(String)
}

/// What work on a transfer needs.
struct WorkEnvironment: Sendable {
    let client: DropboxClient
    let store: TransferStore
    let settings: TransferSettings
    /// Tells how many bytes are on the other side, of how many.
    let progress: @Sendable (_ done: UInt64, _ total: UInt64?) -> Void

    /// Where a crash may happen.
    func checkpoint(_ name: String) async throws(WorkEnd) {
        await settings.checkpoint(name)
        if Task.isCancelled { throw .stopped }
    }

    func storing<Value>(_ body: () async throws -> Value) async throws(WorkEnd) -> Value {
        do {
            return try await body()
        } catch {
            throw Task.isCancelled ? .stopped : .store("\(error)")
        }
    }

    func onDisk<Value: Sendable>(
        _ path: String, _ body: @escaping @Sendable () throws(DiskError) -> Value
    ) async throws(WorkEnd) -> Value {
        do throws(DiskError) {
            return try await DiskQueue.transfers.run(body)
        } catch {
            throw .failed(error.failure(path))
        }
    }

    /// Waits after a failure of a call, as long as the client's policy wants, however often it happens. Throws what
    /// stays.
    func wait<Failure>(
        after error: CallError<Failure>, _ patience: inout Patience
    ) async throws(WorkEnd) {
        var event = error.kind.retryEvent
        var attempts: Int? = .max
        // Damage on the way, or a server that is broken: that it mends is not to be expected for ever.
        switch error.kind {
        case .response, .serialization, .route: (event, attempts) = (.serverFault, nil)
        default: break
        }
        if await patience.pause(after: event, of: client, maxAttempts: attempts) { return }
        throw Task.isCancelled || error.kind == .cancelled ? .stopped : .failed(error.failure)
    }
}

extension CallError {
    /// The failure that a transfer ends with.
    var failure: TransferFailure {
        let reason: TransferFailure.Reason =
            switch kind {
            case .auth, .access, .token, .pathRoot: .access
            default: .refused
            }
        return TransferFailure(reason, summary)
    }
}

/// Settings of a queue.
public struct TransferSettings: Sendable {
    /// Bytes of content in one request of an upload, rounded down to units of 4 MiB; of each transfer that is under
    /// way, so many bytes are held in memory. What a crash or a lost answer costs is one request.
    public var pieceSize: Int
    /// Transfers under way at once.
    public var concurrency: Int
    /// Called before and after each effect.
    package var checkpoint: @Sendable (String) async -> Void = { _ in }
    /// Seconds since 1970.
    package var now: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970) }

    /// Takes over all fields.
    public init(pieceSize: Int = 8 << 20, concurrency: Int = 3) {
        self.pieceSize = pieceSize
        self.concurrency = concurrency
    }

    /// The pieces as they are sent.
    var wholePieceSize: UInt64 {
        let block = ContentHasher.blockSize
        // One request may have 150 MiB (files.stone).
        return UInt64(min(max(1, pieceSize / block), 36) * block)
    }
}
