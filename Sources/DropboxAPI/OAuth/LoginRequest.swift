// A login that a web server leads a user through: the parameters of Dropbox's page, the secrets
// that are kept until the user comes back, and the address that the user comes back with. Not
// responsible for sessions, cookies or routes: any framework has them.

import ContentHashing
import Essentials

/// The parameters of the page on which a user allows access.
/// <https://www.dropbox.com/developers/documentation/http/documentation#oauth2-authorize>
public struct LoginRequest: Hashable, Sendable {
    /// How long access lasts.
    @nonexhaustive public enum Access: String, Hashable, Sendable {
        /// With a refresh token, until it is revoked.
        case offline
        /// For the lifetime of one access token, some hours.
        case online
        /// As the app is set up in Dropbox's console.
        case legacy
    }

    /// The accounts whose earlier permissions count.
    @nonexhaustive public enum GrantedScopes: String, Hashable, Sendable {
        /// Those of this user.
        case user
        /// Those of this user's team.
        case team
    }

    /// The kind of account that the user has to choose.
    @nonexhaustive public enum Role: String, Hashable, Sendable {
        case personal
        case work
    }

    /// The permissions asked for; none asks for all of the app.
    public var scopes: [String]
    /// Whether permissions of earlier logins are granted, too, and whose.
    public var grantedScopes: GrantedScopes?
    /// How long access lasts.
    public var access: Access
    /// The language of the page, for example `de`; nil for the browser's.
    public var locale: String?
    /// Whether the user is asked again who has allowed the app before.
    public var asksAgain: Bool
    /// Whether the user has to log in to Dropbox anew.
    public var forcesNewSession: Bool
    /// Whether the page offers no new accounts.
    public var hidesSignup: Bool
    /// The kind of account that the user has to choose; nil for either.
    public var role: Role?

    /// Takes over all fields.
    public init(
        scopes: [String] = [], grantedScopes: GrantedScopes? = nil, access: Access = .offline,
        locale: String? = nil, asksAgain: Bool = false, forcesNewSession: Bool = false,
        hidesSignup: Bool = false, role: Role? = nil
    ) {
        self.scopes = scopes
        self.grantedScopes = grantedScopes
        self.access = access
        self.locale = locale
        self.asksAgain = asksAgain
        self.forcesNewSession = forcesNewSession
        self.hidesSignup = hidesSignup
        self.role = role
    }

    /// The fields of the address, behind those that every login has.
    var fields: [(String, String)] {
        var fields: [(String, String)] = []
        if !scopes.isEmpty { fields.append(("scope", scopes.joined(separator: " "))) }
        if let grantedScopes { fields.append(("include_granted_scopes", grantedScopes.rawValue)) }
        if let locale { fields.append(("locale", locale)) }
        if asksAgain { fields.append(("force_reapprove", "true")) }
        if forcesNewSession { fields.append(("force_reauthentication", "true")) }
        if hidesSignup { fields.append(("disable_signup", "true")) }
        if let role { fields.append(("require_role", role.rawValue)) }
        return fields
    }
}

/// A login between the page and the user's return. It is secret, and belongs into the user's
/// session.
public struct PendingLogin: Codable, Hashable, Sendable, CustomStringConvertible,
    CustomReflectable
{
    /// The verifier whose challenge the page was given.
    public let verifier: String
    /// The text that the page sends back, so that no other site can bring a user here.
    public let state: String
    /// The address to which the page sends the user back.
    public let redirect: String

    /// A text without secrets.
    public var description: String { "<pending login>" }
    /// A mirror without secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why a user came back without access.
@nonexhaustive public enum LoginError: Error, Hashable, Sendable {
    /// The address does not have the state of this login: another login, or another site, has
    /// brought the user here.
    case otherState
    /// The user did not allow it.
    case denied
    /// The page refused, for example because the app asks for permissions that it does not have.
    case refused(code: String, description: String)
    /// The address has neither a code nor an error.
    case malformed
    /// The code was not exchanged.
    case token(TokenError)
}

extension LoginError: DropboxError {
    /// One line: what happened, and what to do.
    public var summary: String {
        switch self {
        case .otherState: "this is the end of another login; log in again"
        case .denied: "access was not allowed"
        case .refused(let code, let description): "the login page refused: \(code) \(description)"
        case .malformed: "the address has no code; log in again"
        case .token(let error): error.summary
        }
    }
    /// Whether the login server could not be reached.
    public var isConnectivityLoss: Bool {
        if case .token(let error) = self { error.isConnectivityLoss } else { false }
    }
    /// Whether the caller's task was cancelled.
    public var isCancellation: Bool { self == .token(.cancelled) }
}

extension OAuthClient {
    /// Begins a login: the address of the page to send the user to, and the secrets to keep in the
    /// user's session.
    public func beginLogin(
        redirect: String, request: LoginRequest = .init()
    ) -> (page: String, pending: PendingLogin) {
        let pkce = PKCE()
        let pending = PendingLogin(
            verifier: pkce.verifier, state: PKCE.randomState(), redirect: redirect)
        let page = authorizationURL(
            request, pkce: pkce, redirect: redirect, state: pending.state)
        return (page, pending)
    }

    /// Ends a login with the address, or the query alone, that the user came back with.
    ///
    /// A code can be exchanged once: forget the pending login before this is called.
    public func finishLogin(
        _ pending: PendingLogin, returned address: String, options: CallOptions = .init()
    ) async throws(LoginError) -> TokenGrant {
        let fields = FormEncoding.fields(ofAddress: address)
        guard let state = fields["state"], Self.isSame(state, pending.state) else {
            throw .otherState
        }
        if let code = fields["error"] {
            if code == "access_denied" { throw .denied }
            throw .refused(code: code, description: fields["error_description"] ?? "")
        }
        guard let code = fields["code"], let pkce = PKCE(verifier: pending.verifier) else {
            throw .malformed
        }
        do throws(TokenError) {
            return try await exchange(
                code: code, pkce: pkce, redirect: pending.redirect, options: options)
        } catch {
            throw .token(error)
        }
    }

    /// Compares digests, so that the time tells nothing about the texts.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        SHA256.hash(Array(one.utf8)) == SHA256.hash(Array(other.utf8))
    }
}
