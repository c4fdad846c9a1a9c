// The bodies of a transfer in both directions, each held up by the slower side. Not responsible for
// timeouts and the end.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import DropboxAPI
    import NIOCore
    import NIOHTTP1
    import NIOPosix
    import Saturating

    extension AsyncTransfer {
        // MARK: Request

        /// The most bytes that are read of a request's body at once.
        private static var pieceSize: Int { 256 << 10 }

        /// The length of the request's body.
        var outgoingLength: UInt64 { request.method == .post ? request.body?.length ?? 0 : 0 }

        /// The request, for async-http-client.
        func outgoing() throws(TransportError) -> HTTPClient.Request {
            try request.headers.check()
            var headers = NIOHTTP1.HTTPHeaders()
            for field in request.headers.fields {
                headers.add(name: field.name, value: field.value)
            }
            if request.acceptsCompression { headers.add(name: "Accept-Encoding", value: "gzip") }
            var body: HTTPClient.Body?
            if outgoingLength > 0 {
                guard let length = Int64(exactly: outgoingLength) else {
                    throw invalid("the body is too long")
                }
                body = .stream(contentLength: length) { [self] writer in sendBody(writer) }
            }
            do {
                return try HTTPClient.Request(
                    url: request.url, method: request.method == .post ? .POST : .GET,
                    headers: headers, body: body)
            } catch {
                throw invalid("\(error)")
            }
        }

        private func invalid(_ message: String) -> TransportError {
            TransportError(kind: .invalidRequest, message: message, mayHaveBeenReceived: false)
        }

        private func sendBody(_ writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
            let isSent = loop.makePromise(of: Void.self)
            loop.execute { [self] in sendPiece(writer, isSent) }
            return isSent.futureResult
        }

        /// Sends the next piece when there is bandwidth, and the ones after it when the connection
        /// has taken it.
        private func sendPiece(
            _ writer: HTTPClient.Body.StreamWriter, _ isSent: EventLoopPromise<Void>
        ) {
            guard !state.isOver else { return isSent.fail(ChannelError.ioOnClosedChannel) }
            let offset = state.sentOffset
            guard offset < outgoingLength, let body = request.body else { return isSent.succeed() }
            let left = Int(clamping: outgoingLength &- offset)
            let (count, pause) = table.flow.maySend(min(left, Self.pieceSize), request)
            if let pause { return waitForBandwidth(pause, writer, isSent) }
            // Not on the event loop: a file may have to be read from a disk.
            let piece = NIOThreadPool.singleton.runIfActive(eventLoop: loop) {
                try body.piece(at: offset, upTo: count)
            }
            piece.flatMap { [self] bytes -> EventLoopFuture<Void> in
                state.sentOffset = offset +| UInt64(clamping: bytes.readableBytes)
                table.flow.noteSent(bytes.readableBytes, request)
                return writer.write(.byteBuffer(bytes)).hop(to: loop)
            }.whenComplete { [self] result in
                switch result {
                case .success:
                    noteProgress()
                    sendPiece(writer, isSent)
                case .failure(let error):
                    isSent.fail(error)
                }
            }
        }

        private func waitForBandwidth(
            _ pause: Duration, _ writer: HTTPClient.Body.StreamWriter,
            _ isSent: EventLoopPromise<Void>
        ) {
            state.isThrottledUp = true
            setTimer()
            // Short, so that a limit that is lifted is noticed.
            loop.scheduleTask(in: TimeAmount(min(pause, .milliseconds(100)))) { [self] in
                state.isThrottledUp = false
                noteProgress()
                setTimer()
                sendPiece(writer, isSent)
            }
        }

        // MARK: Response

        func responseHead(_ head: HTTPResponseHead) -> ResponseHead {
            var headers = TransportHeaders()
            for (name, value) in head.headers { headers.append(name, value) }
            return ResponseHead(status: Int(clamping: head.status.code), headers: headers)
        }

        func receive(_ head: ResponseHead) -> EventLoopFuture<Void> {
            let isCompressed =
                request.acceptsCompression
                && head.headers["Content-Encoding"]?.lowercased() == "gzip"
            do {
                try state.inbound.begin(head.headers, isCompressed: isCompressed)
            } catch {
                end(.failure(error))
                return loop.makeFailedFuture(error)
            }
            state.stage = .receiving
            noteProgress()
            setTimer()
            exchange.deliver(head)
            return loop.makeSucceededVoidFuture()
        }

        /// Succeeds when the reader has all of the part, so that no further one comes before.
        func receive(_ part: ByteBuffer) -> EventLoopFuture<Void> {
            guard !state.isOver else { return loop.makeSucceededVoidFuture() }
            let isTaken = loop.makePromise(of: Void.self)
            state.inbound.add(part)
            state.partTaken = isTaken
            noteProgress()
            handOver()
            return isTaken.futureResult
        }

        /// Hands received bytes to the reader, as many as it has room for.
        func handOver() {
            while !state.isOver, !state.isHeldByReader, !state.isThrottledDown,
                !state.inbound.isEmpty
            {
                if let pause = table.flow.pauseBeforeReceiving(request) {
                    state.isThrottledDown = true
                    loop.scheduleTask(in: TimeAmount(pause)) { [self] in
                        state.isThrottledDown = false
                        noteProgress()
                        handOver()
                    }
                    break
                }
                do throws(TransportError) {
                    switch try state.inbound.handOver(to: exchange) {
                    case .taken(let count):
                        if count > 0 { table.flow.noteReceived(count, request) }
                        noteProgress()
                    case .heldUp: state.isHeldByReader = true
                    // Its end is on its way here.
                    case .refused: return
                    }
                } catch {
                    return end(.failure(error))
                }
            }
            guard !state.isOver else { return }
            setTimer()
            exchange.wakeReader()
            guard state.inbound.isEmpty else { return }
            if let failure = state.failureAfterBytes.take() { end(.failure(failure)) }
            state.partTaken.take()?.succeed()
        }
    }

    extension BodySource {
        /// Up to `count` bytes from `offset`. Throws `bodySource` when the source fails, or ends
        /// early.
        fileprivate func piece(at offset: UInt64, upTo count: Int) throws -> ByteBuffer {
            var bytes = ByteBuffer()
            do {
                try bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
                    let space = UnsafeMutableRawBufferPointer(rebasing: space.prefix(count))
                    let read = try read(at: offset, into: space)
                    return (1...count).contains(read) ? read : 0
                }
            } catch {
                throw TransportError(
                    kind: .bodySource, message: "the body cannot be read: \(error)",
                    mayHaveBeenReceived: true)
            }
            guard bytes.readableBytes > 0 else {
                throw TransportError(
                    kind: .bodySource,
                    message: "the body ended \(length -| offset) bytes early",
                    mayHaveBeenReceived: true)
            }
            return bytes
        }
    }
#endif
