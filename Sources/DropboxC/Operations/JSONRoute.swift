// Routes by their names: those of the specification, and later ones. Not responsible for arguments
// and results, which pass through as they are.

import DropboxAPI
import Saturating

/// A route whose argument, result and error are JSON.
typealias JSONRoute = Route<JSONText, JSONText, JSONRouteError>

extension JSONRoute {
    private static let byName = Dictionary(
        knownRoutes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

    /// The route of a name, for a call of a style.
    ///
    /// A name that the specification does not have is taken for a route of the user, which may
    /// change something. Throws for a text that can be no route's name, and for a route of another
    /// style.
    static func named(_ name: String, style: RouteStyle) throws(BorderError) -> JSONRoute {
        guard let known = byName[name] else {
            guard isName(name) else { throw .argument("'\(name)' is not the name of a route") }
            return JSONRoute(
                name, host: style == .rpc ? .api : .content, style: style, isSafeToRepeat: false)
        }
        // A route of the upload style may be called without content.
        guard known.style == style || style == .rpc && known.style == .upload else {
            throw .argument("\(name) is called by \(known.style.function)")
        }
        return known
    }

    /// Whether a text can be a part of an address.
    private static func isName(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return text.utf8.count <= 200 && parts.count > 1
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                            true
                        default: false
                        }
                    }
            }
    }

    /// The route that gives the pages behind the first one, which is the route itself if it
    /// continues; nil for a route without pages.
    var continuation: JSONRoute? {
        if name.split(separator: "/").last?.hasPrefix("continue") == true { return self }
        var candidates = [name + "/continue"]
        let parts = name.split(separator: "_")
        if let version = parts.last, version.first == "v", parts.count > 1 {
            let base = name.dropLast(version.count +| 1)
            candidates += ["\(base)/continue_\(version)", "\(base)/continue"]
        }
        return candidates.lazy.compactMap { Self.byName[$0] }.first
    }

    /// The route with a typed error, which knows more about what helps.
    func failing<Typed>(as type: Typed.Type) -> Route<JSONText, JSONText, Typed> {
        .init(
            name, host: host, style: style, authentication: authentication, scope: scope,
            isSafeToRepeat: isSafeToRepeat)
    }
}

extension RouteStyle {
    /// The function that calls routes of this style.
    fileprivate var function: String {
        switch self {
        case .rpc: "dropbox_call"
        case .upload: "dropbox_call_upload"
        case .download: "dropbox_call_download"
        }
    }

    /// The name as the specification has it.
    fileprivate var word: String {
        switch self {
        case .rpc: "rpc"
        case .upload: "upload"
        case .download: "download"
        }
    }
}

/// A route as `dropbox_routes` describes it.
struct RouteDescription: Encodable {
    let name: String
    let style: String
    let host: String
    let authentication: String
    let scope: String?

    init(_ route: JSONRoute) {
        name = route.name
        style = route.style.word
        host =
            switch route.host {
            case .api: "api"
            case .content: "content"
            case .notify: "notify"
            }
        authentication =
            switch route.authentication {
            case .user: "user"
            case .team: "team"
            case .app: "app"
            case .userOrApp: "user, app"
            case .none: "none"
            }
        scope = route.scope
    }
}
