// All transfers of a transport. Not responsible for single transfers, nor for whose turn it is
// (`TransferLines`).

#if AsyncHTTPClient
    import DropboxAPI
    import NIOCore
    import Synchronization

    /// Starts transfers within their limits.
    final class TransferTable: ExchangeDriver {
        private struct State {
            var transfers: [UInt64: AsyncTransfer] = [:]
            var lines: TransferLines
            var isStopped = false
        }

        let pool: ClientPool
        let flow: TrafficFlow
        private let callLoop: any EventLoop
        /// Held for a few instructions; transfers are started and ended after it is released.
        private let state: Mutex<State>

        init(pool: ClientPool, flow: TrafficFlow, lines: TransferLines) {
            self.pool = pool
            self.flow = flow
            state = Mutex(State(lines: lines))
            callLoop = pool.group.next()
        }

        /// Starts a transfer, or lets it wait for its turn. Throws when the transport was shut
        /// down.
        func add(
            _ id: UInt64, _ request: TransportRequest, _ exchange: Exchange
        ) throws(TransportError) {
            let transfer = AsyncTransfer(
                id: id, request: request, exchange: exchange, loop: loop(for: request.purpose),
                table: self)
            let line = TransferLines.Line(request)
            let starts: Bool? = state.withLock { state in
                guard !state.isStopped else { return nil }
                state.transfers[id] = transfer
                return state.lines.enter(id, line)
            }
            guard let starts else { throw .shutDown(mayHaveBeenReceived: false) }
            transfer.enter(starts: starts)
        }

        /// Forgets a transfer that is over, and starts those whose turn it is now.
        func remove(_ transfer: AsyncTransfer) {
            let line = TransferLines.Line(transfer.request)
            let next: [AsyncTransfer] = state.withLock { state in
                guard state.transfers.removeValue(forKey: transfer.id) != nil else { return [] }
                return state.lines.leave(transfer.id, line).compactMap { state.transfers[$0] }
            }
            for transfer in next { transfer.start() }
        }

        /// Calls have one event loop, so that a connection is free again before the caller of the
        /// last one can ask for the next.
        private func loop(for purpose: TransferPurpose) -> any EventLoop {
            purpose == .rpc ? callLoop : pool.group.next()
        }

        func readerMadeRoom(_ id: UInt64) {
            state.withLock { $0.transfers[id] }?.readerMadeRoom()
        }

        func readerLeft(_ id: UInt64) {
            state.withLock { $0.transfers[id] }?.cancel()
        }

        func limitBandwidth(up: UInt64?, down: UInt64?) {
            flow.limit(up: up, down: down)
            for transfer in state.withLock({ Array($0.transfers.values) }) {
                transfer.bandwidthChanged()
            }
        }

        /// Fails all transfers, and refuses further ones.
        func stop() {
            let transfers = state.withLock { state in
                state.isStopped = true
                defer { state.transfers = [:] }
                return Array(state.transfers.values)
            }
            for transfer in transfers {
                transfer.fail(.shutDown(mayHaveBeenReceived: true))
            }
        }
    }

    /// The bandwidth that all transfers share, and those who count bytes.
    final class TrafficFlow: Sendable {
        private struct Limits {
            var up: BandwidthLimit
            var down: BandwidthLimit
        }

        private let limits: Mutex<Limits>
        private let observers: [any TransferObserver]

        init(up: UInt64?, down: UInt64?, observers: [any TransferObserver]) {
            limits = Mutex(Limits(up: BandwidthLimit(rate: up), down: BandwidthLimit(rate: down)))
            self.observers = observers
        }

        func limit(up: UInt64?, down: UInt64?) {
            limits.withLock { limits in
                limits.up.rate = up
                limits.down.rate = down
            }
        }

        /// How long a transfer has to wait before it receives more; nil for not at all.
        func pauseBeforeReceiving(_ request: TransportRequest) -> Duration? {
            guard request.purpose == .download else { return nil }
            return limits.withLock { $0.down.available(at: .now) == 0 ? $0.down.pause : nil }
        }

        /// How many of `count` bytes a transfer may send, or how long it has to wait.
        func maySend(_ count: Int, _ request: TransportRequest) -> (count: Int, pause: Duration?) {
            guard request.purpose == .upload else { return (count, nil) }
            return limits.withLock { limits in
                guard let available = limits.up.available(at: .now) else { return (count, nil) }
                return available > 0
                    ? (min(count, available), nil) : (0, limits.up.pause)
            }
        }

        func noteReceived(_ count: Int, _ request: TransportRequest) {
            if request.purpose == .download { limits.withLock { $0.down.consume(count) } }
            for observer in observers { observer.received(bytes: count, label: request.label) }
        }

        func noteSent(_ count: Int, _ request: TransportRequest) {
            if request.purpose == .upload { limits.withLock { $0.up.consume(count) } }
            for observer in observers { observer.sent(bytes: count, label: request.label) }
        }
    }
#endif
