// The pages that a browser shows at the end of a login. They need nothing from anywhere else, and say
// nothing of what the request held.

/// An answer to a browser.
struct LoopbackPage {
    let status: Int
    let title: String
    let text: String

    /// The page for what came of a request.
    init(_ outcome: LoopbackRequest.Outcome) {
        switch outcome {
        case .answer(.code):
            self.init(
                200, "Nearly done",
                "Dropbox has let dbxfs in. Close this page and look at your terminal.")
        case .answer(.refused):
            self.init(
                200, "No access",
                "dbxfs was not given access, and nothing was changed. Close this page; "
                    + "<code>dbxfs login</code> starts again.")
        case .rejected(let status):
            self.init(
                status, "Not what dbxfs is waiting for",
                "Open the address that <code>dbxfs login</code> has printed. The login goes on.")
        }
    }

    private init(_ status: Int, _ title: String, _ text: String) {
        self.status = status
        self.title = title
        self.text = text
    }

    private var reason: String {
        switch status {
        case 200: "OK"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 431: "Request Header Fields Too Large"
        default: "Bad Request"
        }
    }

    /// The whole answer.
    var bytes: [UInt8] {
        let body = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>dbxfs: \(title)</title>
            <meta name="viewport" content="width=device-width">
            <style>body { font: 1.1em/1.5 sans-serif; max-width: 32em; margin: 15vh auto;
            padding: 0 1em; color: #222; background: #fff } h1 { font-size: 1.5em }</style></head>
            <body><h1>\(title)</h1><p>\(text)</p></body></html>

            """
        var head = [
            "HTTP/1.1 \(status) \(reason)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff", "Connection: close",
        ]
        if status == 405 { head.append("Allow: GET") }
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
