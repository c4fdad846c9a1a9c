// How Dropbox's SDK for Objective-C spells names: by the rules of Stone's own generator for that
// language. Words are cut as in CompatibilityNames.

import Stone

/// Spells names as Dropbox's SDK for Objective-C does.
enum ObjectiveCNames {
    /// Names that have an underscore behind them, in any case of letters.
    private static let taken: Set<String> = [
        "auto", "else", "long", "switch", "break", "enum", "register", "typedef", "case", "extern",
        "return", "union", "char", "float", "short", "unsigned", "const", "for", "signed", "void",
        "continue", "goto", "sizeof", "volatile", "default", "if", "static", "while", "do", "int",
        "struct", "_packed", "double", "protocol", "interface", "implementation", "nsobject",
        "nsinteger", "nsnumber", "cgfloat", "property", "nonatomic", "retain", "strong", "weak",
        "unsafe_unretained", "readwrite", "description", "id", "delete",
    ]
    /// Methods that begin so return what their caller owns, so such names get a letter before them.
    private static let owning = ["copy", "new"]

    /// A field, a tag or a route: `id` is `id_`, `copy_reference` is `dCopyReference`.
    static func member(_ name: String) -> String {
        var text = CompatibilityNames.camel(name)
        if taken.contains(text.lowercased()) { text += "_" }
        if owning.contains(where: { text.lowercased().hasPrefix($0) }) { text = "d" + upper(text) }
        return text
    }

    /// A member behind `is`, `initWith` or the name of a type.
    static func upper(_ member: String) -> String {
        member.prefix(1).uppercased() + member.dropFirst()
    }

    /// The letters of a namespace: `file_requests` is `FILEREQUESTS`.
    static func namespace(_ name: String) -> String { name.filter { $0 != "_" }.uppercased() }

    /// A class: `files.FileMetadata` is `DBFILESFileMetadata`.
    static func type(_ name: TypeName) -> String {
        "DB\(namespace(name.namespace))\(CompatibilityNames.type(name.name))"
    }

    /// A route with its version: `delete_v2` is `delete_V2`.
    static func route(_ route: Route) -> String {
        member(route.name) + (route.version == 1 ? "" : "V\(route.version)")
    }

    /// The property of a client: `file_requests` is `fileRequestsRoutes`.
    static func clientProperty(_ namespace: String) -> String {
        "\(CompatibilityNames.camel(namespace))Routes"
    }
}
