// OAuth 2: the authorization page, and the exchange of codes and refresh tokens for access tokens.
// https://www.dropbox.com/developers/documentation/http/documentation#authorization

import ContentHashing
import Foundation
import HTTPTypes
import Hummingbird

/// The login: `/oauth2/authorize` and `/oauth2/token`.
struct OAuthRoutes {
    /// Lifetime of an access token of the code flow, in seconds: four hours.
    static let lifetime: Int64 = 14_400

    let emulator: Emulator

    // MARK: The page

    /// Shows the page where a user chooses an account, and handles its form.
    func authorize(_ request: Request, _ body: IncomingBody) async throws -> RouteResponse {
        let parameters = request.formFields
        guard let client = parameters["client_id"], !client.isEmpty else {
            throw RouteFailure.plain(400, "Missing client_id.")
        }
        guard parameters["response_type"] == "code" else {
            throw RouteFailure.plain(400, "Invalid response_type: only \"code\" is supported.")
        }
        let scopes: [String]?
        switch grantable(parameters["scope"]) {
        case .granted(let granted): scopes = granted
        case .refused(let text):
            return try redirect(
                parameters, ["error": "invalid_scope", "error_description": text])
                ?? .html(400, "<p>\(Self.escaped(text))</p>")
        case .nothing:
            throw RouteFailure.plain(400, "No scope requested can be granted for this app.")
        }
        guard request.method == .post else { return page(request) }
        let form = FormFields.read(try await body.collect())
        guard let account = form["account_id"].flatMap(emulator.accounts.account) else {
            return try redirect(parameters, ["error": "access_denied"])
                ?? .html(403, "<p>Access denied.</p>")
        }
        let code = emulator.authorizations.add(
            .init(
                account: account.id, client: client, redirect: parameters["redirect_uri"],
                challenge: parameters["code_challenge"],
                isHashed: parameters["code_challenge_method"] == "S256",
                scopes: scopes,
                isOffline: parameters["token_access_type"] == "offline"))
        return try redirect(parameters, ["code": code])
            ?? .html(200, "<p>Enter this code: <code id=\"code\">\(code)</code></p>")
    }

    private enum Grantable {
        /// These scopes; nil for those of the app, which has all.
        case granted([String]?)
        /// An error that the page brings back to the app.
        case refused(String)
        /// An error that stays on the page.
        case nothing
    }

    /// The part of the scopes asked for that the app may be granted.
    private func grantable(_ asked: String?) -> Grantable {
        let settings = emulator.settings
        guard let asked = asked?.split(separator: " ").map(String.init) else {
            return .granted(settings.appScopes)
        }
        guard let owned = settings.appScopes else { return .granted(asked) }
        let missing = asked.filter { !owned.contains($0) }
        if settings.refusesScopes, !missing.isEmpty {
            return .refused("the app may not ask for \(missing.joined(separator: ", "))")
        }
        return missing.count == asked.count ? .nothing : .granted(asked.filter(owned.contains))
    }

    private func page(_ request: Request) -> RouteResponse {
        let choices = emulator.accounts.accounts.map { account in
            "<button name=\"account_id\" value=\"\(account.id)\">Allow as "
                + "\(Self.escaped(account.displayName))</button>"
        }.joined(separator: "\n")
        let action = Self.escaped("/oauth2/authorize?\(request.uri.query ?? "")")
        return .html(
            200,
            "<form method=\"post\" action=\"\(action)\">\n\(choices)\n<button>Cancel</button>\n</form>"
        )
    }

    private func redirect(
        _ parameters: [String: String], _ answer: [String: String]
    ) throws -> RouteResponse? {
        guard let target = parameters["redirect_uri"] else { return nil }
        guard var address = URLComponents(string: target) else {
            throw RouteFailure.plain(400, "Invalid redirect_uri.")
        }
        var items = address.queryItems ?? []
        items += answer.map { URLQueryItem(name: $0.key, value: $0.value) }
        if let state = parameters["state"] {
            items.append(URLQueryItem(name: "state", value: state))
        }
        address.queryItems = items
        return RouteResponse(
            status: 302, headers: [.init("Location", address.string ?? target)], body: .text(""))
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
            .replacing("<", with: "&lt;")
    }

    // MARK: The exchange

    /// Issues an access token for a code or a refresh token.
    func token(_ request: Request, _ body: IncomingBody) async throws -> RouteResponse {
        guard request.method == .post else { throw RouteFailure.plain(405, "Method not allowed") }
        var form = FormFields.read(try await body.collect())
        if let (client, _) = Self.basic(request) { form["client_id"] = client }
        switch form["grant_type"] {
        case "authorization_code": return try exchangeCode(form)
        case "refresh_token": return try refresh(form)
        case let other?:
            throw Self.failure("unsupported_grant_type", "grant_type \"\(other)\" is not supported")
        case nil: throw Self.failure("invalid_request", "missing required field \"grant_type\"")
        }
    }

