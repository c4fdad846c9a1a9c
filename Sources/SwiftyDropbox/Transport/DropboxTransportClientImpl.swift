// The transport client over DropboxAPI: its settings, and the requests that it makes. Sending is in
// DropboxTransportClientImpl+Sending.

import DropboxAPI
public import Foundation
import Synchronization

/// Sends requests to Dropbox.
public final class DropboxTransportClientImpl: DropboxTransportClient {
    struct Settings: Sendable {
        var selectUser: String?
        var pathRoot: Common.PathRoot?
        var strategy: AuthStrategy
        var didFinish: (@Sendable () -> Void)?
    }

    /// The settings, shared with the provider of tokens.
    final class SettingsBox: Sendable {
        /// Held for an access only.
        let settings: Mutex<Settings>

        init(_ settings: Settings) {
            self.settings = Mutex(settings)
        }
    }

    /// Whether answers are read off the queue of the handler. At first they are.
    public static var serializeOnBackgroundThread: Bool {
        get { LibrarySettings.readsInBackground }
        set { LibrarySettings.readsInBackground = newValue }
    }

    /// Moves the files of downloads.
    public let filesAccess: any FilesAccess
    let box: SettingsBox
    let configuration: NetworkSessionConfiguration
    let longpollConfiguration: NetworkSessionConfiguration
    let headersForRouteHost: HeadersForRouteRequest?
    let connections: Result<Connections, TransportError>

    private init(
        _ strategy: AuthStrategy, _ hosts: BaseHosts, userAgent: String?, selectUser: String?,
        _ configuration: NetworkSessionConfiguration, longpoll: NetworkSessionConfiguration,
        _ filesAccess: any FilesAccess, pathRoot: Common.PathRoot?, headers: HeadersForRouteRequest?
    ) {
        let box = SettingsBox(
            Settings(selectUser: selectUser, pathRoot: pathRoot, strategy: strategy))
        self.box = box
        self.filesAccess = filesAccess
        self.configuration = configuration
        longpollConfiguration = longpoll
        headersForRouteHost = headers
        var app: AppCredentials?
        if case .appKeyAndSecret(let key, let secret) = strategy {
            app = AppCredentials(key: key, secret: secret)
        }
        let agent = (userAgent.map { "\($0)/" } ?? "") + Constants.userAgent
        connections = Result { () throws(TransportError) in
            try Connections(
                hosts, userAgent: agent, app: app,
                tokens: ProvidedTokens { box.settings.withLock(\.strategy).accessTokenProvider },
                connectionsPerHost: configuration.httpMaximumConnectionsPerHost)
        }
    }

    /// A client that calls routes of the app, by its key and secret.
    public convenience init(
        appKey: String, appSecret: String, baseHosts: BaseHosts = .default,
        userAgent: String? = nil,
        authChallengeHandler: AuthChallenge.Handler? = nil,
        headersForRouteHost: HeadersForRouteRequest? = nil
    ) {
        self.init(
            .appKeyAndSecret(appKey, appSecret), baseHosts, userAgent: userAgent, selectUser: nil,
            .default, longpoll: .defaultLongpoll, FilesAccessImpl(), pathRoot: nil,
            headers: headersForRouteHost)
    }

    /// A client for an access token that does not expire.
    public convenience init(
        accessToken: String, selectUser: String? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil, pathRoot: Common.PathRoot? = nil
    ) {
        self.init(
            accessTokenProvider: LongLivedAccessTokenProvider(accessToken: accessToken),
            selectUser: selectUser, sessionConfiguration: sessionConfiguration, pathRoot: pathRoot)
    }

    /// The same with all settings. Without hosts it is Dropbox itself.
    public convenience init(
        accessToken: String, baseHosts: BaseHosts? = .default, userAgent: String? = nil,
        selectUser: String? = nil, sessionConfiguration: NetworkSessionConfiguration? = .default,
        longpollSessionConfiguration: NetworkSessionConfiguration? = .defaultLongpoll,
        filesAccess: any FilesAccess = FilesAccessImpl(),
        authChallengeHandler: AuthChallenge.Handler? = nil, pathRoot: Common.PathRoot? = nil,
        headersForRouteHost: HeadersForRouteRequest? = nil
    ) {
        self.init(
            accessTokenProvider: LongLivedAccessTokenProvider(accessToken: accessToken),
            baseHosts: baseHosts, userAgent: userAgent, selectUser: selectUser,
            sessionConfiguration: sessionConfiguration,
            longpollSessionConfiguration: longpollSessionConfiguration, filesAccess: filesAccess,
            pathRoot: pathRoot, headersForRouteHost: headersForRouteHost)
    }

    /// A client for the tokens of a provider.
    public convenience init(
        accessTokenProvider: any AccessTokenProvider, selectUser: String? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = nil, pathRoot: Common.PathRoot? = nil
    ) {
        self.init(
            accessTokenProvider: accessTokenProvider, userAgent: nil, selectUser: selectUser,
            sessionConfiguration: sessionConfiguration, pathRoot: pathRoot)
    }

