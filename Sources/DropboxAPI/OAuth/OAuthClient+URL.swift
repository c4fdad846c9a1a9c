// Logins whose redirect is a URL of Foundation's. Not responsible for the login itself.

public import Essentials

extension OAuthClient {
    /// The URL of the page on which the user allows access, and from which the browser comes back
    /// to `redirect`.
    ///
    /// Throws `invalidRequest` if the server in the configuration makes no URL.
    public func authorizationURL(
        pkce: PKCE, redirect: URL, state: String? = nil, scopes: [String] = [],
        includesGrantedScopes: Bool = false
    ) throws(TransportError) -> URL {
        try url(
            authorizationURL(
                pkce: pkce, redirect: redirect.absoluteString, state: state, scopes: scopes,
                includesGrantedScopes: includesGrantedScopes))
    }

    /// The URL of the page on which the user allows access, with all of its parameters.
    ///
    /// Throws `invalidRequest` if the server in the configuration makes no URL.
    public func authorizationURL(
        _ request: LoginRequest, pkce: PKCE, redirect: URL, state: String? = nil
    ) throws(TransportError) -> URL {
        try url(
            authorizationURL(
                request, pkce: pkce, redirect: redirect.absoluteString, state: state))
    }

    /// Begins a login: the URL of the page to send the user to, and the secrets to keep in the
    /// user's session.
    ///
    ///     let (page, pending) = try oauth.beginLogin(redirect: callback)
    ///
    /// Throws `invalidRequest` if the server in the configuration makes no URL.
    public func beginLogin(
        redirect: URL, request: LoginRequest = .init()
    ) throws(TransportError) -> (page: URL, pending: PendingLogin) {
        let (address, pending) = beginLogin(redirect: redirect.absoluteString, request: request)
        let page = try url(address)
        return (page, pending)
    }

    /// Ends a login with the URL that the user came back with.
    ///
    /// A code can be exchanged once: forget the pending login before this is called.
    public func finishLogin(
        _ pending: PendingLogin, returned url: URL, options: CallOptions = .init()
    ) async throws(LoginError) -> TokenGrant {
        try await finishLogin(pending, returned: url.absoluteString, options: options)
    }

    /// The hosts of a configuration are checked for their schemes and names only, so a port that is
    /// no number comes this far.
    private func url(_ address: String) throws(TransportError) -> URL {
        guard let url = URL(string: address) else {
            throw TransportError(
                kind: .invalidRequest,
                message: "the address '\(configuration.hosts.web)' is not a URL",
                mayHaveBeenReceived: false)
        }
        return url
    }
}
