// The account of a call, and the folder that its paths start from.

import HTTPTypes
import Hummingbird

/// The account behind a request.
struct Requester {
    let account: Account
    let space: Space
    let token: String
    /// The folder that paths start from.
    let base: NodeID

    /// Authenticates a request and resolves its path root.
    init(_ request: Request, route: Route, emulator: Emulator) throws {
        let text = try Self.token(request)
        guard !text.isEmpty, !text.contains(where: \.isWhitespace) else {
            throw ArgumentError(message: "The given OAuth 2 access token is malformed.")
        }
        switch emulator.accounts.authenticate(text, at: .now()) {
        case .invalid: throw RouteFailure.authorization(.tag("invalid_access_token"))
        case .expired: throw RouteFailure.authorization(.tag("expired_access_token"))
        case .valid(let owner, let token):
            let account = try Self.member(
                request, owner: owner, token: token, emulator: emulator)
            if let scope = route.scope, let scopes = token.scopes, !scopes.contains(scope) {
                throw RouteFailure.authorization(
                    .tagged("missing_scope", ["required_scope": .string(scope)]))
            }
            guard let space = emulator.accounts.space(of: account) else {
                throw RouteFailure.authorization(.tag("invalid_access_token"))
            }
            self.account = account
            self.space = space
            self.token = text
            base = try Self.base(request, account: account, space: space)
        }
    }

    private static func token(_ request: Request) throws(ArgumentError) -> String {
        if let parameter = request.formFields["authorization"] {
            return try bearer(parameter)
        }
        guard let header = request.headers[.authorization] else {
            throw ArgumentError(
                message: "Must provide HTTP header \"Authorization\" or URL parameter "
                    + "\"authorization\".")
        }
        return try bearer(header)
    }

    /// The account that a call acts for: a team's token selects one of the members.
    private static func member(
        _ request: Request, owner: Account, token: Token, emulator: Emulator
    ) throws -> Account {
        let header = HTTPField.Name("Dropbox-API-Select-User").flatMap { request.headers[$0] }
        guard token.isTeam else {
            if header != nil {
                throw ArgumentError(
                    message: "The \"Dropbox-API-Select-User\" header is for tokens of a team.")
            }
            return owner
        }
        guard let header else {
            throw ArgumentError(
                message: "This API function operates on a single Dropbox account, but the OAuth 2 "
                    + "access token you provided is for an entire Dropbox Business team.")
        }
        let members = emulator.accounts.accounts.filter { $0.homePath != nil }
        guard let member = members.first(where: { $0.teamMemberID == header }) else {
            throw RouteFailure.authorization(.tag("invalid_select_user"))
        }
        return member
    }

    private static func bearer(_ value: String) throws(ArgumentError) -> String {
        guard value.hasPrefix("Bearer ") else {
            throw ArgumentError(
                message: "Invalid authorization value in HTTP header \"Authorization\": "
                    + "\"\(value)\".  Expecting \"Bearer <oauth2-access-token>\".")
        }
        return String(value.dropFirst("Bearer ".count))
    }

    /// The folder that `Dropbox-API-Path-Root` asks for; the home folder without it.
    private static func base(
        _ request: Request, account: Account, space: Space
    ) throws -> NodeID {
        let home = space.tree { $0.namespaceRoot(account.homeNamespace) } ?? .root
        guard let name = HTTPField.Name("Dropbox-API-Path-Root"),
            let text = request.headers[name]
        else { return home }
        do throws(ArgumentError) {
            guard let root = try? JSONParser.parse(text.utf8) else {
                throw ArgumentError(message: "could not decode input as JSON")
            }
            switch try ArgumentReader.tag(
                of: root, among: ["home", "root", "namespace_id"], at: "")
            {
            case "home": return home
            case "root":
                let id = try ArgumentReader.string(root["root"] ?? .null, at: "root")
                if id == account.rootNamespace { return .root }
            default:
                let id = try ArgumentReader.string(
                    root["namespace_id"] ?? .null, at: "namespace_id")
                if let node = space.tree({ $0.namespaceRoot(id) }) { return node }
                throw ArgumentError(message: "")
            }
        } catch {
            guard !error.message.isEmpty else {
                throw RouteFailure.pathRoot(.tag("no_permission"))
            }
            throw ArgumentError(
                message: "HTTP header \"Dropbox-API-Path-Root\": \(error.message)")
        }
        throw RouteFailure.pathRoot(.tag("invalid_root", account.rootInfo))
    }
}
