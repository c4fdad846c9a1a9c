// Common parts of uploads and downloads: the record, backoff, and the ways to end. Effects are
// recorded in such an order that a crash between any two of them leaves a state to resume from;
// `checkpoint` is where tests crash.

import Blocking
import ContentHashing
import DropboxAPI
import Foundation
import LocalFiles
import Saturating

/// The reason why work on a transfer stops.
enum WorkEnd: Error {
    /// The queue was closed or the transfer cancelled: the record stays unchanged.
    case stopped
    /// The transfer ends without a result.
    case failed(TransferFailure)
    /// This queue cannot go on with the transfer, for this reason: the record stays unchanged.
    case suspended(String)

    /// The record could not be read or written.
    static func store(_ error: any Error) -> WorkEnd { .suspended("the record: \(error)") }
}

/// The dependencies of work on a transfer.
struct WorkEnvironment: Sendable {
    let client: DropboxClient
    let store: TransferStore
    let settings: TransferSettings
    /// Reports the bytes that have reached the other side, and the total.
    let progress: @Sendable (_ done: UInt64, _ total: UInt64?) -> Void

    /// A point at which a crash is tested.
    func checkpoint(_ name: String) async throws(WorkEnd) {
        await settings.checkpoint(name)
        if Task.isCancelled { throw .stopped }
    }

    func storing<Value>(_ body: () async throws -> Value) async throws(WorkEnd) -> Value {
        do {
            return try await body()
        } catch {
            throw Task.isCancelled ? .stopped : .store(error)
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

    /// Backs off after a failed call by the client's policy, without a limit on retries. Throws
    /// permanent failures.
    func wait<Failure>(
        after error: CallError<Failure>, _ backoff: inout OperationBackoff
    ) async throws(WorkEnd) {
        var event = error.kind.retryEvent
        var attempts: Int? = .max
        switch error.kind {
        case .route where RetryPolicy.isThrottling(event): break
        // Damage in transit, or a broken server: retried a limited number of times.
        case .response, .serialization, .route: (event, attempts) = (.serverFault, nil)
        case .transport(let failure), .token(.transport(let failure)):
            switch failure.kind {
            case .shutDown:
                throw Task.isCancelled ? .stopped : .suspended("the client was shut down")
            // A login page in the server's place, a wrong clock, a lack of memory: they pass.
            case .certificate, .tls, .other: event = .serverFault
            default: break
            }
        default: break
        }
        let goesOn = await backoff.pause(
            after: event, of: client, maxAttempts: attempts, waitsOutThrottling: true)
        guard !goesOn else { return }
        guard !Task.isCancelled else { throw .stopped }
        guard error.kind != .cancelled else { throw .suspended("a request was cancelled") }
        throw .failed(error.failure())
    }
}

extension DiskError {
    /// The failure that ends a transfer.
    func failure(_ path: String) -> TransferFailure {
        TransferFailure(.localFile, "\(path): \(self)")
    }
}

extension CallError {
    /// The failure that ends a transfer, with its cause; nil leaves reason and words to the call.
    func failure(
        _ reason: TransferFailure.Reason? = nil, _ message: String? = nil
    ) -> TransferFailure {
        TransferFailure(
            reason ?? usualReason, message ?? summary, tagPath: routeError?.tagPath,
            requestID: context.requestID, status: context.status)
    }

    private var usualReason: TransferFailure.Reason {
        switch kind {
        case .auth, .access, .token, .pathRoot: .access
        default: .refused
        }
    }
}

/// Settings of a queue.
public struct TransferSettings: Sendable {
    /// Bytes of content in one request of an upload, rounded down to units of 4 MiB; each running
    /// transfer holds so many bytes in memory. A crash or a lost response costs one request.
    public var pieceSize: Int
    /// Transfers running at the same time.
    public var concurrency: Int
    /// Called before and after each effect.
    package var checkpoint: @Sendable (String) async -> Void = { _ in }
    /// The clock, in seconds since 1970.
    package var now: @Sendable () -> Int64 = { Int64(clamping: Date().timeIntervalSince1970) }

    /// Takes over all fields.
    public init(pieceSize: Int = 8 << 20, concurrency: Int = 3) {
        self.pieceSize = pieceSize
        self.concurrency = concurrency
    }

    /// The size of the pieces that are sent, in bytes.
    var wholePieceSize: UInt64 {
        UInt64(clamping: UploadLimits.wholePiece(pieceSize))
    }
}
