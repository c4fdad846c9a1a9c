// When content conflicts with the entry at its path, and the names that autorename gives.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/semantics.md#conflicts"

    static let conflicts: [Statement] = [
        .init(
            "add-other-content", "New content conflicts with a file at its path.",
            .files("WriteMode"), rule: place, expects: "path/conflict/file"
        ) { box in
            try await box.file("a", "one")
            return try await again(box, "two", .add)
        },
        .init(
            "add-same-content", "The same content under the same name is not written again.",
            .recording("upload/too_many_write_operations"), rule: "docs/sync.md#lost-responses",
            expects: "the same rev, the same id"
        ) { try await twice($0, .add) },
        .init(
            "overwrite-same-content", "Overwriting with the same content writes nothing.",
            .issue("dropbox/dropbox-sdk-java", 253), rule: "docs/sync.md#lost-responses",
            expects: "the same rev, the same id"
        ) { try await twice($0, .overwrite) },
        .init(
            "update-same-content",
            "The same content does not conflict, also if another rev is named.",
            .files("WriteMode"), rule: place, expects: "the same rev, the same id"
        ) { try await twice($0, .update("0123456789abcdef")) },
        .init(
            "add-onto-folder", "A file conflicts with a folder at its path.", .files("WriteMode"),
            rule: place, expects: "path/conflict/folder"
        ) { box in
            try await box.makeFolder("a")
            return try await again(box, "text", .add)
        },
        .init(
            "overwrite-folder", "A folder is not overwritten by a file.", .files("WriteMode"),
            rule: place, expects: "path/conflict/folder"
        ) { box in
            try await box.makeFolder("a")
            return try await again(box, "text", .overwrite)
        },
        .init(
            "file-as-parent", "A file cannot be the parent of a file.",
            .files("WriteConflictError"),
            rule: place, expects: "path/conflict/file_ancestor"
        ) { box in
            try await box.file("a")
            try await box.put("a/b", "text")
            return "stored"
        },
        .init(
            "update-old-rev", "An update of another rev than the current one conflicts.",
            .files("WriteMode"), rule: place, expects: "path/conflict/file"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.file("a", "two")
            return try await again(box, "three", .update(old.rev))
        },
        .init(
            "update-deleted", "An update of a deleted file stores it anew.", .files("WriteMode"),
            rule: place, expects: "stored"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            return try await again(box, "two", .update(old.rev))
        },
        .init(
            "strict-update-deleted", "A strict update of a deleted file conflicts.",
            .files("CommitInfo"), rule: place, expects: "path/conflict/file"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            return try await again(box, "two", .update(old.rev), strict: true)
        },
        .init(
            "strict-add-same-content", "A strict addition conflicts with the same content.",
            .issue("dropbox/dropbox-sdk-js", 1076), rule: "docs/sync.md#lost-responses",
            expects: "path/conflict/file"
        ) { try await twice($0, .add, strict: true) },
        .init(
            "strict-update-same-content",
            "A strict update of another rev conflicts with the same content.",
            .files("CommitInfo"), rule: place, expects: "path/conflict/file"
        ) { try await twice($0, .update("0123456789abcdef"), strict: true) },
        .init(
            "strict-overwrite-same-content",
            "A strict overwriting with the same content writes nothing, and does not conflict.",
            .assumption, rule: "docs/sync.md#lost-responses", expects: "the same rev, the same id"
        ) { try await twice($0, .overwrite, strict: true) },
        .init(
            "strict-current-same-content",
            "A strict update of the current rev with the same content does not conflict.",
            .assumption, rule: "docs/sync.md#lost-responses", expects: "the same rev, the same id"
        ) { box in
            let old = try await box.file("a", "one")
            return compared(old, try await box.put("a", "one", .update(old.rev), strict: true))
        },
        .init(
            "autorename-file", "Autorename puts (1) before the suffix.",
            .recording("upload/success_add"), rule: place, expects: "a (1).txt"
        ) { box in
            try await box.file("a.txt", "one")
            return try await box.put("a.txt", "two", autorename: true).name
        },
        .init(
            "autorename-again", "Autorename counts on where names are taken.", .assumption,
            rule: place, expects: "a (2).txt"
        ) { box in
            try await box.file("a.txt", "one")
            try await box.file("a (1).txt", "two")
            return try await box.put("a.txt", "three", autorename: true).name
        },
        .init(
            "autorename-update", "Autorename of an update makes a conflicted copy.",
            .files("WriteMode"), rule: place, expects: "conflicted copy"
        ) { box in
            let old = try await box.file("a.txt", "one")
            try await box.file("a.txt", "two")
            let name = try await box.put("a.txt", "three", .update(old.rev), autorename: true).name
            return name.contains("conflicted copy") ? "conflicted copy" : name
        },
        .init(
            "autorename-same-content", "Autorename does not rename the same content.",
            .issue("dropbox/dropbox-sdk-js", 1076), rule: "docs/sync.md#lost-responses",
            expects: "a.txt"
        ) { box in
            try await box.file("a.txt", "one")
            return try await box.put("a.txt", "one", autorename: true).name
        },
        .init(
            "autorename-same-content-strict", "Strict autorename renames the same content, too.",
            .issue("dropbox/dropbox-sdk-js", 1076), rule: "docs/sync.md#lost-responses",
            expects: "a (1).txt"
        ) { box in
            try await box.file("a.txt", "one")
            return try await box.put("a.txt", "one", autorename: true, strict: true).name
        },
    ]

    private static func again(
        _ box: ConformanceAccount, _ text: String, _ mode: Files.WriteMode, strict: Bool = false
    ) async throws -> Observation {
        try await box.put("a", text, mode, strict: strict)
        return "stored"
    }

    /// Stores the same content a second time.
    private static func twice(
        _ box: ConformanceAccount, _ mode: Files.WriteMode, strict: Bool = false
    ) async throws -> Observation {
        let old = try await box.file("a", "one")
        return compared(old, try await box.put("a", "one", mode, strict: strict))
    }
}
