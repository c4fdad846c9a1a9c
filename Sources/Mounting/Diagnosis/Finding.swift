// One result of `dbxfs doctor`. The names in JSON are an interface for scripts: fields and checks
// are added, never renamed.

import Saturating

/// One check and its result.
package struct Finding: Hashable, Sendable, Encodable {
    /// The severity of a finding.
    package enum Level: String, Hashable, Sendable, Encodable {
        /// The check has passed.
        case ok
        /// The check has passed, with something that may surprise the user.
        case note
        /// It works now, but may fail later.
        case warning
        /// Something does not work.
        case problem
    }

    /// The check's name for scripts.
    package var check: String
    /// The account, folder or mount, if there are several.
    package var subject: String?
    /// The severity of the finding.
    package var level: Level
    /// The fact, and what to do about it.
    package var text: String

    /// Memberwise; the subject is optional.
    package init(_ check: String, about subject: String? = nil, _ level: Level, _ text: String) {
        self.check = check
        self.subject = subject
        self.level = level
        self.text = text
    }

    private enum CodingKeys: CodingKey {
        case check, subject, level, text
    }

    /// Writes every field, `subject` as null if there is none, so that scripts find it.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(check, forKey: .check)
        try container.encode(subject, forKey: .subject)
        try container.encode(level, forKey: .level)
        try container.encode(text, forKey: .text)
    }

    /// The line for people.
    package var line: String {
        let gap = String(repeating: " ", count: max(0, 9 -| level.rawValue.count))
        let place = check + (subject.map { " " + $0 } ?? "")
        return "\(level.rawValue)\(gap)\(Terminal.printable("\(place): \(text)"))"
    }
}
