// The answers to a scraper: one path, two methods. Pure decisions; `MetricsServer` has the sockets,
// `StatusMetrics` the text.

/// Decides the answers to requests for metrics.
struct MetricsRequest {
    /// The type of the text format of Prometheus.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"
    private static let path = "/metrics"

    /// Whether a request has to name this machine itself: at a port of loopback, only a page of the
    /// web whose name leads here (DNS rebinding) names another host.
    let isForLoopback: Bool

    /// The answer to a request; `text` makes the metrics.
    func response(
        to reception: HTTPConnection.Reception, text: () -> String
    ) -> HTTPReply {
        guard case .head(let bytes) = reception else {
            return .refusal(reception.refusal ?? 400, "The request has no end.")
        }
        guard let head = HTTPHead(bytes) else { return .refusal(400, "This is no request.") }
        var response = response(to: head, text)
        response.hasBody = head.method != "HEAD"
        return response
    }

    private func response(to head: HTTPHead, _ text: () -> String) -> HTTPReply {
        let hosts = head.values(of: "host")
        guard hosts.count == 1 || hosts.isEmpty && head.isOld else {
            return .refusal(400, "A request names its host once.")
        }
        if isForLoopback, let host = hosts.first, !Endpoint.isLoopback(authority: host) {
            return .refusal(403, "Only requests for this machine are answered here.")
        }
        guard head.method == "GET" || head.method == "HEAD" else {
            var response = HTTPReply.refusal(405, "Metrics can only be read.")
            response.headers = ["Allow: GET, HEAD"]
            return response
        }
        let path = head.target.prefix { $0 != "?" }
        guard path == Self.path else { return .refusal(404, "Metrics are at \(Self.path).") }
        return HTTPReply(status: 200, contentType: Self.contentType, body: text())
    }
}

extension HTTPReply {
    /// A response that has a sentence, and nothing of the request.
    fileprivate static func refusal(_ status: Int, _ reason: String) -> HTTPReply {
        HTTPReply(
            status: status, contentType: "text/plain; charset=utf-8", body: reason + "\n")
    }
}
