// A client's own part of a transport that several clients share: its byte counts, and an end that
// leaves the others alone. Not responsible for connections: they belong to the shared transport,
// and live as long as that does.

import Synchronization

/// One client's view of a shared transport.
final class ClientTransport: HTTPTransport {
    private struct State {
        var isShutDown = false
        var lastID: UInt64 = 0
        /// Requests whose headers have not arrived.
        var sending: [UInt64: Task<Result<TransportResponse, TransportError>, Never>] = [:]
        /// Bodies that are being received.
        var bodies: [UInt64: WeakChunks] = [:]
    }

    private struct WeakChunks {
        weak var chunks: ClientChunks?
    }

    private let base: any HTTPTransport
    private let observers: [any TransferObserver]
    /// Held for an access to the tables only.
    private let state = Mutex(State())

    init(_ base: any HTTPTransport, observers: [any TransferObserver]) {
        self.base = base
        self.observers = observers
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        let label = request.label
        request.body = request.body.map { CountedBody($0, observers: observers, label: label) }
        let (id, task) = try begin(request)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        let isShutDown = state.withLock { state in
            state.sending[id] = nil
            return state.isShutDown
        }
        let response: TransportResponse
        do throws(TransportError) {
            response = try result.get()
        } catch {
            throw explained(error)
        }
        guard !isShutDown else {
            response.body.abandon()
            throw Self.ended(mayHaveBeenReceived: true)
        }
        return TransportResponse(
            status: response.status, headers: response.headers,
            body: ResponseBody(received(response.body, id, label)))
    }

    private func begin(
        _ request: TransportRequest
    ) throws(TransportError) -> (UInt64, Task<Result<TransportResponse, TransportError>, Never>) {
        let base = base
        let begun = state.withLock { state in
            guard !state.isShutDown else {
                return nil as (UInt64, Task<Result<TransportResponse, TransportError>, Never>)?
            }
            state.lastID &+= 1
            let task = Task { () async -> Result<TransportResponse, TransportError> in
                do throws(TransportError) {
                    return .success(try await base.send(request))
                } catch {
                    return .failure(error)
                }
            }
            state.sending[state.lastID] = task
            return (state.lastID, task)
        }
        guard let begun else { throw Self.ended(mayHaveBeenReceived: false) }
        return begun
    }

    private func received(_ body: ResponseBody, _ id: UInt64, _ label: String) -> ClientChunks {
        let chunks = ClientChunks(body, id: id, label: label, transport: self)
        let isLate = state.withLock { state in
            state.bodies[id] = WeakChunks(chunks: chunks)
            return state.isShutDown
        }
        if isLate { chunks.abandon() }
        return chunks
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {
        base.limitBandwidth(up: up, down: down)
    }

    func networkChanged(addresses: Set<String>) {
        base.networkChanged(addresses: addresses)
    }

    /// Fails this client's transfers and waits until no request of its is being sent; the shared
    /// transport goes on.
    func shutDown() async {
        let (tasks, bodies) = state.withLock { state in
            state.isShutDown = true
            return (Array(state.sending.values), state.bodies.values.compactMap(\.chunks))
        }
        for task in tasks { task.cancel() }
        for body in bodies { body.abandon() }
        for task in tasks { _ = await task.value }
    }

    // MARK: For bodies

    fileprivate func count(received bytes: Int, label: String) {
        for observer in observers { observer.received(bytes: bytes, label: label) }
    }

    fileprivate func forget(_ id: UInt64) {
        state.withLock { $0.bodies[id] = nil }
    }

    /// An end that this client's shutdown has caused is reported as such.
    fileprivate func explained(_ error: TransportError) -> TransportError {
        guard error.kind == .cancelled, state.withLock(\.isShutDown) else { return error }
        return Self.ended(mayHaveBeenReceived: error.mayHaveBeenReceived)
    }

    private static func ended(mayHaveBeenReceived: Bool) -> TransportError {
        TransportError(
            kind: .shutDown, message: "the client was shut down",
            mayHaveBeenReceived: mayHaveBeenReceived)
    }
}

/// A request's body whose bytes are counted when they are handed over.
private struct CountedBody: BodySource {
    private let body: any BodySource
    private let observers: [any TransferObserver]
    private let label: String

    init(_ body: any BodySource, observers: [any TransferObserver], label: String) {
        self.body = body
        self.observers = observers
        self.label = label
    }

    var length: UInt64 { body.length }

    func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try body.read(at: offset, into: buffer)
        if count > 0 {
            for observer in observers { observer.sent(bytes: count, label: label) }
        }
        return count
    }
}

/// A response's body whose bytes are counted when they are read.
private final class ClientChunks: ChunkSource {
    private let body: ResponseBody
    private let id: UInt64
    private let label: String
    private let transport: ClientTransport

    init(_ body: ResponseBody, id: UInt64, label: String, transport: ClientTransport) {
        self.body = body
        self.id = id
        self.label = label
        self.transport = transport
    }

    deinit {
        transport.forget(id)
    }

    func nextChunk() async throws(TransportError) -> [UInt8]? {
        let chunk: [UInt8]?
        do throws(TransportError) {
            chunk = try await body.nextChunk()
        } catch {
            throw transport.explained(error)
        }
        if let chunk { transport.count(received: chunk.count, label: label) }
        return chunk
    }

    func abandon() {
        body.abandon()
    }
}
