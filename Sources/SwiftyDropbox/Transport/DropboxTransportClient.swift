// The way on which clients send their requests: a protocol, so that tests can stand in for the
// network.

public import Foundation

/// Makes requests of routes and their arguments.
public protocol DropboxTransportClient: AnyObject, Sendable {
    /// The member of a team in whose name routes are called; nil for the owner of the token.
    var selectUser: String? { get set }
    /// The root that paths are relative to; nil for the user's home.
    var pathRoot: Common.PathRoot? { get set }
    /// Called when all transfers of a background session have ended.
    var didFinishBackgroundEvents: (@Sendable () -> Void)? { get set }
    /// Gives access tokens; nil where requests are the app's own.
    var accessTokenProvider: (any AccessTokenProvider)? { get set }
    /// Whether transfers outlive the process.
    var isBackgroundClient: Bool { get }
    /// Whether answers are read off the queue of the handler.
    static var serializeOnBackgroundThread: Bool { get set }
    /// The name of the background session.
    var identifier: String? { get }

    /// Calls a route without an argument.
    func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>
    ) -> RpcRequest<RSerial, ESerial>

    /// Calls a route of the rpc style.
    func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType?
    ) -> RpcRequest<RSerial, ESerial>

    /// Calls a route that takes content.
    func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType, input: UploadBody
    ) -> UploadRequest<RSerial, ESerial>

    /// Calls a route that gives content, and keeps that in a file.
    func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType, overwrite: Bool,
        destination: URL
    ) -> DownloadRequestFile<RSerial, ESerial>

    /// Calls a route that gives content, and keeps that in memory.
    func request<ASerial, RSerial, ESerial>(
        _ route: Route<ASerial, RSerial, ESerial>, serverArgs: ASerial.ValueType
    ) -> DownloadRequestMemory<RSerial, ESerial>

    /// Ends all requests, and refuses further ones.
    func shutdown()
}

/// A type with a transport client.
public protocol DropboxTransportClientOwning {
    /// The transport client that sends the requests.
    var client: any DropboxTransportClient { get }
    /// Takes over the transport client.
    init(client: any DropboxTransportClient)
}

/// Additional headers of requests to a host.
public typealias HeadersForRouteRequest = @Sendable (RouteHost) -> [String: String]

/// How requests say who they are from.
public enum AuthStrategy: Sendable {
    /// By an access token.
    case accessToken(any AccessTokenProvider)
    /// By the key and the secret of the app.
    case appKeyAndSecret(String, String)

    var accessTokenProvider: (any AccessTokenProvider)? {
        if case .accessToken(let provider) = self { provider } else { nil }
    }
}

/// Where the API is served.
public final class BaseHosts: Sendable {
    let apiHost: String
    let contentHost: String
    let downloadContentHost: String
    let notifyHost: String

    /// A host for each purpose, with its scheme: `https://api.dropboxapi.com`.
    public convenience init(apiHost: String, contentHost: String, notifyHost: String) {
        self.init(
            apiHost: apiHost, contentHost: contentHost, downloadContentHost: contentHost,
            notifyHost: notifyHost)
    }

    /// The same with another host for downloads.
    public init(
        apiHost: String, contentHost: String, downloadContentHost: String, notifyHost: String
    ) {
        self.apiHost = apiHost
        self.contentHost = contentHost
        self.downloadContentHost = downloadContentHost
        self.notifyHost = notifyHost
    }

    /// The hosts of Dropbox itself.
    public static let `default` = BaseHosts(
        apiHost: "https://api.dropboxapi.com", contentHost: "https://content.dropboxapi.com",
        notifyHost: "https://notify.dropboxapi.com")
}
