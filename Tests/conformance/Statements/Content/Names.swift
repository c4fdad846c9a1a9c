// The names that files and folders may have.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/semantics.md#posix-on-dropbox"

    static let names: [Statement] = [
        .init(
            "name-ends-with-space", "A name that ends with a space is malformed.", .rcloneNames,
            rule: place, expects: "path/malformed_path"
        ) { try await stored("a ", $0) },
        .init(
            "name-begins-with-space", "A name may begin with a space.", .rcloneNames,
            rule: place, expects: "stored"
        ) { try await stored(" a", $0) },
        .init(
            "name-ends-with-period", "A name may end with a period.", .rcloneNames,
            rule: place, expects: "stored"
        ) { try await stored("a.", $0) },
        .init(
            "name-with-backslash", "A name with a backslash is malformed.",
            .recording("create_folder/malformed_path"), rule: place, expects: "path/malformed_path"
        ) { try await folder("arizona\\baby", $0) },
        .init(
            "name-with-del", "A name with the character DEL is malformed.", .rcloneNames,
            rule: place, expects: "path/malformed_path"
        ) { try await stored("a\u{7F}b", $0) },
        .init(
            "name-with-control-character", "A name may have a control character other than DEL.",
            .rcloneNames, rule: place, expects: "stored"
        ) { try await stored("a\u{1}b", $0) },
        .init(
            "name-with-line-break", "A name may have a line break.", .files("WritePath"),
            rule: place, expects: "stored"
        ) { try await stored("a\nb", $0) },
        .init(
            "name-with-nul", "A name with the character NUL is malformed.", .assumption,
            rule: place, expects: "path/malformed_path"
        ) { try await stored("a\u{0}b", $0) },
        .init(
            "name-for-windows", "Characters that Windows refuses are allowed: < > : \" | ? *",
            .rcloneNames, rule: place, expects: "stored"
        ) { try await stored("a<b>c:d\"e|f?g*h", $0) },
        .init(
            "name-with-emoji", "A name may have characters beyond the first plane of Unicode.",
            .fileNames, rule: place, expects: "stored"
        ) { try await stored("a\u{1F388}b", $0) },
        .init(
            "name-dot", "The name of a single period is malformed.", .assumption,
            rule: place, expects: "path/malformed_path"
        ) { try await stored("d/./a", $0) },
        .init(
            "name-dot-dot", "The name of two periods is malformed.",
            .recording("copy/malformed_path"), rule: place, expects: "from_lookup/malformed_path"
        ) {
            try await $0.copy("../a", "b")
            return "copied"
        },
        .init(
            "name-empty", "An empty name within a path is malformed.", .assumption,
            rule: place, expects: "path/malformed_path"
        ) { try await stored("d//a", $0) },
        .init(
            "name-ends-with-slash", "A path that ends with a slash is malformed.", .assumption,
            rule: place, expects: "path/malformed_path"
        ) { box in
            try await box.makeFolder("d")
            return box.line(try await box.metadata("d/"))
        },
        .init(
            "name-without-slash", "A path that does not begin with a slash is not understood.",
            .files("WritePath"), rule: "Sources/RemoteStore/Interface", expects: "400"
        ) {
            _ = try await $0.files.createFolderV2(path: "dbxfs")
            return "made"
        },
        .init(
            "name-of-255-units", "A name may have 255 characters.", .issue("rclone/rclone", 4805),
            rule: place, expects: "stored"
        ) { try await stored(String(repeating: "a", count: 255), $0) },
        .init(
            "name-of-256-units", "A name of 256 characters is malformed.",
            .issue("rclone/rclone", 4805), rule: place, expects: "path/malformed_path"
        ) { try await stored(String(repeating: "a", count: 256), $0) },
        .init(
            "name-counts-utf-16", "A name's length is counted in units of UTF-16.", .fileNames,
            rule: place, expects: "path/malformed_path"
        ) { try await stored(String(repeating: "\u{1F388}", count: 128), $0) },
        .init(
            "path-of-400-units",
            "A path may be longer than the 260 characters that are recommended.",
            .assumption, rule: place, expects: "stored"
        ) { box in
            let part = String(repeating: "p", count: 100)
            return try await stored("\(part)/\(part)/\(part)/\(part)", box)
        },
        refused(".DS_Store", "name-ds-store", .issue("rclone/rclone", 108)),
        refused("desktop.ini", "name-desktop-ini", .issue("iterate-ch/docs", 107)),
        refused("thumbs.db", "name-thumbs-db", .issue("iterate-ch/docs", 107)),
        refused("icon\r", "name-icon", .issue("iterate-ch/docs", 107)),
        refused(".dropbox", "name-dropbox", .issue("samschott/maestral", 121)),
        refused(".dropbox.attr", "name-dropbox-attr", .issue("iterate-ch/docs", 107)),
        refused("THUMBS.DB", "name-refused-in-any-case", .assumption),
        .init(
            "name-dropbox-cache", "A folder `.dropbox.cache` is refused for its name.",
            .issue("samschott/maestral", 121), rule: place, expects: "path/disallowed_name"
        ) { try await folder(".dropbox.cache", $0) },
        .init(
            "name-refused-for-moves", "A move to a refused name is refused.", .files("WriteError"),
            rule: place, expects: "to/disallowed_name"
        ) { box in
            try await box.file("a")
            return box.line(try await box.move("a", "desktop.ini"))
        },
        temporary("~$a.docx", "name-office-lock"),
        temporary(".~lock.a#", "name-libreoffice-lock"),
        temporary("~a.tmp", "name-tmp"),
    ]

    /// The statement that no file can have a name.
    private static func refused(_ name: String, _ id: String, _ source: Source) -> Statement {
        .init(
            id, "A file `\(name.replacing("\r", with: "\\r"))` is refused for its name.", source,
            rule: "docs/operations.md#what-stays-on-this-machine", expects: "path/disallowed_name"
        ) { try await stored(name, $0) }
    }

    /// The statement that the API stores a name which Dropbox's own clients leave out.
    private static func temporary(_ name: String, _ id: String) -> Statement {
        .init(
            id, "A file `\(name)` is stored, although Dropbox's own clients leave it out.",
            .assumption, rule: "docs/operations.md#what-stays-on-this-machine", expects: "stored"
        ) { try await stored(name, $0) }
    }

    /// Stores a file, and says whether its name is the one that was asked for.
    private static func stored(
        _ name: String, _ box: ConformanceAccount
    ) async throws -> Observation {
        let file = try await box.put(name, "text")
        let last = name.split(separator: "/").last.map(String.init) ?? name
        return file.name == last ? "stored" : "stored as \(file.name)"
    }

    private static func folder(
        _ name: String, _ box: ConformanceAccount
    ) async throws -> Observation {
        try await box.files.createFolderV2(path: box.path(name)).metadata.name == name
            ? "made" : "made with another name"
    }
}
