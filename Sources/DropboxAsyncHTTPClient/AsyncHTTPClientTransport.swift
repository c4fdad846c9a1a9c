// HTTP over async-http-client: the public API of this product. Not responsible for single transfers
// (`AsyncTransfer`), nor for connections (`ClientPool`).

#if AsyncHTTPClient
    public import AsyncHTTPClient
    public import DropboxAPI
    public import Logging
    public import NIOCore
    import Synchronization

    /// Sends requests with async-http-client, on event loops that a server has already.
    ///
    ///     let transport = try AsyncHTTPClientTransport(eventLoopGroup: group)
    ///     let client = DropboxClient(tokens: tokens, transport: transport)
    ///
    /// It keeps the promises of `CurlTransport`: TLS is always verified, redirects are not
    /// followed, purposes never wait for one another, and bodies in both directions are held up
    /// instead of filling memory. The limits of async-http-client are listed at the initialisers.
    public final class AsyncHTTPClientTransport: HTTPTransport {
        private let table: TransferTable
        private let lastID = Atomic<UInt64>(0)

        /// Makes a transport with connections of its own, on event loops that stay their maker's.
        ///
        /// The configuration holds as for `CurlTransport`, but for these:
        ///
        /// - A proxy is one of the scheme `http`, with a user and a password or without, or of
        ///   `socks5` and `socks5h`, without, which resolves names in both cases.
        /// - `idleConnections` has no effect: a connection that is idle is closed after 55 seconds.
        /// - With `connectionsPerHost`, all purposes use HTTP/1.1.
        /// - A connection attempt ends after a minute, also where `TransferTimeouts.connect` is
        ///   longer.
        /// - The head of a response has at most 80 KiB.
        ///
        /// Throws `certificate` when the certificate file cannot be read, and `invalidRequest` for
        /// a proxy of another kind.
        public init(
            eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup,
            configuration: TransportConfiguration = .init(),
            logger: Logger = Logger(label: "dropbox.http")
        ) throws(TransportError) {
            table = TransferTable(
                pool: ClientPool(
                    try ClientFactory(
                        group: eventLoopGroup, configuration: configuration, logger: logger)),
                flow: TrafficFlow(
                    up: configuration.uploadRate, down: configuration.downloadRate,
                    observers: configuration.observers),
                lines: TransferLines(
                    concurrency: configuration.concurrency,
                    connectionsPerHost: configuration.connectionsPerHost))
        }

        /// Makes a transport over a client of the app, which stays the app's: `shutDown` ends its
        /// transfers and leaves the client.
        ///
        /// The client decides about certificates, proxies, versions of HTTP, and how long it tries
        /// to connect. It should
        ///
        /// - allow as many connections to a host as requests may be in flight (`connectionPool`),
        ///   because one that waits longer than the client's connect timeout fails, and a request
        ///   for a longpoll holds a connection for minutes;
        /// - have no decompression, because it would hold for contents, too: compressed answers are
        ///   decompressed here.
        ///
        /// `concurrency` is the number of requests in flight at once, by purpose; the rates are
        /// bytes per second of all bodies together. `networkChanged` has no effect, because it
        /// would end other requests of the app.
        public init(
            client: HTTPClient,
            concurrency: [TransferPurpose: Int] = TransportConfiguration().concurrency,
            uploadRate: UInt64? = nil, downloadRate: UInt64? = nil,
            observers: [any TransferObserver] = []
        ) {
            table = TransferTable(
                pool: ClientPool(shared: client),
                flow: TrafficFlow(up: uploadRate, down: downloadRate, observers: observers),
                lines: TransferLines(concurrency: concurrency, connectionsPerHost: nil))
        }

        deinit {
            // No transfer is left: each keeps its transport.
            table.stop()
            table.pool.close()
        }

        /// Sends a request and returns when the response's headers have arrived.
        public func send(
            _ request: TransportRequest
        ) async throws(TransportError) -> TransportResponse {
            let id = lastID.add(1, ordering: .relaxed).newValue
            let exchange = Exchange(id: id, driver: table, transport: self)
            try table.add(id, request, exchange)
            let head = try await exchange.head()
            return TransportResponse(
                status: head.status, headers: head.headers, body: ResponseBody(exchange))
        }

        /// Limits all bodies together, in bytes per second, from now on; nil means no limit.
        public func limitBandwidth(up: UInt64?, down: UInt64?) {
            table.limitBandwidth(up: up, down: down)
        }

        /// Uses no connection of before for further requests, and ends connections from an address
        /// that the machine no longer has.
        public func networkChanged(addresses: Set<String>) {
            table.pool.networkChanged(addresses: addresses)
        }

        /// Fails all transfers in flight, and returns when the connections that this transport made
        /// are closed.
        public func shutDown() async {
            table.stop()
            await table.pool.shutDown()
        }
    }
#endif
