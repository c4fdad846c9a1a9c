// A response before it becomes HTTP: faults may still change it.

import NIOCore

/// The response of a route.
struct RouteResponse: Sendable {
    /// A field of the headers.
    struct Header: Sendable {
        let name: String
        let value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The body of a response.
    enum Body: Sendable {
        case json(JSONValue)
        case text(String)
        /// Pieces produced while they are sent; the length is nil if unknown.
        case stream(length: Int64?, any Pieces)
    }

    /// The pieces of a streamed body.
    typealias Pieces = AsyncSequence<ByteBuffer, any Error> & Sendable

    var status = 200
    var headers: [Header] = []
    var body: Body

    /// The result of an RPC route.
    static func json(_ value: JSONValue) -> RouteResponse {
        RouteResponse(headers: [Header("Content-Type", "application/json")], body: .json(value))
    }

    /// The value of a header field.
    func header(_ name: String) -> String? {
        headers.first { $0.name == name }?.value
    }

    /// Sets a header field, replacing any of that name.
    mutating func setHeader(_ name: String, _ value: String) {
        headers.removeAll { $0.name == name }
        headers.append(Header(name, value))
    }

    /// The status and a text of the body, for a log.
    var summary: String {
        switch body {
        case .json(let value): "\(status) \(value.text())"
        case .text(let text): "\(status) \(text)"
        case .stream(let length, _): "\(status) \(length.map { "\($0) bytes" } ?? "a stream")"
        }
    }

    /// The body as JSON; nil for other bodies.
    var json: JSONValue? {
        if case .json(let value) = body { value } else { nil }
    }
}
