// How names of the specification are spelled in Swift.

/// Spells names as Swift does.
enum SwiftNames {
    /// Words that keep one case, as elsewhere in this project.
    private static let uppercased = [
        "Id": "ID", "Ids": "IDs", "Url": "URL", "Urls": "URLs", "Http": "HTTP",
    ]

    /// Namespaces whose names are not cut into words.
    private static let namespaces = ["openid": "OpenID"]

    private static let keywords: Set<String> = [
        "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil",
        "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws",
        "true", "try", "typealias", "var", "where", "while",
    ]

    /// A namespace: `file_requests` is `FileRequests`.
    static func namespace(_ name: String) -> String {
        namespaces[name] ?? words(name).map(capitalized).joined()
    }

    /// A type: `SharedLinkUrl` is `SharedLinkURL`.
    static func type(_ name: String) -> String { words(name).map(capitalized).joined() }

    /// A field, a tag or a route: `list_folder/get_latest_cursor` is `listFolderGetLatestCursor`.
    static func member(_ name: String) -> String {
        let words = words(name)
        let first = words.first.map(lowercased) ?? ""
        let text = first + words.dropFirst().map(capitalized).joined()
        return text.first?.isNumber == true ? "value" + capitalized(text) : text
    }

    /// A name where it is declared or stands alone.
    static func escaped(_ name: String) -> String {
        keywords.contains(name) ? "`\(name)`" : name
    }

    /// A name behind a dot, where all but two words are allowed.
    static func afterDot(_ name: String) -> String {
        name == "init" || name == "self" ? "`\(name)`" : name
    }

    /// Cuts at `_`, `/` and before capitals.
    private static func words(_ name: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in name {
            let isSeparator = character == "_" || character == "/"
            if isSeparator || character.isUppercase {
                if !word.isEmpty { words.append(word) }
                word = ""
            }
            if !isSeparator { word.append(character) }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    private static func capitalized(_ word: String) -> String {
        let text = word.prefix(1).uppercased() + word.dropFirst()
        return uppercased[text] ?? text
    }

    private static func lowercased(_ word: String) -> String {
        word.prefix(1).lowercased() + word.dropFirst()
    }
}
