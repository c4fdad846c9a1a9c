// The client: a value that names an account's view of the API, over shared connections. Not
// responsible for the meaning of files: it knows routes, tokens and retries.

public import Logging

/// Calls routes of the Dropbox API.
///
/// A client is a cheap value; copies share connections, the rate gate and tokens. For example:
///
///     let client = try DropboxClient(accessToken: "…")
///     let page = try await client.files.listFolder(path: "")
///     let file = try await client.files.download(path: "/a.txt")
///     for try await chunk in file.body { … }
public struct DropboxClient: Sendable {
    /// The settings that the client was made with.
    public let configuration: DropboxConfiguration
    /// The root that paths are relative to; nil means the user's home.
    public private(set) var pathRoot: Common.PathRoot?
    /// The identity in whose name routes are called.
    public private(set) var caller = Caller.user

    let transport: any HTTPTransport
    let tokens: any AccessTokenProvider
    let reporter: Reporter
    let gate: RateGate
    let networkPauses = NetworkPauses()
    package var clock = CallClock()

    /// Makes a client with its own connections.
    ///
    /// Throws when the certificate file or libcurl cannot be used.
    public init(
        configuration: DropboxConfiguration = .init(), tokens: any AccessTokenProvider,
        logger: Logger = Logger(label: "dropbox.api")
    ) throws(TransportError) {
        var settings = configuration.transport
        settings.observers.append(
            contentsOf: configuration.observers as [any TransferObserver])
        self.init(
            configuration, tokens, logger,
            over: try CurlTransport(configuration: settings, logger: logger))
    }

    /// Makes a client with its own connections and a token that is not renewed, such as one from
    /// the app's page at Dropbox. `tokens` takes logins that last.
    ///
    /// Throws when the certificate file or libcurl cannot be used.
    public init(
        configuration: DropboxConfiguration = .init(), accessToken: String,
        logger: Logger = Logger(label: "dropbox.api")
    ) throws(TransportError) {
        try self.init(
            configuration: configuration, tokens: FixedAccessToken(AccessToken(accessToken)),
            logger: logger)
    }

    /// Makes a client over a given transport, for example one that many accounts' clients share.
    ///
    /// The client's observers see its own bytes, and its `shutDown` ends its own requests. The
    /// transport stays its maker's, who shuts it down after its clients.
    public init(
        configuration: DropboxConfiguration = .init(), tokens: any AccessTokenProvider,
        transport: any HTTPTransport, logger: Logger = Logger(label: "dropbox.api")
    ) {
        self.init(
            configuration, tokens, logger,
            over: ClientTransport(transport, observers: configuration.observers))
    }

    private init(
        _ configuration: DropboxConfiguration, _ tokens: any AccessTokenProvider, _ logger: Logger,
        over transport: any HTTPTransport
    ) {
        self.configuration = configuration
        self.tokens = tokens
        self.transport = transport
        reporter = Reporter(observers: configuration.observers, logger: logger)
        gate = RateGate()
    }

    /// The same client with paths relative to another root.
    public func rooted(at root: Common.PathRoot?) -> DropboxClient {
        var copy = self
        copy.pathRoot = root
        return copy
    }

    /// The same client with another caller.
    public func acting(as caller: Caller) -> DropboxClient {
        var copy = self
        copy.caller = caller
        return copy
    }

    /// Calls a route of the rpc style, or one of the upload style without content.
    public func call<Argument, Output, Failure>(
        _ route: Route<Argument, Output, Failure>, _ argument: Argument,
        options: CallOptions = .init()
    ) async throws(CallError<Failure>) -> Output {
        try await upload(route, argument, body: BytesBody([]), options: options)
    }

    /// Calls a route that has no argument.
    public func call<Output, Failure>(
        _ route: Route<NoValue, Output, Failure>, options: CallOptions = .init()
    ) async throws(CallError<Failure>) -> Output {
        try await call(route, NoValue(), options: options)
    }

    // Here and below, `@_semantics` keeps the optimiser from copies of a call's whole loop for each
    // route, 3 MB of them.

    /// Calls a route of the upload style; a retry reads `body` again.
    @_semantics("optimize.sil.specialize.generic.never")
    public func upload<Argument, Output, Failure>(
        _ route: Route<Argument, Output, Failure>, _ argument: Argument, body: any BodySource,
        options: CallOptions = .init()
    ) async throws(CallError<Failure>) -> Output {
        guard route.style != .download else {
            throw refusal(
                of: route, .badInput("\(route.name) gives content: use download"), options)
        }
        let isHashed = (argument as? Files.UploadArg).map { $0.contentHash == nil } ?? false
        let observed = ObservedBody(
            body, progress: options.progress, isHashed: isHashed && options.comparesHashes)
        let call: PreparedCall
        do {
            call = try prepare(route, argument, content: observed, options: options)
        } catch {
            throw refusal(of: route, .init(error), options)
        }
        let limit = configuration.resultLimit
        return try await perform(call) {
            (response: TransportResponse, json: inout [UInt8]?) async
                -> Result<Output, CallError<Failure>.Failed> in
            do throws(TransportError) {
                let bytes = try await response.body.collect(upTo: limit)
                json = bytes
                let decoded: Result<Output, CallError<Failure>.Failed> = Self.decode(
                    Output.self, bytes)
                if case .success(let output) = decoded,
                    let stored = (output as? Files.FileMetadata)?.contentHash,
                    let sent = observed.hash, sent != stored
                {
                    return .failure(
                        .init(.response(.contentHash(expected: sent, received: stored))))
                }
                return decoded
            } catch {
                return .failure(.init(error))
            }
        }
    }

