// From a route and its argument to an HTTP request that lacks only the token.

import Essentials
import Saturating

/// A call complete but for the token; it can be sent any number of times.
struct PreparedCall: Sendable {
    let name: String
    let url: String
    var headers: TransportHeaders
    let body: (any BodySource)?
    let purpose: TransferPurpose
    let timeouts: TransferTimeouts
    let acceptsCompression: Bool
    let authentication: RouteAuthentication
    let isSafeToRepeat: Bool
    /// Whether the transport may resend silently. False if only the caller's options allow retries:
    /// that caller relies on `earlierAttemptMayHaveTakenEffect`.
    let mayBeSentTwiceSilently: Bool
    let hasContent: Bool
    let options: CallOptions

    var context: CallContext { CallContext(route: name, label: options.label) }

    /// Failures of longpoll are paced by the caller.
    var isPacedByCaller: Bool { purpose == .longpoll }
}

/// The reason why a call cannot be sent.
enum PreparationError: Error {
    /// The argument could not be encoded.
    case argument(SerializationError)
    /// The client's caller cannot use the route of this name.
    case wrongCaller(String)
}

extension CallError.Kind {
    init(_ error: PreparationError) {
        switch error {
        case .argument(let error): self = .serialization(error.message)
        case .wrongCaller(let route):
            self = .badInput("\(route) is not for apps: call it as a user or a member of a team")
        }
    }
}

/// An argument that makes the server delay its response.
package protocol DelaysResponse {
    /// The timeout for the first byte of the response.
    var responseTimeout: Duration { get }
}

extension Files.ListFolderLongpollArg: DelaysResponse {
    package var responseTimeout: Duration { .longpoll(seconds: timeout) }
}

extension Duration {
    /// The server adds up to 90 seconds to the timeout; 30 more allow for the network.
    package static func longpoll(seconds: UInt64) -> Duration {
        .seconds(Int64(clamping: min(seconds, 480)) +| 90 +| 30)
    }
}

extension DropboxClient {
    func prepare<Argument, Output, Failure>(
        _ route: Route<Argument, Output, Failure>, _ argument: Argument,
        content: (any BodySource)?, options: CallOptions
    ) throws(PreparationError) -> PreparedCall {
        var options = options
        limit(&options, of: route)
        guard let authentication = route.authentication.resolved(for: caller) else {
            throw .wrongCaller(route.name)
        }
        let json: [UInt8]
        do {
            json = try JSON.encode(argument)
        } catch {
            throw .argument(error)
        }
        var headers: TransportHeaders = ["User-Agent": configuration.userAgent]
        addSelection(to: &headers, for: authentication)
        var body = content
        switch route.style {
        case .rpc:
            headers.append("Content-Type", "application/json")
            body = BytesBody(json)
        case .upload:
            headers.append("Content-Type", "application/octet-stream")
            headers.append("Dropbox-API-Arg", JSON.headerValue(json))
        case .download:
            headers.append("Dropbox-API-Arg", JSON.headerValue(json))
        }
        return PreparedCall(
            name: route.name,
            url: configuration.hosts.base(of: route.host) + "/2/" + route.name,
            headers: headers, body: body, purpose: Self.purpose(of: route.host, route.style),
            timeouts: timeouts(for: route.style, argument, options),
            acceptsCompression: route.style == .rpc, authentication: authentication,
            isSafeToRepeat: options.isSafeToRepeat ?? route.isSafeToRepeat,
            mayBeSentTwiceSilently: route.isSafeToRepeat && options.isSafeToRepeat != false,
            hasContent: route.style == .upload && (content?.length ?? 0) > 0, options: options)
    }

    /// Applies the client's own limit to a call without one.
    private func limit<Argument, Output, Failure>(
        _ options: inout CallOptions, of route: Route<Argument, Output, Failure>
    ) {
        guard let limit = configuration.callLimit, options.deadline == nil, route.host != .notify
        else { return }
        let end = clock.now().advanced(by: limit)
        if route.style == .rpc {
            options.deadline = end
        } else if options.pauseDeadline == nil {
            options.pauseDeadline = end
        }
    }

    private func addSelection(to headers: inout TransportHeaders, for who: RouteAuthentication) {
        guard who == .user else { return }
        if let pathRoot, let json = try? JSON.encode(pathRoot) {
            headers.append("Dropbox-API-Path-Root", JSON.headerValue(json))
        }
        if let selection = caller.selection {
            headers.append(selection.name, selection.value)
        }
    }

    private static func purpose(of host: RouteHost, _ style: RouteStyle) -> TransferPurpose {
        switch (host, style) {
        case (.notify, _): .longpoll
        case (_, .rpc): .rpc
        case (_, .upload): .upload
        case (_, .download): .download
        }
    }

    private func timeouts(
        for style: RouteStyle, _ argument: some Encodable, _ options: CallOptions
    ) -> TransferTimeouts {
        var timeouts =
            options.timeouts
            ?? (style == .rpc ? configuration.callTimeouts : configuration.contentTimeouts)
        if let timeout = (argument as? any DelaysResponse)?.responseTimeout {
            timeouts.response = timeout
            timeouts.total = timeout +| timeouts.connect +| timeouts.stall
        }
        return timeouts
    }

    /// The `Authorization` header; nil for routes that need none.
    func authorization(
        _ call: PreparedCall, token: AccessToken?
    ) -> String? {
        switch call.authentication {
        case .none: nil
        case .user, .team, .userOrApp: token.map { "Bearer \($0.secret)" }
        case .app: configuration.app?.basicAuthorization
        }
    }
}

extension AppCredentials {
    /// RFC 7617: key and secret as user and password.
    var basicAuthorization: String {
        "Basic " + Data("\(key):\(secret ?? "")".utf8).base64EncodedString()
    }
}