    /// The same with all settings. Without hosts it is Dropbox itself.
    public convenience init(
        accessTokenProvider: any AccessTokenProvider, baseHosts: BaseHosts? = .default,
        userAgent: String?, selectUser: String? = nil,
        sessionConfiguration: NetworkSessionConfiguration? = .default,
        longpollSessionConfiguration: NetworkSessionConfiguration? = .defaultLongpoll,
        filesAccess: any FilesAccess = FilesAccessImpl(),
        authChallengeHandler: AuthChallenge.Handler? = nil, pathRoot: Common.PathRoot? = nil,
        headersForRouteHost: HeadersForRouteRequest? = nil
    ) {
        self.init(
            .accessToken(accessTokenProvider), baseHosts ?? .default, userAgent: userAgent,
            selectUser: selectUser, sessionConfiguration ?? .default,
            longpoll: longpollSessionConfiguration ?? .defaultLongpoll, filesAccess,
            pathRoot: pathRoot, headers: headersForRouteHost)
    }

    /// The same connections and tokens with another member or root.
    func copy(selectUser: String?, pathRoot: Common.PathRoot?) -> DropboxTransportClientImpl {
        DropboxTransportClientImpl(self, selectUser: selectUser, pathRoot: pathRoot)
    }

    private init(
        _ other: DropboxTransportClientImpl, selectUser: String?, pathRoot: Common.PathRoot?
    ) {
        var settings = other.box.settings.withLock { $0 }
        settings.selectUser = selectUser
        settings.pathRoot = pathRoot
        box = SettingsBox(settings)
        filesAccess = other.filesAccess
        configuration = other.configuration
        longpollConfiguration = other.longpollConfiguration
        headersForRouteHost = other.headersForRouteHost
        connections = other.connections
    }

    // MARK: Settings

    /// The member of a team in whose name routes are called; nil for the owner of the token.
    public var selectUser: String? {
        get { box.settings.withLock(\.selectUser) }
        set { box.settings.withLock { $0.selectUser = newValue } }
    }

    /// The root that paths are relative to; nil for the user's home.
    public var pathRoot: Common.PathRoot? {
        get { box.settings.withLock(\.pathRoot) }
        set { box.settings.withLock { $0.pathRoot = newValue } }
    }

    /// Kept for the app; there are no background sessions that could call it.
    public var didFinishBackgroundEvents: (@Sendable () -> Void)? {
        get { box.settings.withLock { $0 }.didFinish }
        set { box.settings.withLock { $0.didFinish = newValue } }
    }

    /// Gives access tokens; nil where requests are the app's own.
    public var accessTokenProvider: (any AccessTokenProvider)? {
        get { box.settings.withLock(\.strategy).accessTokenProvider }
        set {
            guard let newValue else { return }
            box.settings.withLock { $0.strategy = .accessToken(newValue) }
        }
    }

    /// False: transfers that outlive the process are in DropboxTransfers.
    public var isBackgroundClient: Bool { false }

    /// Nil: there is no background session.
    public var identifier: String? { nil }

    // MARK: Requests

    /// Calls a route without an argument.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>
    ) -> RpcRequest<RSerial, ESerial> {
        request(route, serverArgs: nil)
    }

    /// Calls a route of the rpc style.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType?
    ) -> RpcRequest<RSerial, ESerial> {
        let call = PlainCall(route, serverArgs)
        let work = RequestWork { work in await self.send(call, for: work) }
        return RpcRequest(work, route.responseSerializer, route.errorSerializer)
    }

    /// Calls a route that takes content.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType, input: UploadBody
    ) -> UploadRequest<RSerial, ESerial> {
        let call = PlainCall(route, serverArgs)
        let source = UploadBody.Source(input: input)
        let work = RequestWork { work in await self.upload(call, source, for: work) }
        return UploadRequest(work, route.responseSerializer, route.errorSerializer)
    }

    /// Calls a route that gives content, and keeps that in a file.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType, overwrite: Bool,
        destination: URL
    ) -> DownloadRequestFile<RSerial, ESerial> {
        let call = PlainCall(route, serverArgs)
        let work = RequestWork { work in await self.download(call, toFile: true, for: work) }
        return DownloadRequestFile(
            work, route.responseSerializer, route.errorSerializer,
            to: DownloadDestination(place: destination, overwrite: overwrite, access: filesAccess))
    }

    /// Calls a route that gives content, and keeps that in memory.
    public func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType
    ) -> DownloadRequestMemory<RSerial, ESerial> {
        let call = PlainCall(route, serverArgs)
        let work = RequestWork { work in await self.download(call, toFile: false, for: work) }
        return DownloadRequestMemory(work, route.responseSerializer, route.errorSerializer)
    }

    /// Ends all requests, and refuses further ones. Their handlers are called with
    /// `URLError.cancelled`.
    public func shutdown() {
        guard case .success(let connections) = connections else { return }
        Task {
            await connections.calls.shutDown()
            await connections.downloads.shutDown()
        }
    }
}
