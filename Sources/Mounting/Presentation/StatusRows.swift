// The layout of reports for people: a heading, and rows below it.

import Saturating

/// Rows with a name each.
enum StatusRows {
    /// A heading with rows below it. Names in them may contain any character.
    static func text(_ heading: String, _ rows: [(String, String)]) -> String {
        lines(heading, rows).joined(separator: "\n")
    }

    /// The same as lines, made safe for a terminal.
    static func lines(_ heading: String, _ rows: [(String, String)]) -> [String] {
        [Terminal.printable(heading)]
            + rows.map { name, text in
                "  " + name + String(repeating: " ", count: max(1, 11 -| name.count))
                    + Terminal.printable(text)
            }
    }
}