    private func exchangeCode(_ form: [String: String]) throws -> RouteResponse {
        guard let code = form["code"] else {
            throw Self.failure("invalid_request", "missing required field \"code\"")
        }
        guard let grant = emulator.authorizations.take(code) else {
            throw Self.failure("invalid_grant", "code doesn't exist or has expired")
        }
        guard grant.client == form["client_id"], grant.redirect == form["redirect_uri"] else {
            throw Self.failure("invalid_grant", "code was issued for another app or redirect_uri")
        }
        if let challenge = grant.challenge {
            let verifier = form["code_verifier"] ?? ""
            let proof = grant.isHashed ? Self.challenge(for: verifier) : verifier
            guard proof == challenge else {
                throw Self.failure("invalid_grant", "invalid code verifier")
            }
        }
        var refreshToken: String?
        if grant.isOffline {
            let text = AccountRegistry.secret("rt")
            try emulator.accounts.add(
                RefreshToken(account: grant.account, client: grant.client, scopes: grant.scopes),
                as: text)
            refreshToken = text
        }
        let response = try issue(grant.account, grant.scopes, refreshToken: refreshToken)
        return .json(
            response.adding("uid", .string(String(grant.account.suffix(8))))
                .adding("account_id", .string(grant.account))
                .adding("refresh_token", refreshToken.map { .string($0) }))
    }

    private func refresh(_ form: [String: String]) throws -> RouteResponse {
        guard let text = form["refresh_token"] else {
            throw Self.failure("invalid_request", "missing required field \"refresh_token\"")
        }
        guard let grant = emulator.accounts.refreshToken(text) else {
            throw Self.failure("invalid_grant", "refresh token is invalid or revoked")
        }
        guard grant.client == form["client_id"] else {
            throw Self.failure("invalid_client", "refresh token was issued for another app")
        }
        let allowed = try scopes(form["scope"], of: grant.scopes)
        return .json(try issue(grant.account, allowed, refreshToken: text))
    }

    /// A renewal may ask for fewer scopes than were granted, never for more (RFC 6749, 6).
    private func scopes(_ wish: String?, of granted: [String]?) throws -> [String]? {
        guard let scopes = wish?.split(separator: " ").map(String.init), !scopes.isEmpty else {
            return granted
        }
        if let granted, !scopes.allSatisfy(granted.contains) {
            throw Self.failure("invalid_scope", "requested scope was not granted")
        }
        return scopes
    }

    private func issue(
        _ account: String, _ scopes: [String]?, refreshToken: String?
    ) throws -> JSONValue {
        let text = AccountRegistry.secret("sl.")
        let end = APITime(seconds: APITime.now().seconds + Self.lifetime)
        try emulator.accounts.add(
            Token(account: account, expiresAt: end, scopes: scopes, refreshToken: refreshToken),
            as: text)
        let all = [
            "account_info.read", "files.content.read", "files.content.write", "files.metadata.read",
        ]
        return [
            "access_token": .string(text), "token_type": "bearer",
            "expires_in": .integer(Self.lifetime),
            "scope": .string((scopes ?? all).joined(separator: " ")),
        ]
    }

    /// The challenge of a verifier (RFC 7636, 4.2).
    static func challenge(for verifier: String) -> String {
        Data(SHA256.hash(Array(verifier.utf8))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func failure(_ code: String, _ description: String) -> RouteFailure {
        let body: JSONValue = [
            "error": .string(code), "error_description": .string(description),
        ]
        return .plain(
            status: code == "invalid_client" ? 401 : 400, type: "application/json",
            body: body.text(), headers: [])
    }

    private static func basic(_ request: Request) -> (String, String)? {
        guard let header = request.headers[.authorization], header.hasPrefix("Basic "),
            let data = Data(base64Encoded: String(header.dropFirst(6)))
        else { return nil }
        let parts = String(decoding: data, as: UTF8.self).split(separator: ":", maxSplits: 1)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
}

extension RouteResponse {
    fileprivate static func html(_ status: Int, _ text: String) -> RouteResponse {
        RouteResponse(
            status: status, headers: [Header("Content-Type", "text/html; charset=utf-8")],
            // The empty icon keeps browsers from asking for one.
            body: .text(
                "<!DOCTYPE html><title>Dropbox emulator</title><link rel=\"icon\" href=\"data:,\">\n"
                    + "\(text)\n"))
    }
}
