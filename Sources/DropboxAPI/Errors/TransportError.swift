// Failures between this machine and the server, before a response can be read. Not responsible for
// errors in responses: see CallError.

/// A request or body that failed on the way.
public struct TransportError: Error, Hashable, Sendable {
    /// The cause of the failure.
    @nonexhaustive public enum Kind: Hashable, Sendable {
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
        /// A timeout expired in this phase.
        case timedOut(Phase)
        /// The body ended before its announced length.
        case bodyCutShort
        /// The response is larger than the caller accepts.
        case tooLarge
        /// The response is not HTTP.
        case malformedResponse
        /// The source of the request's body failed or was shorter than its length.
        case bodySource
        /// The request cannot be sent as it is, for example http to a host that is not loopback.
        case invalidRequest
        /// The task was cancelled or the reader dropped the body.
        case cancelled
        /// The transport was shut down.
        case shutDown
        /// Any other error; the message is the HTTP library's.
        case other
    }

    /// The phase in which a timeout expired.
    @nonexhaustive public enum Phase: Hashable, Sendable {
        case connect
        /// The server has the request and did not respond.
        case response
        /// The transfer of a body stalled.
        case body
        /// The caller's deadline passed, in any phase.
        case deadline
    }

    /// The cause of the failure.
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

    /// A timeout that expired in this phase.
    package init(expired phase: Phase, mayHaveBeenReceived: Bool) {
        let message =
            switch phase {
            case .connect: "no connection in time"
            case .response: "the server did not answer in time"
            case .body: "nothing moved for too long"
            case .deadline: "the deadline passed"
            }
        self.init(
            kind: .timedOut(phase), message: message, mayHaveBeenReceived: mayHaveBeenReceived)
    }

    /// The end of a transport.
    package static func shutDown(mayHaveBeenReceived: Bool) -> TransportError {
        TransportError(
            kind: .shutDown, message: "the connection was shut down",
            mayHaveBeenReceived: mayHaveBeenReceived)
    }

    /// Whether the cause is probably a missing network connection, not a misbehaving server.
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
