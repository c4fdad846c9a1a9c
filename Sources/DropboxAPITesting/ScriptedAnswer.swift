// An answer of a scripted server: a route's result or error as values, or anything that HTTP can
// carry.

public import DropboxAPI

/// An answer to a call of a route with this result and these errors.
public struct ScriptedAnswer<Output: Sendable, Failure: RouteError>: Sendable {
    enum Form {
        /// The result's JSON goes where the route's style has it.
        case result(json: [UInt8], content: [UInt8])
        case response(ScriptedResponse)
        case failure(TransportError)
        /// A value that has no JSON: the test is wrong.
        case unwritable(String)
    }

    let form: Form

    /// Answers with status 200 and this value as the route's result.
    public static func result(_ value: Output) -> Self where Output: Encodable {
        .download(value, content: [])
    }

    /// A success with content, for routes of the download style. Of a call that asks for a range,
    /// only that part is sent, as Dropbox does; a range behind the end is status 416.
    public static func download(_ value: Output, content: [UInt8]) -> Self where Output: Encodable {
        do {
            return Self(form: .result(json: try JSON.encode(value), content: content))
        } catch {
            return Self(form: .unwritable(error.message))
        }
    }

    /// The route's own error, with status 409.
    public static func error(_ error: Failure, userMessage: String? = nil) -> Self {
        let message = userMessage.map { ErrorBody.Message(text: $0) }
        do {
            let body = try JSON.encode(ErrorBody(error: error, userMessage: message))
            return .response(ScriptedResponse(status: 409, body: body))
        } catch {
            return Self(form: .unwritable(error.message))
        }
    }

    /// Anything else that a server can answer: other statuses, headers that are wrong, bodies that
    /// are cut.
    public static func response(_ response: ScriptedResponse) -> Self {
        Self(form: .response(response))
    }

    /// No answer: the network fails.
    public static func failure(_ error: TransportError) -> Self {
        Self(form: .failure(error))
    }

    private struct ErrorBody: Encodable {
        struct Message: Encodable {
            let text: String
        }

        enum CodingKeys: String, CodingKey {
            case error
            case userMessage = "user_message"
        }

        let error: Failure
        let userMessage: Message?
    }
}

/// An answer as HTTP has it.
public struct ScriptedResponse: Sendable {
    /// The HTTP status of the answer.
    public var status: Int
    /// The header fields of the answer.
    public var headers: TransportHeaders
    /// The bytes of the answer's body.
    public var body: [UInt8]

    /// Takes over all fields.
    public init(status: Int = 200, headers: TransportHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A body of JSON, or of anything that should be JSON.
    public static func json(_ text: String, status: Int = 200) -> Self {
        Self(status: status, body: Array(text.utf8))
    }
}

extension ScriptedResponse {
    /// A result where a route's style has it, with the part of its content that was asked for.
    init(json: [UInt8], content: [UInt8], style: RouteStyle, range: String?) {
        guard style == .download else {
            self.init(body: json)
            return
        }
        var headers: TransportHeaders = ["Dropbox-API-Result": JSON.headerValue(json)]
        guard let range else {
            headers.append("Content-Length", "\(content.count)")
            self.init(headers: headers, body: content)
            return
        }
        guard let part = Self.part(range, of: content.count) else {
            self.init(status: 416)
            return
        }
        headers.append("Content-Length", "\(part.count)")
        headers.append(
            "Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(content.count)")
        self.init(status: 206, headers: headers, body: Array(content[part]))
    }

    /// Reads `bytes=FIRST-` and `bytes=FIRST-LAST`, the forms that clients send; nil behind the
    /// end.
    private static func part(_ range: String, of count: Int) -> Range<Int>? {
        let ends = range.dropFirst("bytes=".count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]), first < count else { return nil }
        let last = Int(ends[1]) ?? count - 1
        return last < first ? nil : first..<min(last + 1, count)
    }
}
