// One response, shared by its transport, which fills it, and the task that reads it. Every
// continuation is resumed exactly once: by data, by the end, or by cancellation.

import Synchronization

/// Status and headers of a response.
package struct ResponseHead: Sendable {
    package let status: Int
    package let headers: TransportHeaders

    package init(status: Int, headers: TransportHeaders) {
        self.status = status
        self.headers = headers
    }
}

/// A transport, as its responses' readers see it. Called from their tasks.
package protocol ExchangeDriver: Sendable {
    /// The reader of a transfer that was held up has drained the buffer: receive again.
    func readerMadeRoom(_ id: UInt64)

    /// The caller of a transfer was cancelled or dropped the response.
    func readerLeft(_ id: UInt64)
}

/// A response being received.
package final class Exchange: ChunkSource {
    /// Unread bytes at which the transfer is paused.
    package static let highWater = 1 << 20
    /// First allocation for a long body; it grows by doubling.
    private static let firstCapacity = 256 << 10

    private typealias HeadResult = Result<ResponseHead, TransportError>
    private typealias ChunkResult = Result<[UInt8]?, TransportError>

    private struct State {
        var head: ResponseHead?
        var headWaiter: CheckedContinuation<HeadResult, Never>?
        var buffer: [UInt8] = []
        var chunkWaiter: CheckedContinuation<ChunkResult, Never>?
        /// Set once; no bytes arrive after it.
        var end: Result<Void, TransportError>?
        var isHeldUp = false

        /// The buffered bytes, and whether the transfer has to be resumed.
        mutating func takeBuffer() -> (bytes: [UInt8], hasMadeRoom: Bool) {
            defer {
                buffer = []
                isHeldUp = false
            }
            return (buffer, isHeldUp)
        }
    }

    let id: UInt64
    private let driver: any ExchangeDriver
    /// Keeps the transport alive while a response is being read.
    private let transport: (any HTTPTransport)?
    /// Held for a copy at most; continuations are resumed after it is released.
    private let state = Mutex(State())

    package init(id: UInt64, driver: any ExchangeDriver, transport: (any HTTPTransport)?) {
        self.id = id
        self.driver = driver
        self.transport = transport
    }

    // MARK: For the reader

    /// Waits for status and headers. Cancelling the task ends the transfer.
    package func head() async throws(TransportError) -> ResponseHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<HeadResult, Never>) in
                let known: HeadResult? = state.withLock { state in
                    if let head = state.head { return .success(head) }
                    if case .failure(let error) = state.end { return .failure(error) }
                    state.headWaiter = waiter
                    return nil
                }
                if let known {
                    waiter.resume(returning: known)
                }
            }
        } onCancel: {
            abandon()
        }
        return try result.get()
    }

    package func nextChunk() async throws(TransportError) -> [UInt8]? {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: CheckedContinuation<ChunkResult, Never>) in
                takeChunk(or: waiter)
            }
        } onCancel: {
            abandon()
        }
        return try result.get()
    }

    private func takeChunk(or waiter: CheckedContinuation<ChunkResult, Never>) {
        var resumesTransfer = false
        let known: ChunkResult? = state.withLock { state in
            if !state.buffer.isEmpty {
                let chunk = state.takeBuffer()
                resumesTransfer = chunk.hasMadeRoom
                return .success(chunk.bytes)
            }
            switch state.end {
            case .success: return .success(nil)
            case .failure(let error): return .failure(error)
            case nil: break
            }
            guard state.chunkWaiter == nil else {
                return .failure(
                    TransportError(
                        kind: .invalidRequest, message: "two tasks read the same body",
                        mayHaveBeenReceived: true))
            }
            state.chunkWaiter = waiter
            return nil
        }
        if resumesTransfer {
            driver.readerMadeRoom(id)
        }
        if let known {
            waiter.resume(returning: known)
        }
    }

    package func abandon() {
        let error = TransportError(
            kind: .cancelled, message: "cancelled", mayHaveBeenReceived: true)
        if end(.failure(error), dropsBuffer: true) {
            driver.readerLeft(id)
        }
    }

    // MARK: For the transport

    package func deliver(_ head: ResponseHead) {
        let waiter = state.withLock { state in
            state.head = head
            return state.headWaiter.take()
        }
        waiter?.resume(returning: .success(head))
    }

    /// The result of handing over received bytes.
    package enum Reception: Equatable {
        case taken
        /// The reader is slow: keep the bytes and pause the transfer.
        case heldUp
        /// The body was dropped or the response has ended.
        case refused
    }

    /// Appends received bytes. The reader is not woken before `wakeReader`.
    ///
    /// `announced` is the body's length, if known.
    package func receive(_ bytes: UnsafeRawBufferPointer, announced: UInt64?) -> Reception {
        state.withLock { state in
            guard state.end == nil else { return .refused }
            guard state.buffer.count < Self.highWater else {
                state.isHeldUp = true
                return .heldUp
            }
            if state.buffer.isEmpty {
                let room = min(Int(clamping: announced ?? 0), Self.firstCapacity)
                state.buffer.reserveCapacity(max(bytes.count, room))
            }
            state.buffer.append(contentsOf: bytes)
            return .taken
        }
    }

    /// Hands the buffered bytes to a waiting reader.
    package func wakeReader() {
        var resumesTransfer = false
        let (waiter, chunk) = state.withLock { state in
            guard !state.buffer.isEmpty, let waiter = state.chunkWaiter.take() else {
                return (nil as CheckedContinuation<ChunkResult, Never>?, [] as [UInt8])
            }
            let chunk = state.takeBuffer()
            resumesTransfer = chunk.hasMadeRoom
            return (waiter, chunk.bytes)
        }
        waiter?.resume(returning: .success(chunk))
        if resumesTransfer {
            driver.readerMadeRoom(id)
        }
    }

    /// Ends the response; false if it had ended before.
    @discardableResult
    package func end(_ result: Result<Void, TransportError>, dropsBuffer: Bool = false) -> Bool {
        if !dropsBuffer {
            wakeReader()
        }
        let (isFirst, headWaiter, chunkWaiter) = state.withLock { state in
            guard state.end == nil else {
                return (
                    false, nil as CheckedContinuation<HeadResult, Never>?,
                    nil as CheckedContinuation<ChunkResult, Never>?
                )
            }
            state.end = result
            if dropsBuffer {
                state.buffer = []
            }
            return (true, state.headWaiter.take(), state.chunkWaiter.take())
        }
        headWaiter?.resume(returning: result.flatMap { .failure(.headless) })
        chunkWaiter?.resume(returning: result.map { nil })
        return isFirst
    }
}

extension TransportError {
    /// The error if a transfer ends with success and without headers, which no HTTP library should
    /// let happen.
    static let headless = TransportError(
        kind: .malformedResponse, message: "the answer has no head", mayHaveBeenReceived: true)
}
