// Makes clients of async-http-client out of a transport's settings. Not responsible for their
// lives: see `ClientPool`.

#if AsyncHTTPClient
    import AsyncHTTPClient
    import CLibrary
    import DropboxAPI
    import Logging
    import NIOCore
    import NIOSSL
    import Saturating

    /// The settings of a transport, for async-http-client.
    struct ClientFactory: Sendable {
        /// The decisions of a client of async-http-client for all of its requests.
        struct Kind: Hashable, Sendable {
            var usesHTTP2: Bool
            var usesProxy: Bool
        }

        /// The longest connection attempt; transfers end theirs earlier.
        private static let longestAttempt = TimeAmount.seconds(60)
        /// Middle boxes silently drop idle connections after a minute or more.
        private static let idleTime = TimeAmount.seconds(55)

        let group: any EventLoopGroup
        let connections: OpenConnections
        private let configuration: TransportConfiguration
        private let proxy: ProxyRule
        private let certificates: TrustedCertificates
        private let logger: Logger

        init(
            group: any EventLoopGroup, configuration: TransportConfiguration, logger: Logger
        ) throws(TransportError) {
            try configuration.checkCertificateFile()
            self.group = group
            self.configuration = configuration
            self.logger = logger
            proxy = try ProxyRule(
                configuration.proxy,
                environment: { name in
                    let value = getenv(name).map { String(cString: $0) }
                    return value?.isEmpty == false ? value : nil
                })
            certificates = TrustedCertificates.ofSystem(
                configured: configuration.certificateFile, builtIn: nil)
            connections = OpenConnections(pinnedKeys: configuration.pinnedKeys)
        }

        func kind(for url: ServerURL, _ purpose: TransferPurpose) -> Kind {
            Kind(
                usesHTTP2: url.isEncrypted && configuration.http2.contains(purpose)
                    && configuration.connectionsPerHost == nil,
                usesProxy: proxy.holds(for: url))
        }

        /// Makes a client, which has to be shut down.
        func makeClient(_ kind: Kind) -> HTTPClient {
            var settings = HTTPClient.Configuration(
                tlsConfiguration: tls, redirectConfiguration: .disallow,
                timeout: .init(connect: Self.longestAttempt, read: nil),
                proxy: kind.usesProxy ? proxy.proxy : nil, decompression: .disabled)
            settings.httpVersion = kind.usesHTTP2 ? .automatic : .http1Only
            settings.connectionPool.idleTimeout = Self.idleTime
            settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
                1, configuration.connectionsPerHost ?? allRequests)
            // A failure is the caller's to judge, who knows how long it is worth trying.
            settings.connectionPool.retryConnectionEstablishment = false
            settings.localAddress = configuration.ipVersion.anyAddress
            let connections = connections
            // Called when a connection is there, before the first request goes over it.
            settings.http1_1ConnectionDebugInitializer = { connections.admit($0) }
            settings.http2ConnectionDebugInitializer = { connections.admit($0) }
            return HTTPClient(
                eventLoopGroup: group, configuration: settings, backgroundActivityLogger: logger)
        }

        /// As many connections as there may be requests, so that none waits for another's.
        private var allRequests: Int {
            TransferPurpose.allCases.reduce(0) { $0 +| max(1, configuration.concurrency[$1] ?? 8) }
        }

        private var tls: TLSConfiguration {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            tls.certificateVerification = .fullVerification
            // Of the two, the first alone may be a folder.
            if let folder = certificates.folder {
                tls.trustRoots = .file(folder)
                tls.additionalTrustRoots = certificates.file.map { [.file($0)] } ?? []
            } else if let file = certificates.file {
                tls.trustRoots = .file(file)
            }
            return tls
        }
    }

    extension IPVersion {
        /// The address that a socket of this version is bound to, which is none in particular:
        /// sockets of the other version cannot be bound to it.
        fileprivate var anyAddress: String? {
            switch self {
            case .v4: "0.0.0.0"
            case .v6: "::"
            default: nil
            }
        }
    }
#endif
