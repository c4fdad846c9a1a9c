// Access tokens and where they come from. A token never appears in a log: its description is fixed.

/// A secret that proves who the user is.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The secret.
    public let secret: String

    /// Takes over the secret, without surrounding white space.
    public init(_ secret: String) {
        var text = secret[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        self.secret = String(text)
    }

    /// Never the secret.
    public var description: String { "<access token>" }
    /// Never the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Gives access tokens to a client.
public protocol AccessTokenProvider: Sendable {
    /// A token that is good for a while. Throws when there is none and none can be had.
    func accessToken() async throws(TokenError) -> AccessToken

    /// A token in place of one that the server called expired or invalid; nil when this one is all there is.
    func accessToken(replacing expired: AccessToken) async throws(TokenError) -> AccessToken?
}

/// A token that somebody else obtained and that cannot be renewed.
public struct FixedAccessToken: AccessTokenProvider {
    private let token: AccessToken

    /// Takes over a token.
    public init(_ token: AccessToken) {
        self.token = token
    }

    /// Always the same token. Throws `missing` when it is empty.
    public func accessToken() throws(TokenError) -> AccessToken {
        guard !token.secret.isEmpty else { throw .missing("the given token is empty") }
        return token
    }

    /// Always nil.
    public func accessToken(replacing expired: AccessToken) -> AccessToken? { nil }
}
