// An option with its value, as a user wrote it: behind `-o`, in the configuration file or for
// `dbxfs set`.

/// An option with its value, from any source.
package struct MountOptionSetting: Hashable, Sendable, Codable {
    /// The option's name before `=`.
    package var name: String
    /// The value behind `=`; nil without one.
    package var value: String?

    /// Creates a setting, by default without a value.
    package init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }

    /// Splits `NAME=VALUE`; without `=`, all of it is the name.
    package init(assignment text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(String(parts[0]), parts.count == 2 ? String(parts[1]) : nil)
    }

    /// Splits the list behind `-o`. A backslash before a comma makes it part of a value, as in
    /// libfuse; so do quotes around the value, as in mount(8), which stay.
    static func parse(_ list: String) -> [MountOptionSetting] {
        var options: [String] = []
        var current = ""
        var isEscaped = false
        var isQuoted = false
        for character in list {
            if isEscaped {
                current.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"", isQuoted || current.last == "=" {
                current.append(character)
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                options.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        options.append(current)
        return options.filter { !$0.isEmpty }.map(MountOptionSetting.init(assignment:))
    }
}
