// Reads the configuration files of other clients: sections of keys and values, as rclone and
// Python's configparser write them. Not responsible for what they mean.

import LocalFiles

/// The sections of an INI file. A line that is neither a section, a key nor a comment is left out.
struct IniFile: Hashable, Sendable {
    /// One section: its values by key, in lower case.
    struct Section: Hashable, Sendable {
        var name: String
        var values: [String: String] = [:]

        /// The value of a key, in any case; nil if it is missing or empty.
        subscript(key: String) -> String? {
            values[key.lowercased()].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// The sections in the order of the file. One that comes twice is one.
    private(set) var sections: [Section] = []

    /// Parses text. A line that begins with white space goes on with the value before it.
    init(parsing text: String) {
        var key: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let content = line.trimmed
            if content.isEmpty || content.hasPrefix("#") || content.hasPrefix(";") { continue }
            if let key, line.first?.isWhitespace == true {
                append(content, to: key)
                continue
            }
            key = nil
            if content.hasPrefix("["), let end = content.lastIndex(of: "]") {
                begin(String(content[content.index(after: content.startIndex)..<end]))
            } else if let mark = content.firstIndex(where: { $0 == "=" || $0 == ":" }) {
                let name = content[..<mark].trimmed.lowercased()
                key = name
                set(name, to: String(content[content.index(after: mark)...].trimmed))
            }
        }
    }

    /// The section of a name.
    func section(_ name: String) -> Section? { sections.first { $0.name == name } }

    /// Makes a section the last one, to which keys are added.
    private mutating func begin(_ name: String) {
        if let index = sections.firstIndex(where: { $0.name == name }) {
            sections.append(sections.remove(at: index))
        } else {
            sections.append(Section(name: name))
        }
    }

    private mutating func set(_ key: String, to value: String) {
        guard let last = sections.indices.last else { return }
        sections[last].values[key] = value
    }

    private mutating func append(_ text: Substring, to key: String) {
        guard let last = sections.indices.last else { return }
        sections[last].values[key, default: ""].append(contentsOf: text)
    }
}
