// A response of HTTP/1.1 to the only request of a connection.

/// A response that ends its connection.
struct HTTPReply: Hashable {
    var status: Int
    /// The type of the body.
    var contentType: String
    /// Headers of this response only.
    var headers: [String] = []
    var body: String
    /// Whether the body is sent, and not only described as for HEAD.
    var hasBody = true

    private var reason: String {
        switch status {
        case 200: "OK"
        case 303: "See Other"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 431: "Request Header Fields Too Large"
        default: "Bad Request"
        }
    }

    /// The whole response, headers and body.
    var bytes: [UInt8] {
        let head =
            [
                "HTTP/1.1 \(status) \(reason)", "Content-Type: \(contentType)",
                "Content-Length: \(body.utf8.count)", "Cache-Control: no-store",
                "X-Content-Type-Options: nosniff", "Connection: close",
            ] + headers
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + (hasBody ? body : "")).utf8)
    }
}
