// Tokens and the results of logins.

public import Foundation

/// An access token, and what renews it.
public final class DropboxAccessToken: CustomStringConvertible, Codable, Equatable, Sendable {
    /// The token for requests.
    public let accessToken: String
    /// The number of the account, or its id.
    public let uid: String
    /// The token that renews one which expires.
    public let refreshToken: String?
    /// When the token expires, in seconds since 1970.
    public let tokenExpirationTimestamp: TimeInterval?

    /// Takes over all fields.
    public init(
        accessToken: String, uid: String, refreshToken: String? = nil,
        tokenExpirationTimestamp: TimeInterval? = nil
    ) {
        self.accessToken = accessToken
        self.uid = uid
        self.refreshToken = refreshToken
        self.tokenExpirationTimestamp = tokenExpirationTimestamp
    }

    /// Whether it expires and can be renewed.
    var isShortLivedToken: Bool { refreshToken != nil && tokenExpirationTimestamp != nil }

    /// The token itself, as programs that print it expect. Do not log it.
    public var description: String { accessToken }

    /// Compares the tokens by all fields.
    public static func == (lhs: DropboxAccessToken, rhs: DropboxAccessToken) -> Bool {
        lhs.accessToken == rhs.accessToken && lhs.uid == rhs.uid
            && lhs.refreshToken == rhs.refreshToken
            && lhs.tokenExpirationTimestamp == rhs.tokenExpirationTimestamp
    }
}

/// Which permissions a login asks for.
public struct ScopeRequest: Sendable {
    /// Whose permissions the scopes are.
    public enum ScopeType: String, Sendable {
        case team
        case user
    }

    /// The permissions that are asked for.
    public let scopes: [String]
    /// Whether the token keeps what the user has allowed before.
    public let includeGrantedScopes: Bool
    /// Whose permissions the scopes are.
    public let scopeType: ScopeType

    /// The permissions as the page takes them; nil for none.
    public var scopeString: String? { scopes.isEmpty ? nil : scopes.joined(separator: " ") }

    /// Takes over all fields.
    public init(scopeType: ScopeType, scopes: [String], includeGrantedScopes: Bool) {
        self.scopeType = scopeType
        self.scopes = scopes
        self.includeGrantedScopes = includeGrantedScopes
    }
}

/// Why a login or a renewal failed.
public enum OAuth2Error: String, Error, Sendable {
    case unauthorizedClient = "unauthorized_client"
    case accessDenied = "access_denied"
    case unsupportedResponseType = "unsupported_response_type"
    case invalidScope = "invalid_scope"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unsupportedGrantType = "unsupported_grant_type"
    /// The answer belongs to another login.
    case inconsistentState = "inconsistent_state"
    /// The token could not be kept.
    case tokenStorageError = "token_storage_error"
    /// A failure of any other kind.
    case unknown

    /// The error of a code; `unknown` for a code that is not known.
    public init(errorCode: String) {
        self = Self(rawValue: errorCode) ?? .unknown
    }

    /// Whether the user has to log in again.
    public var isInvalidGrantError: Bool { self == .invalidGrant }
}

/// How a login or a renewal ended.
public enum DropboxOAuthResult: Equatable, Sendable {
    /// There is a token.
    case success(DropboxAccessToken)
    /// It failed, with words about why.
    case error(OAuth2Error, String?)
    /// The user does not want it.
    case cancel
}

/// Is called with how a login or a renewal ended; with nil where there was nothing to do.
public typealias DropboxOAuthCompletion = (DropboxOAuthResult?) -> Void

// Sendable: it is an app's closure, which is called once, on the queue that the function which
// takes it names.
/// A completion between two threads.
struct OAuthCompletion: @unchecked Sendable {
    let call: DropboxOAuthCompletion
}
