// The server's own words about a failure. Not responsible for its meaning: CallError.

/// The body of a failed response.
public struct FailureAnswer: Hashable, Sendable {
    /// The start of the body, 4 KiB at most: JSON of a route's error with all of its fields, also
    /// those of tags that this version does not know; a page or a line of text of a server that is
    /// down.
    public let body: String
    /// The message that the server wants its user to see.
    public let userMessage: UserMessage?

    /// Takes over all fields.
    public init(body: String, userMessage: UserMessage? = nil) {
        self.body = body
        self.userMessage = userMessage
    }
}

/// A message for the user, in a language that the server chose.
public struct UserMessage: Hashable, Sendable, Decodable {
    /// The message as a user can read it.
    public let text: String
    /// Its language, for example `en`; nil if the server does not say.
    public let locale: String?

    /// Takes over all fields.
    public init(text: String, locale: String? = nil) {
        self.text = text
        self.locale = locale
    }

    private enum Key: String, CodingKey {
        case text
        case locale
    }

    /// Reads an object, or a text without a locale.
    public init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(text: text)
        } else {
            let reader = try decoder.container(keyedBy: Key.self)
            self.init(
                text: try reader.decode(String.self, forKey: .text),
                locale: try? reader.decode(String.self, forKey: .locale))
        }
    }
}
