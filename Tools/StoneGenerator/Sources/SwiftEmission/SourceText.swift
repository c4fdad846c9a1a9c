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
        documentation(text, first: "", others: "")
    }

    /// Adds the documentation of parameters.
    mutating func documentation(parameters: [(name: String, text: String)]) {
        guard !parameters.isEmpty else { return }
        line("///")
        line("/// - Parameters:")
        for parameter in parameters {
            documentation("\(parameter.name): \(parameter.text)", first: "  - ", others: "    ")
        }
    }

    /// `first` stands before the first line, `others` before those that follow.
    private mutating func documentation(_ text: String, first: String, others: String) {
        let width = 96 - depth * 4 - first.count
        var (line, start) = ("", first)
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + word.count + 1 > width {
                self.line("/// " + start + line)
                (line, start) = ("", others)
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        self.line("/// " + start + line)
    }

    /// Adds documentation, and behind it what the specification says: its paragraphs, with its
    /// references as code.
    mutating func documentation(_ text: String, and said: String?) {
        documentation(text)
        for paragraph in said?.paragraphs ?? [] {
            line("///")
            documentation(paragraph)
        }
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

extension String {
    /// The paragraphs of a text of the specification, each in one line; `:route:`, `:field:` and
    /// the like are gone, and what they refer to is code.
    fileprivate var paragraphs: [String] {
        var paragraphs: [[Substring]] = [[]]
        for line in split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split { $0.isWhitespace }
            if words.isEmpty {
                paragraphs.append([])
            } else {
                paragraphs[paragraphs.count - 1] += words
            }
        }
        return paragraphs.filter { !$0.isEmpty }.map { words in
            words.joined(separator: " ")
                .replacing(/:link:`([^`]*) ([^` ]+)`/) { "[\($0.1)](\($0.2))" }
                .replacing(/:(?:route|type|field|val):(`[^`]*`)/) { String($0.1) }
        }
    }
}
