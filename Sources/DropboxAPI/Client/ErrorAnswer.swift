// Parses error responses. Pure: from status, headers and body to an error.
// https://www.dropbox.com/developers/documentation/http/documentation#error-handling

extension CallError.Kind {
    /// Bytes of a body that an error quotes.
    private static var excerptLength: Int { 300 }

    /// Parses the response's error; `body` may be cut after some tens of kilobytes.
    init(status: Int, headers: TransportHeaders, body: [UInt8]) {
        let excerpt = Self.excerpt(body)
        switch status {
        case 400: self = .badInput(excerpt)
        case 401:
            self =
                Self.union(Auth.AuthError.self, body).map { .auth($0) }
                ?? .http(status: status, body: excerpt)
        case 403:
            self =
                Self.union(Auth.AccessError.self, body).map { .access($0) }
                ?? .http(status: status, body: excerpt)
        case 404, 409:
            let envelope = try? JSON.decode(ErrorEnvelope<Failure>.self, from: body)
            self =
                envelope.map { .route($0.error, userMessage: $0.userMessage) }
                ?? .http(status: status, body: excerpt)
        case 416: self = .response(.rangeNotSatisfiable)
        case 422:
            self =
                Self.union(Common.PathRootError.self, body).map { .pathRoot($0) }
                ?? .http(status: status, body: excerpt)
        case 429: self = Self.rateLimited(headers, body)
        case 500...599: self = .internalServer(status: status)
        default: self = .http(status: status, body: excerpt)
        }
    }

    private static func union<Union: TaggedUnion>(_ type: Union.Type, _ body: [UInt8]) -> Union? {
        (try? JSON.decode(ErrorEnvelope<Union>.self, from: body))?.error
    }

    /// Upper limit of `Retry-After`, in seconds.
    private static var longestWait: UInt64 { 3600 }

    /// A body without a JSON reason is plain text and means too many requests.
    private static func rateLimited(_ headers: TransportHeaders, _ body: [UInt8]) -> Self {
        let error = try? JSON.decode(RateLimitEnvelope.self, from: body).error
        let seconds = headers["Retry-After"].flatMap { UInt64($0, radix: 10) } ?? error?.retryAfter
        return .rateLimited(
            reason: error?.reason ?? .tooManyRequests,
            retryAfter: seconds.map { .seconds(Int64(clamping: min($0, longestWait))) })
    }

    static func excerpt(_ body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(excerptLength), as: UTF8.self)
        return String(text.map { $0.isNewline ? " " : $0 })
    }
}

/// The JSON body of an error.
private struct ErrorEnvelope<Failure: Decodable>: Decodable {
    let error: Failure
    let userMessage: String?

    private enum Key: String, CodingKey {
        case error
        case userMessage = "user_message"
    }

    init(from decoder: any Decoder) throws {
        let reader = try decoder.container(keyedBy: Key.self)
        error = try reader.decode(Failure.self, forKey: .error)
        userMessage = (try? reader.decode(UserMessage.self, forKey: .userMessage))?.text
    }
}

private struct RateLimitEnvelope: Decodable {
    let error: Auth.RateLimitError
}

extension FailureAnswer {
    /// Bytes of a body that are kept, at most.
    private static let longestBody = 4 << 10

    /// Keeps the start of a body, and the message in it.
    init(body: [UInt8]) {
        let envelope = try? JSON.decode(UserMessageEnvelope.self, from: body)
        self.init(
            body: String(decoding: body.prefix(Self.longestBody), as: UTF8.self),
            userMessage: envelope?.userMessage)
    }
}

private struct UserMessageEnvelope: Decodable {
    let userMessage: UserMessage?

    private enum CodingKeys: String, CodingKey {
        case userMessage = "user_message"
    }
}
