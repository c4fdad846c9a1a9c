// How SwiftyDropbox spells names: by the rules of Stone's own generator for Swift, which are not
// those of SwiftNames. Programs that were written for it name types, fields and tags so.

/// Spells names as SwiftyDropbox does.
enum CompatibilityNames {
    /// Names that have an underscore behind them: words of the language, and names that each type
    /// has already.
    private static let taken: Set<String> = [
        "as", "associatedtype", "bool", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "description", "do", "else", "enum", "extension", "fallthrough", "false",
        "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let",
        "list", "nil", "nsdata", "operator", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "static", "string", "struct", "subscript", "super", "switch", "throw",
        "throws", "timestamp", "true", "try", "typealias", "uint64", "var", "where", "while",
    ]

    /// A namespace or a type: `SharedLinkURL` is `SharedLinkUrl`.
    static func type(_ name: String) -> String { words(name).map(capitalized).joined() }

    /// A field or a tag: `team_id` is `teamId`.
    static func member(_ name: String) -> String {
        let text = camel(name)
        return taken.contains(text) ? text + "_" : text
    }

    /// A route: the second version of `list` is `listV2`.
    static func route(_ name: String, version: Int) -> String {
        version == 1 ? member(name) : "\(camel(name))V\(version)"
    }

    /// A name without regard to those that are taken.
    static func camel(_ name: String) -> String {
        let words = words(name)
        let first = words.first.map { $0.lowercased() } ?? ""
        return first + words.dropFirst().map(capitalized).joined()
    }

    private static func capitalized(_ word: Substring) -> String {
        word.prefix(1).uppercased() + word.dropFirst().lowercased()
    }

    /// Cuts at `_`, `-` and `/`, and then at capitals: `OAuth1Arg` is `O`, `Auth1`, `Arg`.
    private static func words(_ name: String) -> [Substring] {
        name.split { "_-/".contains($0) }.flatMap { part in
            let words = capitalWords(part)
            return words.isEmpty ? [part] : words
        }
    }

    /// A word is a capital with the small letters and digits behind it, a run of capitals before
    /// such a word or at the end, or the small letters at the beginning.
    private static func capitalWords(_ part: Substring) -> [Substring] {
        var words: [Substring] = []
        var rest = part
        while let first = rest.first {
            let capitals = rest.prefix { $0.isUppercase }
            let small = rest.dropFirst(capitals.count).prefix { !$0.isUppercase }
            var length = capitals.count + small.count
            if first.isUppercase, capitals.count > 1, !small.isEmpty { length = capitals.count - 1 }
            words.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return words
    }
}
