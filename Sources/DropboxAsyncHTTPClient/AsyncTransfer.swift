// One transfer: a request of async-http-client, its timeouts, and what holds it up. All of it
// happens on one event loop. Not responsible for when it starts (`TransferTable`), nor for its
// bodies (`AsyncTransfer+Bodies`).

#if AsyncHTTPClient
    import AsyncHTTPClient
    import DropboxAPI
    import NIOCore
    import NIOHTTP1

    /// A request being sent and its response being received.
    final class AsyncTransfer: HTTPClientResponseDelegate {
        typealias Response = Void

        /// How far a transfer is.
        enum Stage {
            /// Waiting for its turn.
            case queued
            case connecting
            case sending
            case waiting
            case receiving
        }

        struct State {
            var stage = Stage.queued
            var timer: TransferTimer
            var check: Scheduled<Void>?
            var lease: ClientLease?
            var task: HTTPClient.Task<Void>?
            var sentOffset: UInt64 = 0
            var inbound = InboundBody()
            /// Fulfilled when the reader has all bytes of the last part.
            var partTaken: EventLoopPromise<Void>?
            /// The failure that follows the bytes which the reader has not had room for.
            var failureAfterBytes: TransportError?
            var isHeldByReader = false
            var isThrottledDown = false
            var isThrottledUp = false
            var isOver = false
        }

        /// A timeout that is farther away is looked at again after this time.
        private static let longestCheck = Duration.seconds(86_400)

        let id: UInt64
        let request: TransportRequest
        let exchange: Exchange
        let loop: any EventLoop
        let table: TransferTable
        private let box: NIOLoopBoundBox<State>

        init(
            id: UInt64, request: TransportRequest, exchange: Exchange, loop: any EventLoop,
            table: TransferTable
        ) {
            self.id = id
            self.request = request
            self.exchange = exchange
            self.loop = loop
            self.table = table
            box = .makeBoxSendingValue(
                State(timer: TransferTimer(request.timeouts, submitted: .now)), eventLoop: loop)
        }

        /// To be used on the event loop alone.
        var state: State {
            get { box.value }
            _modify { yield &box.value }
        }

        /// Whether the server may have seen the request.
        var hasConnection: Bool {
            switch state.stage {
            case .queued, .connecting: false
            case .sending, .waiting, .receiving: true
            }
        }

        // MARK: From other threads

        /// Begins with the wait for its turn, or with the request.
        func enter(starts: Bool) {
            loop.execute { [self] in
                if starts { begin() } else { setTimer() }
            }
        }

        /// It is this transfer's turn.
        func start() {
            loop.execute { [self] in begin() }
        }

        func readerMadeRoom() {
            loop.execute { [self] in
                state.isHeldByReader = false
                noteProgress()
                handOver()
            }
        }

        func bandwidthChanged() {
            loop.execute { [self] in
                guard state.isThrottledDown else { return }
                state.isThrottledDown = false
                handOver()
            }
        }

        /// The reader has gone, and knows it.
        func cancel() {
            fail(
                TransportError(kind: .cancelled, message: "cancelled", mayHaveBeenReceived: true))
        }

        func fail(_ error: TransportError) {
            loop.execute { [self] in end(.failure(error)) }
        }

        // MARK: Beginning and end

        private func begin() {
            guard !state.isOver else { return }
            do throws(TransportError) {
                let url = try ServerURL(base: request.url)
                let lease = try table.pool.lend(for: url, request.purpose)
                state.lease = lease
                state.stage = .connecting
                noteProgress()
                setTimer()
                let task = lease.client.execute(
                    request: try outgoing(), delegate: self, eventLoop: .delegate(on: loop))
                state.task = task
                task.futureResult.hop(to: loop).whenComplete { [self] result in
                    finish(result)
                }
            } catch {
                end(.failure(error))
            }
        }

        private func finish(_ result: Result<Void, any Error>) {
            switch result {
            case .success:
                let isWhole = state.inbound.isWhole
                end(isWhole ? .success(()) : .failure(Self.cutShort))
            case .failure(let error):
                let failure = TransportError(asyncHTTPClient: error, stage: state.stage)
                if state.inbound.isEmpty {
                    end(.failure(failure))
                } else {
                    state.failureAfterBytes = failure
                }
            }
        }

        /// Ends the transfer, and its connection if it is incomplete; nothing happens if it has
        /// ended before.
        func end(_ outcome: Result<Void, TransportError>) {
            guard !state.isOver else { return }
            state.isOver = true
            state.check?.cancel()
            if case .failure(let error) = outcome {
                state.task?.fail(reason: error)
                state.partTaken.take()?.fail(error)
            }
            state.task = nil
            exchange.end(outcome)
            if let lease = state.lease.take() { table.pool.takeBack(lease) }
            table.remove(self)
        }

        // MARK: Timeouts

        func noteProgress() {
            state.timer.noteProgress(at: .now)
        }

        private var phase: TransferTimer.Phase {
            if state.isHeldByReader || state.isThrottledDown || state.isThrottledUp {
                return .heldUp
            }
            return switch state.stage {
            case .queued: .starting
            // An app's client may make requests wait for a connection, and times its attempts
            // itself.
            case .connecting: table.pool.isShared ? .starting : .connecting
            case .sending: .sending
            case .waiting: .waiting
            case .receiving: .receiving
            }
        }

        /// Watches the timeout of the phase that has begun.
        func setTimer() {
            state.check?.cancel()
            state.check = nil
            guard !state.isOver, let expiry = state.timer.expiry(in: phase) else { return }
            let left = ContinuousClock.now.duration(to: expiry.moment)
            let wait = min(max(left, .zero), Self.longestCheck)
            state.check = loop.scheduleTask(in: TimeAmount(wait)) { [self] in expire() }
        }

        private func expire() {
            // Bytes may have moved since the timer was set.
            guard let expiry = state.timer.expiry(in: phase), expiry.moment <= .now else {
                return setTimer()
            }
            // A silent server may be a connection that has died, and others with it.
            if state.stage != .queued { table.pool.replaceConnections() }
            end(
                .failure(
                    TransportError(expired: expiry.phase, mayHaveBeenReceived: hasConnection)))
        }

        // MARK: Delegate

        func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
            state.stage = outgoingLength > 0 ? .sending : .waiting
            noteProgress()
            setTimer()
        }

        func didSendRequest(task: HTTPClient.Task<Void>) {
            guard state.stage == .sending else { return }
            state.stage = .waiting
            noteProgress()
            setTimer()
        }

        func didVisitURL(
            task: HTTPClient.Task<Void>, _ request: HTTPClient.Request, _ head: HTTPResponseHead
        ) {
            // An app's client may follow redirects, which would take a token to another server.
            guard table.pool.isShared, (300..<400).contains(head.status.code) else { return }
            exchange.deliver(responseHead(head))
            end(.success(()))
            task.fail(reason: Self.noRedirect)
        }

        func didReceiveHead(
            task: HTTPClient.Task<Void>, _ head: HTTPResponseHead
        ) -> EventLoopFuture<Void> {
            receive(responseHead(head))
        }

        func didReceiveBodyPart(
            task: HTTPClient.Task<Void>, _ buffer: ByteBuffer
        ) -> EventLoopFuture<Void> {
            receive(buffer)
        }

        func didFinishRequest(task: HTTPClient.Task<Void>) {}

        private static let cutShort = TransportError(
            kind: .bodyCutShort, message: "the compressed answer has no end",
            mayHaveBeenReceived: true)
        private static let noRedirect = TransportError(
            kind: .cancelled, message: "redirects are not followed", mayHaveBeenReceived: true)
    }
#endif
