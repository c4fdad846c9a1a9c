// Settings of a transport: trusted certificates, proxy, connection limits. Not responsible for
// hosts and retries: see DropboxConfiguration.

import Essentials

/// Settings of a transport's connections.
public struct TransportConfiguration: Sendable {
    /// A file of trusted certificates (PEM), also of a proxy with https. By default `SSL_CERT_FILE`
    /// of the environment, else the system's.
    public var certificateFile: String?
    /// Pinned public keys: a server must have one of them, besides a trusted certificate; empty
    /// accepts any key. A server without one fails with `TransportError.Kind.certificate`, before a
    /// byte of a request is sent, and without retry.
    public var pinnedKeys: [PinnedKey]
    /// The proxy. Loopback servers are always reached directly.
    public var proxy: ProxySetting
    /// The IP versions to connect with.
    public var ipVersion: IPVersion
    /// Purposes that use HTTP/2 if the server offers it; the others use HTTP/1.1.
    ///
    /// By default not content: parallel bodies would share one connection's congestion window, and
    /// libcurl may have to buffer up to its flow-control window (32 MiB) of a body that is not
    /// being read while it reads other streams of that connection, where TCP would push back.
    public var http2: Set<TransferPurpose>
    /// Requests in flight at once, by purpose; further ones are queued.
    public var concurrency: [TransferPurpose: Int]
    /// Connections to one host at the same time, of all purposes; nil means no limit beyond
    /// `concurrency`. A longpoll takes one of them, too.
    public var connectionsPerHost: Int?
    /// Idle connections that are kept for later requests.
    public var idleConnections: Int
    /// Bytes per second that all uploads together may use; nil means no limit.
    public var uploadRate: UInt64?
    /// Bytes per second that all downloads together may use; nil means no limit.
    public var downloadRate: UInt64?
    /// Receive the transferred byte counts; a client that makes its transport adds its own
    /// observers.
    public var observers: [any TransferObserver]

    /// Takes over all fields.
    public init(
        certificateFile: String? = nil, pinnedKeys: [PinnedKey] = [],
        proxy: ProxySetting = .environment, ipVersion: IPVersion = .any,
        http2: Set<TransferPurpose> = [.rpc, .longpoll],
        concurrency: [TransferPurpose: Int] = [.rpc: 32, .download: 16, .upload: 8, .longpoll: 16],
        connectionsPerHost: Int? = nil, idleConnections: Int = 64, uploadRate: UInt64? = nil,
        downloadRate: UInt64? = nil, observers: [any TransferObserver] = []
    ) {
        self.certificateFile = certificateFile
        self.pinnedKeys = pinnedKeys
        self.proxy = proxy
        self.ipVersion = ipVersion
        self.http2 = http2
        self.concurrency = concurrency
        self.connectionsPerHost = connectionsPerHost
        self.idleConnections = idleConnections
        self.uploadRate = uploadRate
        self.downloadRate = downloadRate
        self.observers = observers
    }
}

/// The versions of IP that connections use.
@nonexhaustive public enum IPVersion: Hashable, Sendable {
    /// The version that connects first.
    case any
    case v4
    case v6
}

/// The proxy to use.
@nonexhaustive public enum ProxySetting: Hashable, Sendable {
    /// The proxy of the environment's `https_proxy`, `all_proxy` and `no_proxy`.
    case environment
    /// No proxy, regardless of the environment.
    case none
    /// The given proxy, regardless of the environment.
    case proxy(Proxy)
}

/// A proxy with a valid address.
public struct Proxy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    private static let schemes = ["http", "https", "socks5", "socks5h"]

    /// The whole address; it may contain a user and a password.
    package let url: String
    /// Hosts that bypass the proxy.
    public let exceptions: [String]

    /// Takes an address such as `http://user:password@proxy.example.com:3128`, with the scheme
    /// `http`, `https`, `socks5` or `socks5h` (the proxy resolves names), and hosts that bypass it:
    /// names, which include their subdomains, addresses, networks (`10.0.0.0/8`), or `*`.
    ///
    /// Throws `invalidRequest` for an invalid address.
    public init(_ url: String, except exceptions: [String] = []) throws(TransportError) {
        let parts = URLComponents(string: url)
        let isAddress =
            parts?.scheme.map { Self.schemes.contains($0.lowercased()) } == true
            && parts?.host?.isEmpty == false
            && ["", "/"].contains(parts?.path) && parts?.query == nil && parts?.fragment == nil
        let hasSoundExceptions = exceptions.allSatisfy { host in
            !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2C }
        }
        guard isAddress, hasSoundExceptions else {
            // The address may contain a password, so the message does not quote it.
            throw TransportError(
                kind: .invalidRequest,
                message: isAddress
                    ? "a host that is to be reached without the proxy has no valid name"
                    : "the proxy's address is not one of http, https, socks5 or socks5h",
                mayHaveBeenReceived: false)
        }
        self.url = url
        self.exceptions = exceptions
    }

    /// The address without user and password.
    public var description: String {
        var parts = URLComponents(string: url)
        parts?.user = nil
        parts?.password = nil
        return parts?.string ?? "a proxy"
    }
    /// A mirror without user and password.
    public var customMirror: Mirror { Mirror(self, children: ["url": description]) }
}

/// The SHA-256 of a server's public key (SubjectPublicKeyInfo), as in RFC 7469 and libcurl.
///
///     openssl s_client -connect api.dropboxapi.com:443 < /dev/null | openssl x509 -pubkey -noout |
///         openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
public struct PinnedKey: Hashable, Sendable, CustomStringConvertible {
    /// `sha256//` and the hash in base64.
    public let description: String

    /// Takes the hash in base64, with or without `sha256//` before it; nil unless it has 32 bytes.
    public init?(_ text: String) {
        let prefix = "sha256//"
        let base64 = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        guard let hash = Data(base64Encoded: base64), hash.count == 32 else { return nil }
        description = "\(prefix)\(base64)"
    }
}
