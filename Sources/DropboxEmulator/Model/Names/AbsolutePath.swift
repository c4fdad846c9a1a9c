// The syntax of paths: malformed paths and refused names. Not responsible for entries
// (`AccountTree`).

/// A well-formed path from some root, as its components; the root itself has none.
struct AbsolutePath: Hashable, Sendable {
    /// The error for malformed paths in unions that have a code for them.
    struct Malformed: Error {}

    /// Longest name, in UTF-16 units (help.dropbox.com/organize/file-names).
    static let maximumNameLength = 255

    /// Names that the service does not save (help.dropbox.com/organize/file-names, "Incompatible
    /// names").
    private static let refusedKeys: Set<String> = [
        "desktop.ini", "thumbs.db", ".ds_store", "icon\r", ".dropbox", ".dropbox.attr",
        ".dropbox.cache",
    ]

    let components: [PathComponent]

    init(components: [PathComponent]) {
        self.components = components
    }

    /// Parses `""` (the root) or `/name/name`.
    init(_ text: String, folding: FoldingRule) throws(Malformed) {
        guard !text.isEmpty else {
            components = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { throw Malformed() }
        var components: [PathComponent] = []
        for part in text.utf8.dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            guard let name = String(part), Self.isWellFormed(name) else { throw Malformed() }
            components.append(PathComponent(name, folding: folding))
        }
        self.components = components
    }

    /// Whether the service refuses to save an entry of this name.
    var hasRefusedName: Bool {
        components.contains { Self.refusedKeys.contains($0.key) }
    }

    /// The folded path, as in `path_lower`.
    var key: String {
        components.reduce(into: "") { $0 += "/" + $1.key }
    }

    /// This path with its last component replaced.
    func renamed(_ name: String, folding: FoldingRule) -> AbsolutePath {
        AbsolutePath(
            components: components.dropLast() + [PathComponent(name, folding: folding)])
    }

    /// Control characters are refused as rclone's integration tests found them to be (DEL,
    /// backend/dropbox/dropbox.go, "encoding").
    private static func isWellFormed(_ name: String) -> Bool {
        guard !name.isEmpty, name != ".", name != "..", name.utf8.last != UInt8(ascii: " "),
            name.utf16.count <= maximumNameLength
        else { return false }
        return name.utf8.allSatisfy { $0 != UInt8(ascii: "\\") && $0 != 0 && $0 != 0x7F }
    }
}
