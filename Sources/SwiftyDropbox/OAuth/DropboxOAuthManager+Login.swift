// Logins: the address of the page, its answer as an address or as a code that the user copies, and
// a listener of this machine for the browser to come back to.

import Synchronization
import DropboxAPI
public import Foundation

extension DropboxOAuthManager {
    /// The address of the page on which the user allows access, and shows the code:
    /// ``finishAuthorization(code:completion:)``.
    public func authorizationURL(scopeRequest: ScopeRequest?) -> URL? {
        page(scopeRequest, redirect: nil)
    }

    /// Starts a login whose page leads back to an address; without one, the page shows a code.
    func page(_ scopeRequest: ScopeRequest?, redirect: String?) -> URL? {
        let login = Login(pkce: PKCE(), state: PKCE.randomState(), redirect: redirect)
        guard let client = try? client() else { return nil }
        self.login.withLock { $0 = login }
        let granted: LoginRequest.GrantedScopes? =
            scopeRequest.flatMap { request in
                guard request.includeGrantedScopes else { return nil }
                return request.scopeType == .team ? .team : .user
            }
        var request = LoginRequest(scopes: scopeRequest?.scopes ?? [], grantedScopes: granted)
        request.locale = locale?.identifier
        return URL(
            string: client.authorizationURL(
                request, pkce: login.pkce, redirect: redirect, state: login.state))
    }

    /// Finishes a login with the code that the page showed.
    public func finishAuthorization(code: String, completion: @escaping DropboxOAuthCompletion) {
        let waiter = OAuthCompletion(call: completion)
        let queue = LibrarySettings.responseQueue
        guard let login = takeLogin() else {
            return queue.async { waiter.call(.error(.inconsistentState, "no login was started")) }
        }
        exchange(code.trimmingCharacters(in: .whitespacesAndNewlines), login) { result in
            queue.async { waiter.call(result) }
        }
    }

    /// Takes the address to which the page led back; false for one that is not of a login.
    public func handleRedirectURL(_ url: URL, completion: @escaping DropboxOAuthCompletion) -> Bool
    {
        let waiter = OAuthCompletion(call: completion)
        if ["1", "2"].contains(url.host ?? ""), url.path == "/cancel" {
            waiter.call(.cancel)
            return true
        }
        guard canHandleURL(url) else {
            waiter.call(nil)
            return false
        }
        let queue = LibrarySettings.responseQueue
        finish(url) { result in queue.async { waiter.call(result) } }
        return true
    }

    /// Whether an address is the one of this app, or of the login that is under way.
    func canHandleURL(_ url: URL) -> Bool {
        let known = [redirectURL, login.withLock { $0 }?.redirect].compactMap {
            $0.flatMap { URL(string: $0) }
        }
        return known.contains { other in
            url.scheme == other.scheme && url.host == other.host && url.port == other.port
                && url.path.trimmingSlash == other.path.trimmingSlash
        }
    }

    /// Reads the answer of the page.
    func finish(_ url: URL, _ done: @escaping @Sendable (DropboxOAuthResult) -> Void) {
        let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        if let error = value("error") {
            return done(
                error == OAuth2Error.accessDenied.rawValue
                    ? .cancel : .error(OAuth2Error(errorCode: error), value("error_description")))
        }
        guard let login = takeLogin(), value("state") == login.state else {
            return done(.error(.inconsistentState, "the answer belongs to another login"))
        }
        guard let code = value("code") else {
            return done(.error(.unknown, "the answer has no code"))
        }
        exchange(code, login, done)
    }

    private func takeLogin() -> Login? {
        login.withLock { login in
            defer { login = nil }
            return login
        }
    }

    private func exchange(
        _ code: String, _ login: Login, _ done: @escaping @Sendable (DropboxOAuthResult) -> Void
    ) {
        Task {
            let result = await self.token(of: nil, refreshToken: nil) { () throws(TokenError) in
                do throws(TransportError) {
                    return try self.client()
                } catch {
                    throw .transport(error)
                }
            } grant: { (client) throws(TokenError) in
                try await client.exchange(code: code, pkce: login.pkce, redirect: login.redirect)
            }
            done(result)
        }
    }

    // MARK: With a browser

    /// Shows the page by an application of the program's; its answer goes to
    /// ``handleRedirectURL(_:completion:)``.
    ///
    /// `usePKCE` has no effect: a login without a proof of the code is not offered.
    public func authorizeFromSharedApplication(
        _ sharedApplication: any SharedApplication, usePKCE: Bool = true,
        scopeRequest: ScopeRequest? = nil
    ) {
        guard let page = page(scopeRequest, redirect: redirectURL) else {
            return sharedApplication.presentErrorMessage(
                "the login cannot be started", title: "SwiftyDropbox")
        }
        if sharedApplication.presentPlatformSpecificAuth(page) { return }
        let cancel = URL(string: "db-\(appKey)://2/cancel")
        sharedApplication.presentAuthChannel(page) { url in
            guard self.canHandleURL(url) else { return false }
            sharedApplication.presentExternalApp(url)
            return true
        } cancelHandler: {
            if let cancel { sharedApplication.presentExternalApp(cancel) }
        }
    }

    /// Opens the page, waits on this machine for the browser to come back, and calls with the
    /// result.
    ///
    /// `http://localhost:PORT/` has to be one of the redirect addresses in the app's settings, for
    /// one of the ports. `openURL` is called with the address of the page.
    public func authorizeWithLoopback(
        ports: [UInt16] = [53682, 53683, 53684], timeout: TimeInterval = 300.0,
        openURL: @escaping (URL) -> Void, scopeRequest: ScopeRequest?,
        completion: @escaping DropboxOAuthCompletion
    ) {
        let waiter = OAuthCompletion(call: completion)
        let queue = LibrarySettings.responseQueue
        guard let listener = LoopbackAnswer(ports: ports),
            let page = page(scopeRequest, redirect: listener.redirect)
        else {
            return queue.async {
                waiter.call(.error(.unknown, "no port of this machine is free for the browser"))
            }
        }
        openURL(page)
        let state = login.withLock { $0 }?.state ?? ""
        DispatchQueue(label: "SwiftyDropbox.login").async {
            guard let url = listener.wait(seconds: timeout, state: state) else {
                return queue.async { waiter.call(.cancel) }
            }
            self.finish(url) { result in queue.async { waiter.call(result) } }
        }
    }
}

extension String {
    /// A path with and without its last slash is the same address.
    fileprivate var trimmingSlash: Substring { hasSuffix("/") ? dropLast() : self[...] }
}
