// From text to tokens. Lines and indentation are tokens, too, as in Python; inside of brackets they
// mean nothing. https://github.com/dropbox/stone/blob/main/docs/lang_ref.rst

/// A piece of a specification.
struct Token: Hashable {
    enum Kind: Hashable {
        case name(String)
        case string(String)
        case integer(String)
        case decimal(String)
        case symbol(Character)
        case newline
        case indent
        case dedent
        case end
    }

    let kind: Kind
    let line: Int
}

/// Cuts a specification into tokens.
struct Lexer {
    private static let symbols: Set<Character> = [
        "(", ")", "[", "]", "{", "}", ",", "=", "*", "?", ".", ":", "/", "@",
    ]

    private let file: String
    private let text: [Character]
    private var offset = 0
    private var line = 1
    private var depth = 0
    private var indentation = [0]
    private var tokens: [Token] = []

    /// All tokens of a text; the last one is `end`. Throws at the first character that fits
    /// nothing.
    static func tokens(of text: String, file: String) throws(StoneError) -> [Token] {
        var lexer = Lexer(file: file, text: Array(text))
        try lexer.run()
        return lexer.tokens
    }

    private init(file: String, text: [Character]) {
        self.file = file
        self.text = text
    }

    private var next: Character? { offset < text.count ? text[offset] : nil }

    private func failure(_ message: String) -> StoneError {
        StoneError(SourcePosition(file: file, line: line), message)
    }

    private mutating func run() throws(StoneError) {
        try indent()
        while let character = next {
            if character.isNewline {
                try endLine()
            } else if character == " " || character == "\t" {
                offset += 1
            } else if character == "#" {
                skipComment()
            } else {
                try token(character)
            }
        }
        addNewline()
        for _ in indentation.dropFirst() { add(.dedent) }
        add(.end)
    }

    private mutating func add(_ kind: Token.Kind) {
        tokens.append(Token(kind: kind, line: line))
    }

    /// One `newline` per line that has something in it.
    private mutating func addNewline() {
        switch tokens.last?.kind {
        case nil, .newline, .indent, .dedent: break
        default: add(.newline)
        }
    }

    private mutating func endLine() throws(StoneError) {
        if depth == 0 { addNewline() }
        offset += 1
        line += 1
        if depth == 0 { try indent() }
    }

    private mutating func skipComment() {
        while let character = next, !character.isNewline { offset += 1 }
    }

    /// Reads the spaces at the start of a line; lines with nothing else do not count.
    private mutating func indent() throws(StoneError) {
        var width = 0
        while next == " " {
            width += 1
            offset += 1
        }
        guard next != "\t" else { throw failure("a tab in the indentation") }
        guard let character = next, !character.isNewline, character != "#" else { return }
        guard let current = indentation.last, width != current else { return }
        if width > current {
            indentation.append(width)
            add(.indent)
            return
        }
        while let current = indentation.last, width < current {
            indentation.removeLast()
            add(.dedent)
        }
        guard indentation.last == width else {
            throw failure("an indentation that no line above has")
        }
    }

    private mutating func token(_ character: Character) throws(StoneError) {
        if character == "\"" {
            try string()
        } else if character.isLetter || character == "_" {
            add(.name(word { $0.isLetter || $0.isNumber || $0 == "_" }))
        } else if character.isNumber || character == "-" {
            try number()
        } else if Self.symbols.contains(character) {
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth = max(0, depth - 1) }
            offset += 1
            add(.symbol(character))
        } else {
            throw failure("unexpected character '\(character)'")
        }
    }

    private mutating func word(_ belongs: (Character) -> Bool) -> String {
        let start = offset
        while let character = next, belongs(character) { offset += 1 }
        return String(text[start..<offset])
    }

    private mutating func number() throws(StoneError) {
        let digits = word { $0.isNumber || "-+.eE".contains($0) }
        if Int64(digits) != nil || UInt64(digits) != nil {
            add(.integer(digits))
        } else if Double(digits) != nil {
            add(.decimal(digits))
        } else {
            throw failure("'\(digits)' is not a number")
        }
    }

    /// A backslash keeps a quotation mark, a backslash, a line break or a tab; before anything else
    /// it stands for itself, as in patterns.
    private mutating func string() throws(StoneError) {
        let start = line
        var content = ""
        offset += 1
        while let character = next {
            offset += 1
            if character == "\"" {
                tokens.append(Token(kind: .string(content), line: start))
                return
            }
            if character.isNewline { line += 1 }
            if character == "\\", let escaped = next {
                offset += 1
                content += Self.escapes[escaped] ?? "\\\(escaped)"
            } else {
                content.append(character)
            }
        }
        line = start
        throw failure("a string without an end")
    }

    private static let escapes: [Character: String] = [
        "\"": "\"", "\\": "\\", "n": "\n", "t": "\t",
    ]
}
