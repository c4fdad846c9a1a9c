// What `dbxfs doctor` says of one thing that it looked at. The names in JSON are an interface for scripts:
// fields and checks are added, never renamed.

/// One check and what came of it.
public struct Finding: Hashable, Sendable, Encodable {
    /// How bad it is.
    public enum Level: String, Hashable, Sendable, Encodable {
        /// As it should be.
        case ok
        /// As it should be, with something that not everybody expects.
        case note
        /// It works, and may not go on to.
        case warning
        /// Something does not work.
        case problem
    }

    /// What was looked at, as scripts know it.
    public var check: String
    /// The account, folder or mount, when there are several.
    public var subject: String?
    /// How bad it is.
    public var level: Level
    /// What is so, and what to do about it.
    public var text: String

    /// Names every field.
    public init(_ check: String, about subject: String? = nil, _ level: Level, _ text: String) {
        self.check = check
        self.subject = subject
        self.level = level
        self.text = text
    }

    private enum CodingKeys: CodingKey {
        case check, subject, level, text
    }

    /// Writes every field, `subject` as null when there is none, so that scripts find it.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(check, forKey: .check)
        try container.encode(subject, forKey: .subject)
        try container.encode(level, forKey: .level)
        try container.encode(text, forKey: .text)
    }

    /// One line for people.
    public var line: String {
        let name = level.rawValue + String(repeating: " ", count: 9 - level.rawValue.count)
        let place = check + (subject.map { " " + $0 } ?? "")
        return name + Terminal.printable(place + ": " + text)
    }
}
