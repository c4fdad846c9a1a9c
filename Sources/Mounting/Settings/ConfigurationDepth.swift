// How deep a configuration file nests, which is asked before it is parsed: TOML's parser calls
// itself for each level, and its stack ends at some ten thousand. Not responsible for anything else
// that is wrong with a file.

import Saturating

/// Counts what nests in a TOML document: dots of keys, and open brackets and braces.
struct ConfigurationDepth {
    /// Maximum number of dots in a line, of which each nests a table.
    private static let dotsInLine = 100
    /// Maximum number of dots in a document: a table in a table in a list, over many lines.
    private static let dots = 2_000
    /// Maximum number of brackets and braces that are open at once.
    private static let brackets = 100

    private var rest: Substring.UTF8View
    private var line = 1
    private var dotsOfLine = 0
    private var allDots = 0
    private var openBrackets = 0

    /// The line that nests too deep, and why; nil if none does.
    static func excess(in text: String) -> (line: Int, detail: String)? {
        var depth = ConfigurationDepth(rest: text.utf8[...])
        while let byte = depth.rest.popFirst() {
            if let detail = depth.take(byte) { return (depth.line, detail) }
        }
        return nil
    }

    private init(rest: Substring.UTF8View) {
        self.rest = rest
    }

    private mutating func take(_ byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "\n"):
            line +|= 1
            dotsOfLine = 0
        case UInt8(ascii: "#"): rest = rest.drop { $0 != UInt8(ascii: "\n") }
        case UInt8(ascii: "\""), UInt8(ascii: "'"): skipText(byte)
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            openBrackets +|= 1
            if openBrackets > Self.brackets {
                return "has more than \(Self.brackets) open brackets"
            }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): openBrackets = max(0, openBrackets -| 1)
        case UInt8(ascii: "."):
            dotsOfLine +|= 1
            allDots +|= 1
            if dotsOfLine > Self.dotsInLine { return "has more than \(Self.dotsInLine) dots" }
            if allDots > Self.dots { return "there are more than \(Self.dots) dots" }
        default: break
        }
        return nil
    }

    /// Skips a text after its first quote. One that does not end with its line is an error, at
    /// which the parser stops.
    private mutating func skipText(_ quote: UInt8) {
        let isLong = rest.prefix(2).elementsEqual([quote, quote])
        if isLong { rest = rest.dropFirst(2) }
        while let byte = rest.first {
            if byte == UInt8(ascii: "\n") {
                guard isLong else { return }
                line +|= 1
            }
            rest = rest.dropFirst()
            let isEscape = byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"")
            if isEscape, rest.first != UInt8(ascii: "\n") {
                rest = rest.dropFirst()
            } else if byte == quote {
                guard isLong else { return }
                guard rest.prefix(2).elementsEqual([quote, quote]) else { continue }
                // Up to two quotes may be the text's own, before the three that end it.
                rest = rest.dropFirst(2 +| rest.dropFirst(2).prefix(2).prefix { $0 == quote }.count)
                return
            }
        }
    }
}