    /// Calls a route of the download style and returns when its result has arrived.
    ///
    /// A range that the server does not honour exactly is an error. Failures after this returns are
    /// thrown by the body and not retried: request the remaining range, by `rev:`.
    @_semantics("optimize.sil.specialize.generic.never")
    public func download<Argument, Output, Failure>(
        _ route: Route<Argument, Output, Failure>, _ argument: Argument, range: ByteRange? = nil,
        options: CallOptions = .init()
    ) async throws(CallError<Failure>) -> Download<Output, Failure> {
        var call: PreparedCall
        do {
            call = try prepare(route, argument, content: nil, options: options)
        } catch {
            throw refusal(of: route, .init(error), options)
        }
        if let range {
            guard let value = range.headerValue else {
                throw refusal(of: route, .badInput("empty range"), options)
            }
            call.headers.append("Range", value)
        }
        let (context, options) = (call.context, call.options)
        // The metadata that a preview comes with is not the preview's.
        let isFile = argument is Files.DownloadArg
        return try await perform(call) {
            (response: TransportResponse, json: inout [UInt8]?) async
                -> Result<Download<Output, Failure>, CallError<Failure>.Failed> in
            json = response.headers["Dropbox-API-Result"].map { Array($0.utf8) }
            return Self.start(
                response, asked: range, isFile: isFile, options: options, context: context, reporter
            )
        }
    }

    /// Limits all bodies together, in bytes per second, from now on; nil means no limit.
    public func limitBandwidth(up: UInt64?, down: UInt64?) {
        transport.limitBandwidth(up: up, down: down)
    }

    /// Tells the client that the machine has moved to another network, or has slept, and the
    /// addresses that it has now. Connections of before are not used for further requests,
    /// transfers from an address that is gone are repeated at once, and so are calls that wait
    /// after they have found no server.
    public func networkChanged(addresses: Set<String>) {
        transport.networkChanged(addresses: addresses)
        networkPauses.endAll()
    }

    /// How long a rate limit of the server still holds back all calls of this client and its
    /// copies; nil without one.
    public var rateLimitDelay: Duration? { gate.delay(at: clock.now()) }

    /// Ends all requests of this client and its copies, and frees its connections, unless the
    /// transport was given.
    public func shutDown() async {
        await transport.shutDown()
    }

    /// The error of a call that is refused before it is sent.
    private func refusal<Argument, Output, Failure>(
        of route: Route<Argument, Output, Failure>, _ kind: CallError<Failure>.Kind,
        _ options: CallOptions
    ) -> CallError<Failure> {
        let error = CallError(
            kind: kind, context: CallContext(route: route.name, label: options.label))
        let record = CallRecord(
            context: error.context, duration: .zero, failure: CallFailure(error))
        reporter.callEnded(record)
        options.onEnd?(record)
        return error
    }

    private static func decode<Output: Decodable, Failure>(
        _ type: Output.Type, _ bytes: [UInt8]
    ) -> Result<Output, CallError<Failure>.Failed> {
        do {
            return .success(try JSON.decode(Output.self, from: bytes))
        } catch {
            let excerpt = CallError<Failure>.Kind.excerpt(bytes)
            return .failure(.init(.serialization("\(error.message) in: \(excerpt)")))
        }
    }

    /// Reads a download's headers; the caller reads the body.
    private static func start<Output: Decodable & Sendable, Failure>(
        _ response: TransportResponse, asked: ByteRange?, isFile: Bool, options: CallOptions,
        context: CallContext, _ reporter: Reporter
    ) -> Result<Download<Output, Failure>, CallError<Failure>.Failed> {
        guard let header = response.headers["Dropbox-API-Result"] else {
            return .failure(.init(.response(.missingResult)))
        }
        let result: Output
        let decoded: Result<Output, CallError<Failure>.Failed> = decode(
            Output.self, Array(header.utf8))
        switch decoded {
        case .success(let decoded): result = decoded
        case .failure(let failed): return .failure(failed)
        }
        var context = context
        context.requestID = response.requestID
        context.status = response.status
        let file = isFile ? result as? Files.FileMetadata : nil
        let expected = DownloadCheck.expectedBytes(
            asked: asked, status: response.status, headers: response.headers,
            size: file?.size)
        return switch expected {
        case .failure(let fault): .failure(.init(.response(fault)))
        case .success(let range):
            .success(
                Download(
                    result: result, range: range,
                    body: DownloadBody(
                        chunks: response.body, expected: range.map(\.length),
                        hash: asked == nil && options.comparesHashes ? file?.contentHash : nil,
                        progress: options.progress, context: context, reporter: reporter)))
        }
    }
}

extension TransportResponse {
    var requestID: String? { headers["X-Dropbox-Request-Id"] }
}
