// Which names are one: case and Unicode's composition.

import DropboxAPIComplete

extension Statement {
    private static let place = "Sources/Core/Folding.swift"

    static let folding: [Statement] = [
        .init(
            "case-is-ignored", "A path finds its entry in any case.",
            .issue("dropbox/dropbox-sdk-java", 134), rule: place, expects: "file a.txt"
        ) { box in
            try await box.file("A.TXT")
            return box.line(try await box.metadata("a.Txt"))
        },
        .init(
            "case-conflicts", "A new file conflicts with one whose name differs in case only.",
            .issue("dropbox/dropbox-sdk-java", 134), rule: place, expects: "path/conflict/file"
        ) { box in
            try await box.file("aaa.txt", "one")
            try await box.put("AAA.txt", "two")
            return "stored"
        },
        .init(
            "case-is-kept", "A file keeps the case of its name.", .files("Metadata"), rule: place,
            expects: "MiXed.Txt"
        ) { try await $0.put("MiXed.Txt", "text").name },
        .init(
            "path-lower", "path_lower is the path in small letters.", .files("Metadata"),
            rule: place, expects: "mixed/a.txt"
        ) { box in box.name(try await box.put("Mixed/A.Txt", "text").pathLower) },
        .init(
            "overwrite-keeps-case", "An overwritten file keeps the case that its name had.",
            .assumption, rule: "docs/semantics.md#posix-on-dropbox", expects: "a.txt"
        ) { box in
            try await box.file("a.txt", "one")
            return try await box.put("A.TXT", "two", .overwrite).name
        },
        .init(
            "parent-case-is-ignored", "A parent folder is found in any case, and not made anew.",
            .issue("dropbox/dropbox-sdk-python", 63), rule: place, expects: "folder d, file d/a"
        ) { box in
            try await box.makeFolder("D")
            try await box.put("d/a", "text")
            let entries = try await box.entries(recursive: true).map(box.line)
            return ConformanceAccount.list(entries.filter { $0 != "folder ." })
        },
        .init(
            "name-is-composed", "A name is stored in Unicode's composed form.", .normalisedPaths,
            rule: place, expects: "U+E1"
        ) { box in
            let name = try await box.put("a\u{301}", "text").name
            return name.unicodeScalars.map { "U+" + String($0.value, radix: 16).uppercased() }
                .joined(separator: " ")
        },
        .init(
            "composition-conflicts", "Composed and decomposed spellings of a name are one.",
            .normalisedPaths, rule: place, expects: "path/conflict/file"
        ) { box in
            try await box.file("\u{E1}", "one")
            try await box.put("a\u{301}", "two")
            return "stored"
        },
        .init(
            "decomposed-lookup",
            "A decomposed path finds its entry. (samschott/maestral#678 saw that it does not.)",
            .assumption, rule: place, expects: "found"
        ) { box in
            let file = try await box.file("\u{E1}")
            return try await box.fileMetadata("a\u{301}").id == file.id ? "found" : "another file"
        },
        lower(
            "\u{416}\u{423}\u{41A}", "\u{436}\u{443}\u{43A}", "fold-cyrillic", "Cyrillic letters"),
        lower("\u{FF21}", "\u{FF41}", "fold-full-width", "Full-width letters"),
        .init(
            "fold-sigma", "A capital sigma is a sigma, also at the end of a word.",
            .normalisedPaths, rule: place, expects: "\u{3C3}\u{3C3}\u{3C3}"
        ) { box in box.name(try await box.put("\u{3A3}\u{3A3}\u{3A3}", "text").pathLower) },
        .init(
            "fold-dotted-i", "A capital I with a dot is a plain i.", .caseTable, rule: place,
            expects: "i"
        ) { box in box.name(try await box.put("\u{130}", "text").pathLower) },
        .init(
            "fold-sharp-s", "A sharp s is not a double s.", .caseTable, rule: place,
            expects: "two files"
        ) { box in
            try await box.file("stra\u{DF}e", "one")
            try await box.put("strasse", "two")
            return "two files"
        },
        unfolded("\u{A64A}", "fold-later-cyrillic", .normalisedPaths),
        unfolded("\u{1E9E}", "fold-capital-sharp-s", .caseTable),
        unfolded("\u{1C90}", "fold-georgian", .caseTable),
        unfolded("\u{13A0}", "fold-cherokee", .caseTable),
        unfolded("\u{23A}", "fold-later-partner", .caseTable),
    ]

    private static func lower(
        _ name: String, _ key: String, _ id: String, _ letters: String
    ) -> Statement {
        .init(
            id, "\(letters) are one in both cases.", .caseTable, rule: place, expects: key
        ) { box in box.name(try await box.put(name, "text").pathLower) }
    }

    /// The statement that a letter whose small form came after Unicode 4.1 stays as it is.
    private static func unfolded(_ name: String, _ id: String, _ source: Source) -> Statement {
        let code = name.unicodeScalars.map { "U+" + String($0.value, radix: 16).uppercased() }
        return .init(
            id,
            "\(code.joined()), whose small letter Unicode has had since after 4.1, stays as it is.",
            source, rule: place, expects: name
        ) { box in box.name(try await box.put(name, "text").pathLower) }
    }
}
