// Requests the user's authorization on Dropbox's page: through a browser on this machine that is
// redirected back, or by a code that is copied from any browser.

import Blocking
import DropboxAPI
import Foundation
import Glibc
import LocalIO
import Mounting
import Saturating

/// One authorization request: code flow with PKCE, so that a code is useless to others who see it.
struct Consent {
    /// Timeout in seconds for the user, who may have to find password and second factor.
    private static let userTimeout = 600.0
    /// Timeout in seconds for the exchange of the code.
    private static let exchangeTimeout = Duration.seconds(60)

    private let client: OAuthClient
    private let scopes: LoginScopes
    private let pkce = PKCE()

    init(_ client: OAuthClient, scopes: LoginScopes) {
        self.client = client
        self.scopes = scopes
    }

    /// Requests authorization, and returns the grant.
    func obtain(usesBrowser: Bool) throws(CommandError) -> TokenGrant {
        guard usesBrowser, Self.hasDesktop else { return try byHand() }
        guard let listener = LoopbackListener() else {
            let ports = LoopbackListener.ports.map(String.init).joined(separator: ", ")
            Terminal.complain("the ports \(ports) are taken, so the browser cannot come back here")
            return try byHand()
        }
        return try byBrowser(listener)
    }

    /// Whether a browser can be opened. Over ssh there is none, or one that does not reach this
    /// machine's loopback.
    private static var hasDesktop: Bool {
        let variables = ProcessVariables.all
        return ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains {
            variables[$0]?.isEmpty == false
        }
    }

    // MARK: By a browser on this machine

    private func byBrowser(_ listener: LoopbackListener) throws(CommandError) -> TokenGrant {
        let state = PKCE.randomState()
        let page = client.authorizationURL(
            pkce: pkce, redirect: listener.redirect, state: state, scopes: scopes.all)
        let login = LoopbackLogin(state: state, page: page)
        Terminal.print(
            "Allow access in the browser that opens, or open this address in one on this machine:")
        Terminal.print(listener.address(of: login.printed))
        printLesser()
        // The address is an argument, which other users can see. It is good for one visit by a
        // program of this user, and reveals nothing of the login.
        if let opener = ChildProcess.find("xdg-open") {
            _ = try? ChildProcess.start(
                opener, [listener.address(of: login.opened)], descriptors: [:], isDetached: true)
        }
        var strangers = 0
        let answer = listener.wait(login, seconds: Self.userTimeout) {
            strangers +|= 1
            guard strangers == 1 else { return }
            Terminal.complain("a program of another user tried to take part in this login: refused")
        }
        switch answer {
        case .code(let code): return try exchange(code, redirect: listener.redirect)
        case .refused(let detail): throw .loginRefused(detail: detail)
        case .scopesRefused(let detail):
            throw .loginFailed(
                "Dropbox refuses a permission that was asked for (\(detail)): \(scopes.refusalAdvice)"
            )
        case .contested:
            throw .loginFailed(
                "two programs used its address, and one may be somebody else's; nothing was changed: "
                    + "run dbxfs login again, or dbxfs login --no-browser")
        case nil:
            throw .loginFailed(
                "the login was not confirmed within ten minutes; run dbxfs login again")
        }
    }

    // MARK: By a copied code

    private func byHand() throws(CommandError) -> TokenGrant {
        let address = client.authorizationURL(pkce: pkce, scopes: scopes.all)
        Terminal.print("Open this address in a browser, allow access, and copy the code:")
        Terminal.print(address)
        printLesser()
        if isatty(STDIN_FILENO) == 1 { Terminal.complain("Code: ", prefix: "") }
        let code = (readLine() ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !code.isEmpty else {
            throw .loginFailed("no code was entered; run dbxfs login again when you have one")
        }
        return try exchange(code, redirect: nil)
    }

    /// Tells how to ask for less: Dropbox's own page of an error sends no answer back.
    private func printLesser() {
        guard let lesser = scopes.lesser else { return }
        Terminal.print(
            "If the page shows an error about scopes instead, the app lacks some; ask for less: \(lesser)."
        )
    }

    // MARK: The exchange

    private func exchange(_ code: String, redirect: String?) throws(CommandError) -> TokenGrant {
        let (client, pkce) = (client, pkce)
        let answer = WorkerThread.result { () async throws(TokenError) in
            try await client.exchange(
                code: code, pkce: pkce, redirect: redirect,
                options: .within(Self.exchangeTimeout))
        }
        switch answer {
        case .success(let grant): return grant
        case .failure(.invalidGrant(let text)):
            throw .loginFailed(
                "Dropbox does not accept the code (\(text)): a code is good once, and for minutes; "
                    + "run dbxfs login again")
        case .failure(let error): throw .loginFailed(error.advice)
        case nil: throw .system("the code could not be exchanged")
        }
    }
}
