// Settings of connections, by the names of Apple's. Not responsible for connections.

/// Settings of a client's connections.
public struct NetworkSessionConfiguration: Sendable {
    /// Of requests nothing is kept, in either case. Transfers that outlive the process are in
    /// DropboxTransfers.
    public enum Kind: Sendable {
        case `default`
        case ephemeral
    }

    /// Either of the two, without a difference.
    public let kind: Kind
    /// Seconds without any byte after which a request fails.
    public var timeoutIntervalForRequest = 60.0
    /// Seconds after which a request fails in any case.
    public var timeoutIntervalForResource = 604_800.0
    /// Without effect: Linux does not tell networks that cost money from others.
    public var allowsCellularAccess = true
    /// Without effect, as `allowsCellularAccess`.
    public var allowsExpensiveNetworkAccess = true
    /// Without effect, as `allowsCellularAccess`.
    public var allowsConstrainedNetworkAccess = true
    /// Connections to one host at the same time. With another number than this a client has
    /// connections of its own.
    public var httpMaximumConnectionsPerHost = Self.usualConnections
    /// Without effect: transfers begin when they are asked for.
    public var isDiscretionary = false

    static let usualConnections = 6

    /// Settings with Apple's defaults.
    public init(kind: Kind) {
        self.kind = kind
    }

    /// Settings for calls and transfers.
    public static var `default`: Self {
        var settings = Self(kind: .default)
        settings.timeoutIntervalForRequest = 100.0
        return settings
    }

    /// Settings for waiting for changes.
    public static var defaultLongpoll: Self {
        var settings = Self(kind: .default)
        settings.timeoutIntervalForRequest = 480.0
        return settings
    }
}

/// Decisions about servers' certificates.
public enum AuthChallenge {
    /// There is none on Linux, and so only `nil` has this type: certificates are always verified,
    /// against those of the system or of `SSL_CERT_FILE`. An app that pins keys uses
    /// `TransportConfiguration.pinnedKeys` of DropboxAPI.
    public typealias Handler = Never
}
