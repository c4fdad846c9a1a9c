// The received bytes of one response that its reader has no room for yet, compressed or not. Not
// responsible for when they are handed over: see `AsyncTransfer`.

#if AsyncHTTPClient
    import DropboxAPI
    import NIOCore

    /// A part of a body on its way to the reader.
    struct InboundBody {
        /// The result of handing over a piece.
        enum Step {
            /// The reader has these many bytes more.
            case taken(Int)
            /// The reader has no room: the rest stays here.
            case heldUp
            /// The reader has gone.
            case refused
        }

        /// The most bytes handed over at once, by which a reader's buffer may be exceeded.
        private static let pieceSize = 16 << 10

        private var part = ByteBuffer()
        /// Decompresses parts; nil for a body as it is.
        private var inflater: Inflater?
        private var inflated = ByteBuffer()
        /// Whether the inflater may give more without further input.
        private var hasMore = false
        private var hasEnded = false
        /// Whether a byte has come.
        private var hasBegun = false
        /// The length that the server has announced, if these bytes are as they came.
        private var announced: UInt64?

        /// Prepares for the body of a response.
        ///
        /// Throws `malformedResponse` when zlib has no memory.
        mutating func begin(
            _ headers: TransportHeaders, isCompressed: Bool
        ) throws(TransportError) {
            guard isCompressed else {
                announced = headers["Content-Length"].flatMap { UInt64($0, radix: 10) }
                return
            }
            do { inflater = try Inflater(.gzip) } catch { throw Self.malformed }
        }

        mutating func add(_ bytes: ByteBuffer) {
            part = bytes
            if bytes.readableBytes > 0 { hasBegun = true }
        }

        /// Whether there are bytes for the reader.
        var isEmpty: Bool {
            part.readableBytes == 0 && inflated.readableBytes == 0 && !hasMore
        }

        /// Whether the body may end here: a compressed one has an end of its own, unless it is
        /// empty.
        var isWhole: Bool { inflater == nil || hasEnded || !hasBegun }

        /// Hands a piece to the reader. Throws `malformedResponse` when the bytes are not
        /// compressed as announced.
        mutating func handOver(to exchange: Exchange) throws(TransportError) -> Step {
            if inflater == nil { return Self.handOver(&part, to: exchange, announced) }
            if inflated.readableBytes == 0 { try inflate() }
            guard inflated.readableBytes > 0 else { return .taken(0) }
            return Self.handOver(&inflated, to: exchange, nil)
        }

        private static func handOver(
            _ bytes: inout ByteBuffer, to exchange: Exchange, _ announced: UInt64?
        ) -> Step {
            let count = min(bytes.readableBytes, pieceSize)
            let reception = bytes.withUnsafeReadableBytes { all in
                exchange.receive(
                    UnsafeRawBufferPointer(rebasing: all.prefix(count)), announced: announced)
            }
            switch reception {
            case .taken:
                bytes.moveReaderIndex(forwardBy: count)
                return .taken(count)
            case .heldUp: return .heldUp
            case .refused: return .refused
            }
        }

        private mutating func inflate() throws(TransportError) {
            guard let inflater, !hasEnded else { throw Self.malformed }
            let input = part.readBytes(length: min(part.readableBytes, Self.pieceSize)) ?? []
            var rest = input[...]
            repeat {
                let output: Inflater.Output
                do { output = try inflater.inflate(rest) } catch { throw Self.malformed }
                rest = rest.dropFirst(output.consumed)
                inflated = ByteBuffer(bytes: output.bytes)
                hasMore = output.isFull && !output.isEnd
                hasEnded = output.isEnd
            } while inflated.readableBytes == 0 && !rest.isEmpty && !hasEnded
            // Bytes that zlib has not taken come first next time.
            if !rest.isEmpty {
                guard !hasEnded else { throw Self.malformed }
                part.moveReaderIndex(to: part.readerIndex &- rest.count)
            }
        }

        private static let malformed = TransportError(
            kind: .malformedResponse, message: "the answer is not compressed as it says",
            mayHaveBeenReceived: true)
    }
#endif
