// HTTP as this library needs it: one request, one response, bodies streamed in both directions. Not
// responsible for Dropbox's rules: retries, tokens and JSON live in Client.

/// Sends HTTP requests and receives their responses.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the response's headers have arrived.
    ///
    /// Cancelling the task ends the transfer at once, as does dropping the response's body.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Limits all bodies together, in bytes per second, from now on; nil means no limit.
    func limitBandwidth(up: UInt64?, down: UInt64?)

    /// Notes that the machine has moved to another network, or has slept. Connections of before are
    /// not used for further requests, and transfers from an address that the machine no longer has
    /// fail at once.
    func networkChanged(addresses: Set<String>)

    /// Fails all transfers in flight and frees all resources; further requests fail with
    /// `.shutDown`.
    func shutDown() async
}

extension HTTPTransport {
    /// By default, connections that died are found by their timeouts.
    public func networkChanged(addresses: Set<String>) {}
}

/// Header fields in order. Names are compared case-insensitively.
public struct TransportHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in order.
    public private(set) var fields: [Field] = []

    /// One field of the headers. Its texts for logs have no value of `Authorization` and
    /// `Proxy-Authorization`.
    public struct Field: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        /// The name of the field.
        public let name: String
        /// The value, without surrounding white space.
        public let value: String

        /// The field as HTTP has it, without a secret.
        public var description: String { "\(name): \(shownValue)" }
        /// A mirror without a secret.
        public var customMirror: Mirror {
            Mirror(self, children: ["name": name, "value": shownValue])
        }

        private var shownValue: String {
            ["authorization", "proxy-authorization"].contains(name.lowercased())
                ? "<secret>" : value
        }
    }

    /// Takes over names and values.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }

    /// Appends a header field.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The value of the last field of this name.
    public subscript(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.last { $0.name.lowercased() == name }?.value
    }
}

extension TransportHeaders {
    /// Throws `invalidRequest` when a field has characters that would end it, or that no server
    /// need understand.
    package func check() throws(TransportError) {
        for field in fields {
            let isSafe = "\(field.name)\(field.value)".utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            guard isSafe, !field.name.isEmpty else {
                throw TransportError(
                    kind: .invalidRequest,
                    message:
                        "the header \(field.name.prefix(40)) has characters that none may have",
                    mayHaveBeenReceived: false)
            }
        }
    }
}

/// The purpose of a connection; each has its own limit and never waits for another.
@nonexhaustive public enum TransferPurpose: Hashable, Sendable, CaseIterable {
    case rpc
    case download
    case upload
    case longpoll
}

/// Timeouts of a transfer.
public struct TransferTimeouts: Hashable, Sendable {
    /// For name resolution, connection and TLS handshake.
    public var connect: Duration
    /// From the last byte of the request to the first of the response.
    public var response: Duration
    /// Without any byte while a body is being transferred and not paused from this side.
    public var stall: Duration
    /// For the whole transfer, from the call of `send` to the last byte; nil means no limit.
    public var total: Duration?

    /// Takes over all fields.
    public init(
        connect: Duration = .seconds(15), response: Duration = .seconds(100),
        stall: Duration = .seconds(30), total: Duration? = nil
    ) {
        self.connect = connect
        self.response = response
        self.stall = stall
        self.total = total
    }
}

/// An HTTP request with its options.
public struct TransportRequest: Sendable {
    /// The HTTP methods that the API uses.
    @nonexhaustive public enum Method: Hashable, Sendable {
        case get
        case post
    }

    /// The method of the request.
    public var method: Method
    /// The whole URL; http is accepted for loopback hosts only.
    public var url: String
    /// Headers besides those that HTTP itself needs.
    public var headers: TransportHeaders
    /// The body; nil sends none.
    public var body: (any BodySource)?
    /// The purpose, which determines the limits.
    public var purpose: TransferPurpose
    /// Timeouts of the request.
    public var timeouts: TransferTimeouts
    /// Whether the transport may silently send the request again when a connection that was idle
    /// turns out to be closed after bytes of the request were sent.
    public var mayBeSentTwice: Bool
    /// Whether to accept a compressed response.
    public var acceptsCompression: Bool
    /// A name for logs and counters.
    public var label: String

    /// Takes over all fields.
    public init(
        method: Method = .post, url: String, headers: TransportHeaders = [:],
        body: (any BodySource)? = nil, purpose: TransferPurpose = .rpc,
        timeouts: TransferTimeouts = .init(), mayBeSentTwice: Bool = false,
        acceptsCompression: Bool = false, label: String = ""
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.purpose = purpose
        self.timeouts = timeouts
        self.mayBeSentTwice = mayBeSentTwice
        self.acceptsCompression = acceptsCompression
        self.label = label
    }
}

/// A response whose body is still being received.
public struct TransportResponse: Sendable {
    /// The HTTP status code.
    public let status: Int
    /// The headers of the response.
    public let headers: TransportHeaders
    /// The body of the response.
    public let body: ResponseBody

    /// Takes over all fields.
    public init(status: Int, headers: TransportHeaders, body: ResponseBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Observes the bytes that a transport transfers. Called on the transport's thread: it must return
/// quickly.
public protocol TransferObserver: Sendable {
    /// Bytes of a request's body were handed to the network.
    func sent(bytes: Int, label: String)

    /// Bytes of a response's body arrived.
    func received(bytes: Int, label: String)
}
