// The form of everything that is said of a mount or an account to people: a heading, and rows below it.

/// Rows with a name each.
enum StatusRows {
    /// A heading with rows below it. Names in them may hold anything.
    static func text(_ heading: String, _ rows: [(String, String)]) -> String {
        lines(heading, rows).joined(separator: "\n")
    }

    /// The same as lines, each of which is one on a terminal, too.
    static func lines(_ heading: String, _ rows: [(String, String)]) -> [String] {
        [Terminal.printable(heading)]
            + rows.map { name, text in
                "  " + name + String(repeating: " ", count: max(1, 11 - name.count))
                    + Terminal.printable(text)
            }
    }
}
