// The pages that a browser shows at the end of a login, and the redirect to Dropbox at its
// beginning. They load no other resource, and contain nothing of the request.

/// A response to a browser.
struct LoopbackPage {
    let status: Int
    let title: String
    let text: String
    /// The SVG path of the mark above the title, in a square of 24 units.
    let mark: String
    /// Headers of this response only.
    private var headers: [String] = []

    /// The page for the outcome of a request at a port.
    init(_ outcome: LoopbackRequest.Outcome, port: UInt16) {
        let cookie = "Set-Cookie: \(LoopbackRequest.cookieName(port))="
        let place = "; Path=/; HttpOnly; SameSite=Lax; Max-Age="
        switch outcome {
        case .forwarded(let address, let value):
            self.init(
                303, "On the way to Dropbox", mark: "M7 12h9M12.5 8l4 4-4 4",
                "The browser goes on to Dropbox, where access is asked for.")
            headers = ["Location: \(address)", "\(cookie)\(value)\(place)600"]
        case .answer(.contested):
            self.init(
                403, "Somebody was here before", mark: "M12 6v7M12 17v.5",
                "Another program has used this address, so the login was ended, and nothing was changed. "
                    + "Close this page, look at your terminal, and run <code>dbxfs login</code> again."
            )
        case .answer(.code):
            self.init(
                200, "Nearly done", mark: "M6 12.5l4 4 8-9",
                "Dropbox has let dbxfs in. Close this page and look at your terminal.")
        case .answer(.refused):
            self.init(
                200, "No access", mark: "M7 7l10 10M17 7L7 17",
                "dbxfs was not given access, and nothing was changed. Close this page; "
                    + "<code>dbxfs login</code> starts again.")
        case .answer(.scopesRefused):
            self.init(
                200, "The app may not", mark: "M12 6v7M12 17v.5",
                "The app lacks a permission that dbxfs asked for, and nothing was changed. "
                    + "Close this page, and look at your terminal.")
        case .rejected(let status):
            self.init(
                status, "Not what dbxfs is waiting for", mark: "M12 6v7M12 17v.5",
                "Open the address that <code>dbxfs login</code> has printed, in a browser on this machine that takes cookies. "
                    + "The login goes on.")
        }
        if case .answer = outcome { headers.append("\(cookie)\(place)0") }
    }

    private init(_ status: Int, _ title: String, mark: String, _ text: String) {
        self.status = status
        self.title = title
        self.mark = mark
        self.text = text
    }

    /// Light and dark as the desktop is, and for any width.
    private static let style = """
        :root { color-scheme: light dark; --ink: #1e2328; --paper: #fff; --desk: #f2f4f7; --mark: #0061fe }
        @media (prefers-color-scheme: dark) {
        :root { --ink: #e6e8eb; --paper: #1f2329; --desk: #14171b; --mark: #6aa5ff } }
        body { margin: 0; min-height: 100vh; display: grid; place-items: center; color: var(--ink);
        background: var(--desk); font: 1.1rem/1.5 system-ui, sans-serif }
        main { box-sizing: border-box; width: min(30rem, 100% - 2rem); padding: 2rem; border-radius: 1rem;
        background: var(--paper); overflow-wrap: anywhere }
        svg { width: 3rem; fill: none; stroke: var(--mark); stroke-width: 2; stroke-linecap: round }
        h1 { margin: .5rem 0; font-size: 1.5rem; line-height: 1.2 } p { margin: 0 }
        """

    /// No scripts, no other resources, no frames; the empty icon keeps the browser from requesting
    /// one.
    private static let policy = """
        default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'
        """

    /// The whole response, headers and body.
    var bytes: [UInt8] {
        let body = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>dbxfs: \(title)</title>
            <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
            <style>\(Self.style)</style></head>
            <body><main><svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="10.5"/>
            <path d="\(mark)"/></svg>
            <h1>\(title)</h1><p>\(text)</p></main></body></html>

            """
        var lines = [
            "Content-Security-Policy: \(Self.policy)", "Referrer-Policy: no-referrer",
            "Cross-Origin-Resource-Policy: same-origin",
        ]
        if status == 405 { lines.append("Allow: GET") }
        lines.append(contentsOf: headers)
        return HTTPReply(
            status: status, contentType: "text/html; charset=utf-8", headers: lines, body: body
        ).bytes
    }
}
