// Walks over tokens. Not responsible for what they mean together.

/// A position in a list of tokens.
struct TokenCursor {
    let file: String
    private let tokens: [Token]
    private var index = 0

    init(text: String, file: String) throws(StoneError) {
        self.file = file
        tokens = try Lexer.tokens(of: text, file: file)
    }

    var token: Token { tokens[min(index, tokens.count - 1)] }
    var position: SourcePosition { SourcePosition(file: file, line: token.line) }

    func failure(_ message: String) -> StoneError { StoneError(position, message) }

    func unexpected(_ expected: String) -> StoneError {
        failure("expected \(expected), found \(token.kind.words)")
    }

    mutating func advance() { index += 1 }

    func isAt(_ kind: Token.Kind) -> Bool { token.kind == kind }
    func isAt(_ symbol: Character) -> Bool { isAt(.symbol(symbol)) }
    func isAtName(_ name: String) -> Bool { isAt(.name(name)) }

    /// Steps over a token if it is there.
    mutating func skip(_ kind: Token.Kind) -> Bool {
        guard isAt(kind) else { return false }
        advance()
        return true
    }

    mutating func skip(_ symbol: Character) -> Bool { skip(.symbol(symbol)) }

    mutating func expect(_ kind: Token.Kind) throws(StoneError) {
        guard skip(kind) else { throw unexpected(kind.words) }
    }

    mutating func expect(_ symbol: Character) throws(StoneError) {
        try expect(.symbol(symbol))
    }

    mutating func name() throws(StoneError) -> String {
        guard case .name(let name) = token.kind else { throw unexpected("a name") }
        advance()
        return name
    }

    mutating func integer() throws(StoneError) -> Int {
        guard case .integer(let digits) = token.kind, let number = Int(digits) else {
            throw unexpected("a number")
        }
        advance()
        return number
    }

    /// A documentation string on lines of its own, if there is one.
    @discardableResult
    mutating func documentation() throws(StoneError) -> String? {
        guard case .string(let text) = token.kind else { return nil }
        advance()
        try expect(.newline)
        return text
    }

    /// Reads the indented lines that may follow, one by one.
    mutating func block(
        _ line: (inout TokenCursor) throws(StoneError) -> Void
    ) throws(StoneError) {
        guard skip(.indent) else { return }
        while !skip(.dedent) { try line(&self) }
    }
}

extension Token.Kind {
    /// The token as an error names it.
    var words: String {
        switch self {
        case .name(let name): "'\(name)'"
        case .string: "a string"
        case .integer(let digits), .decimal(let digits): digits
        case .symbol(let symbol): "'\(symbol)'"
        case .newline: "the end of the line"
        case .indent: "an indented line"
        case .dedent: "the end of the block"
        case .end: "the end of the file"
        }
    }
}
