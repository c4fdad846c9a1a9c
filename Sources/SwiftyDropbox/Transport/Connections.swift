// The connections below transport clients: one set for the process, and clients of DropboxAPI for
// the hosts, the token and the limits of each. Not responsible for routes.

import DropboxAPI
import Foundation
import Synchronization

/// The clients of DropboxAPI that a transport client calls through.
struct Connections: Sendable {
    let calls: DropboxAPI.DropboxClient
    /// For downloads, which may have a host of their own.
    let downloads: DropboxAPI.DropboxClient

    /// Throws when a host is not https, or when the system's certificates cannot be read.
    init(
        _ hosts: BaseHosts, userAgent: String, app: AppCredentials?,
        tokens: any DropboxAPI.AccessTokenProvider, connectionsPerHost: Int
    ) throws(TransportError) {
        let transport = HeaderTransport(base: try Self.transport(connectionsPerHost))
        func client(content: String) throws(TransportError) -> DropboxAPI.DropboxClient {
            let configuration = DropboxConfiguration(
                hosts: try DropboxHosts(
                    api: hosts.apiHost, content: content, notify: hosts.notifyHost,
                    web: "https://www.dropbox.com"),
                userAgent: userAgent,
                // As in the API that programs are written for, each request is sent once, and its
                // failure is theirs.
                retryPolicy: RetryPolicy(maxAttempts: 1, maxThrottles: 0), app: app)
            return DropboxAPI.DropboxClient(
                configuration: configuration, tokens: tokens, transport: transport)
        }
        calls = try client(content: hosts.contentHost)
        downloads =
            hosts.downloadContentHost == hosts.contentHost
            ? calls : try client(content: hosts.downloadContentHost)
    }

    /// Held while the first client's connections are set up.
    private static let shared = Mutex<CurlTransport?>(nil)

    /// The connections of the process, or some of a client's own.
    static func transport(_ connectionsPerHost: Int) throws(TransportError) -> any HTTPTransport {
        if connectionsPerHost != NetworkSessionConfiguration.usualConnections {
            return try CurlTransport(
                configuration: TransportConfiguration(
                    connectionsPerHost: max(1, connectionsPerHost)))
        }
        let result = shared.withLock { shared -> Result<CurlTransport, TransportError> in
            if let shared { return .success(shared) }
            do throws(TransportError) {
                let transport = try CurlTransport()
                shared = transport
                return .success(transport)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

/// Adds the headers that an app wants in each request of a task.
struct HeaderTransport: HTTPTransport {
    @TaskLocal static var headers: [String: String] = [:]

    let base: any HTTPTransport

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        let added = Self.headers
        guard !added.isEmpty else { return try await base.send(request) }
        let names = Set(added.keys.map { $0.lowercased() })
        var headers: TransportHeaders = [:]
        for field in request.headers.fields where !names.contains(field.name.lowercased()) {
            headers.append(field.name, field.value)
        }
        for (name, value) in added.sorted(by: { $0.key < $1.key }) { headers.append(name, value) }
        request.headers = headers
        return try await base.send(request)
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {
        base.limitBandwidth(up: up, down: down)
    }

    func shutDown() async {
        await base.shutDown()
    }
}

/// Asks an app's provider for tokens.
struct ProvidedTokens: DropboxAPI.AccessTokenProvider {
    let provider: @Sendable () -> (any AccessTokenProvider)?

    func accessToken() async throws(TokenError) -> AccessToken {
        guard let provider = provider() else { throw .missing("there is no access token") }
        let result: DropboxOAuthResult? = await withCheckedContinuation { continuation in
            let once = OnceOnly(continuation)
            provider.refreshAccessTokenIfNecessary { once.resume($0) }
        }
        switch result {
        case .error(let error, let message):
            throw .rejected(code: error.rawValue, description: message ?? "")
        case .cancel: throw .cancelled
        case .success, nil: return AccessToken(provider.accessToken)
        }
    }

    func accessToken(replacing expired: AccessToken) async throws(TokenError) -> AccessToken? {
        let token = try await accessToken()
        return token == expired ? nil : token
    }
}

/// A waiting task that an app's code wakes, which may call twice.
final class OnceOnly<Value: Sendable>: Sendable {
    /// Held for an exchange only.
    private let waiting: Mutex<CheckedContinuation<Value, Never>?>

    init(_ continuation: CheckedContinuation<Value, Never>) {
        waiting = Mutex(continuation)
    }

    func resume(_ value: Value) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(returning: value)
    }
}
