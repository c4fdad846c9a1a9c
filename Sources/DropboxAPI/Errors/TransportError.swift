// What can go wrong between this machine and the server, before there is an answer to read.
// Not responsible for what answers say: see CallError.

/// A request or body that failed on the way.
public struct TransportError: Error, Hashable, Sendable {
    /// What failed.
    public enum Kind: Hashable, Sendable {
        /// The host name has no address: offline, or a wrong name.
        case nameResolution
        /// No connection: offline, refused or filtered.
        case connect
        /// The server's certificate is not trusted: never retried.
        case certificate
        /// The TLS handshake failed for another reason.
        case tls
        /// The connection ended in the middle.
        case reset
        /// Nothing happened for too long.
        case timedOut(Phase)
        /// The body ended before its announced length.
        case bodyCutShort
        /// The answer is larger than the caller accepts.
        case tooLarge
        /// What came is not HTTP.
        case malformedResponse
        /// The source of the request's body failed or was shorter than its length.
        case bodySource
        /// The request cannot be sent as it is, for example http to a host that is not loopback.
        case invalidRequest
        /// The task was cancelled or nobody reads the body any more.
        case cancelled
        /// The transport was shut down.
        case shutDown
        /// Something else; the message has libcurl's words.
        case other
    }

    /// In which phase time ran out.
    public enum Phase: Hashable, Sendable {
        case connect
        /// The server has the request and did not answer.
        case response
        /// A body stopped moving.
        case body
        /// The caller's deadline passed, wherever the request was.
        case deadline
    }

    /// What failed.
    public let kind: Kind
    /// The reason in words, for a log or a user.
    public let message: String
    /// False when the server cannot have seen the request, so that it surely had no effect.
    public let mayHaveBeenReceived: Bool

    /// Takes over all fields.
    public init(kind: Kind, message: String, mayHaveBeenReceived: Bool) {
        self.kind = kind
        self.message = message
        self.mayHaveBeenReceived = mayHaveBeenReceived
    }

    /// Whether this looks like having no network, as opposed to a server that misbehaves.
    public var isConnectivityLoss: Bool {
        switch kind {
        case .nameResolution, .connect, .reset, .timedOut: true
        default: false
        }
    }

    /// Whether the same request can succeed soon.
    public var isTransient: Bool {
        switch kind {
        case .nameResolution, .connect, .tls, .reset, .timedOut(.connect), .timedOut(.response),
            .timedOut(.body), .bodyCutShort, .malformedResponse:
            true
        case .certificate, .timedOut(.deadline), .tooLarge, .bodySource, .invalidRequest,
            .cancelled, .shutDown, .other:
            false
        }
    }
}
