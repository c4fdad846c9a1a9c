// Access tokens and their providers. A token never appears in a log: its description is fixed.

import LocalFiles

/// A bearer token that authenticates the user.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The token's secret text.
    public let secret: String

    /// Takes over the secret, without surrounding white space.
    public init(_ secret: String) {
        self.secret = String(secret.trimmed)
    }

    /// A fixed text without the secret.
    public var description: String { "<access token>" }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Gives access tokens to a client.
///
/// A call waits for a token until its deadline, at which the task that asks is cancelled. Work that
/// the provider does for other calls, such as a renewal, should go on then.
public protocol AccessTokenProvider: Sendable {
    /// A token that is valid for some time. Throws when none can be obtained.
    func accessToken() async throws(TokenError) -> AccessToken

    /// A replacement for a token that the server called expired or invalid; nil when there is no
    /// other.
    func accessToken(replacing expired: AccessToken) async throws(TokenError) -> AccessToken?
}

/// A token that was obtained elsewhere and cannot be renewed.
public struct FixedAccessToken: AccessTokenProvider {
    private let token: AccessToken

    /// Takes over a token.
    public init(_ token: AccessToken) {
        self.token = token
    }

    /// Returns the same token each time. Throws `missing` when it is empty.
    public func accessToken() throws(TokenError) -> AccessToken {
        guard !token.secret.isEmpty else { throw .missing("the given token is empty") }
        return token
    }

    /// Always nil: the token cannot be renewed.
    public func accessToken(replacing expired: AccessToken) -> AccessToken? { nil }
}
