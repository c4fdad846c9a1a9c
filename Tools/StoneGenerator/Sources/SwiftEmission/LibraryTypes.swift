// Types of the library that stand for aliases of the specification: strings there, and more here.

/// A type that is not generated.
struct LibraryType {
    let name: String
    let module: String
}

enum LibraryTypes {
    /// By the aliases' names.
    static let ofAliases: [String: LibraryType] = [
        // A hash that is compared with one of the content itself must not differ from it by the
        // case of a digit.
        "files.Sha256HexHash": LibraryType(name: "ContentHash", module: "ContentHashing")
    ]
}
