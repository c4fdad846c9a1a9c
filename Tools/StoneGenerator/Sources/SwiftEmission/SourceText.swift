// Lines of Swift while they are written. Line breaks within a line are swift-format's.

/// A text that grows line by line.
struct SourceText {
    private(set) var text = ""
    private var depth: Int

    /// An empty text whose lines stand within `depth` pairs of braces.
    init(depth: Int = 0) {
        self.depth = depth
    }

    /// Adds a line of source.
    mutating func line(_ line: String = "") {
        text += line.isEmpty ? "\n" : String(repeating: "    ", count: depth) + line + "\n"
    }

    /// Adds lines as they are.
    mutating func lines(_ lines: String) {
        text += lines
    }

    /// Adds documentation, broken to the width of a page.
    mutating func documentation(_ text: String) {
        let width = 96 - depth * 4
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + word.count + 1 > width {
                self.line("/// " + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        self.line("/// " + line)
    }

    /// Adds lines between braces.
    mutating func block<Failure: Error>(
        _ head: String, _ body: (inout SourceText) throws(Failure) -> Void
    ) throws(Failure) {
        line(head + " {")
        depth += 1
        try body(&self)
        depth -= 1
        line("}")
    }
}
