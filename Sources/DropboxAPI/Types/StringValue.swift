// Values that are JSON strings with a type in Swift: times, dates and hashes.

public import ContentHashing

/// A value that is encoded as a string.
public protocol StringValue: Codable, Hashable, Sendable {
    /// Parses the API's format; nil for anything else.
    init?(text: String)

    /// The value in the API's format.
    var text: String { get }
}

extension StringValue {
    /// Parses the API's format; anything else is a `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: Self.complaint(text))
        }
        self = value
    }

    /// Writes the API's format.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    static func complaint(_ text: String) -> String {
        "not a \(Self.self): \(text.prefix(40))"
    }
}

extension Timestamp: StringValue {
    /// Parses the format `2015-05-12T15:50:38Z`.
    public init?(text: String) {
        self.init(text)
    }

    /// The value in the API's format.
    public var text: String { description }
}

extension CalendarDate: StringValue {
    /// Parses the format `2015-05-12`.
    public init?(text: String) {
        self.init(text)
    }

    /// The value in the API's format.
    public var text: String { description }
}

extension ContentHash: StringValue {
    /// Parses 64 hexadecimal digits.
    public init?(text: String) {
        self.init(hex: text)
    }

    /// 64 lower-case hexadecimal digits.
    public var text: String { hex }
}
