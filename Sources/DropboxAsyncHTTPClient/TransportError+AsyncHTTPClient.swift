// Translates the errors of async-http-client and of what it is made of.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import DropboxAPI
    import NIOCore
    import NIOHTTP1
    import NIOHTTP2
    import NIOPosix
    import NIOSSL

    extension TransportError {
        /// The failure of a transfer that was as far as `stage`.
        init(asyncHTTPClient error: any Error, stage: AsyncTransfer.Stage) {
            if let error = error as? TransportError {
                self = error
                return
            }
            let kind = Self.kind(of: error, stage)
            self.init(
                kind: kind, message: Self.message(of: error),
                mayHaveBeenReceived: stage != .queued && stage != .connecting
                    && kind != .invalidRequest)
        }

        private static func kind(of error: any Error, _ stage: AsyncTransfer.Stage) -> Kind {
            switch error {
            case let error as HTTPClientError: kind(of: error, stage)
            case let error as NIOConnectionError:
                error.connectionErrors.isEmpty ? .nameResolution : .connect
            case is SocketAddressError: .nameResolution
            case ChannelError.connectTimeout: .timedOut(.connect)
            case HTTPParserError.headerOverflow: .tooLarge
            case HTTPParserError.invalidEOFState: ended(stage)
            case is HTTPParserError: .malformedResponse
            case NIOSSLError.uncleanShutdown: ended(stage)
            case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
                stage == .connecting ? kind(ofHandshake: error) : .reset
            case is IOError, is ChannelError, is any NIOHTTP2Error:
                stage == .connecting ? .connect : .reset
            // The server has not seen the request in any of these cases: a proxy refuses, for
            // example.
            default: stage == .connecting ? .connect : .other
            }
        }

        private static func kind(
            of error: HTTPClientError, _ stage: AsyncTransfer.Stage
        ) -> Kind {
            switch error {
            case .alreadyShutdown: .shutDown
            case .cancelled: .cancelled
            case .connectTimeout, .socksHandshakeTimeout, .httpProxyHandshakeTimeout,
                .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
                .timedOut(.connect)
            case .readTimeout: .timedOut(stage == .receiving ? .body : .response)
            case .writeTimeout: .timedOut(.body)
            case .deadlineExceeded: .timedOut(.deadline)
            case .remoteConnectionClosed: ended(stage)
            case .bodyLengthMismatch: .bodySource
            case .invalidURL, .emptyHost, .emptyScheme, .contentLengthMissing:
                .invalidRequest
            case .invalidProxyResponse, .proxyAuthenticationRequired: .connect
            default: stage == .connecting ? .connect : .other
            }
        }

        /// A connection that was closed in order: too early, in every stage.
        private static func ended(_ stage: AsyncTransfer.Stage) -> Kind {
            switch stage {
            case .queued, .connecting: .connect
            case .sending, .waiting: .reset
            case .receiving: .bodyCutShort
            }
        }

        /// NIOSSL and BoringSSL name the cause in words alone.
        private static func kind(ofHandshake error: any Error) -> Kind {
            if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname {
                return .certificate
            }
            return "\(error)".contains("CERTIFICATE_VERIFY_FAILED") ? .certificate : .tls
        }

        private static func message(of error: any Error) -> String {
            if let error = error as? HTTPClientError, error == .remoteConnectionClosed {
                return "the server closed the connection"
            }
            return kind(ofHandshake: error) == .certificate
                ? "the server's certificate is not trusted: \(error)" : "\(error)"
        }
    }
#endif
