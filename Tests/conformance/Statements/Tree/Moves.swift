// The effects of moves and copies, and their conflicts.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/sync.md#order"

    static let moves: [Statement] = [
        .init(
            "move-keeps-id", "A moved file keeps its id, and has another rev.",
            .recording("move/success_file"), rule: "docs/glossary.md#the-tree",
            expects: "another rev, the same id"
        ) { box in
            let old = try await box.file("a")
            return compared(old, try await box.moved("a", "b"))
        },
        .init(
            "move-is-modification", "server_modified of a moved file is the time of the move.",
            .recording("move/success_file"), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "later"
        ) { box in
            let old = try await box.file("a")
            // Dropbox's times have whole seconds.
            try await Task.sleep(for: .milliseconds(1100))
            let new = try await box.moved("a", "b")
            return new.serverModified > old.serverModified ? "later" : "the same"
        },
        .init(
            "move-folder-keeps-ids", "A moved folder and its content keep their ids.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "the same ids"
        ) { box in
            let folder = try await box.makeFolder("d")
            let file = try await box.file("d/a")
            try await box.move("d", "e")
            guard case .folder(let moved) = try await box.metadata("e") else { return "no folder" }
            let inside = try await box.fileMetadata("e/a")
            return moved.id == folder.id && inside.id == file.id ? "the same ids" : "other ids"
        },
        .init(
            "move-missing", "A missing entry is not moved.", .recording("move/not_found"),
            rule: place, expects: "from_lookup/not_found"
        ) { box in box.line(try await box.move("a", "b")) },
        .init(
            "move-onto-file", "A move conflicts with a file at its target.",
            .issue("spatie/dropbox-api", 89), rule: place, expects: "to/conflict/file"
        ) { box in
            try await box.file("a", "one")
            try await box.file("b", "two")
            return box.line(try await box.move("a", "b"))
        },
        .init(
            "move-onto-same-content", "A move conflicts with the same content, too.", .assumption,
            rule: place, expects: "to/conflict/file"
        ) { box in
            try await box.file("a", "one")
            try await box.file("b", "one")
            return box.line(try await box.move("a", "b"))
        },
        .init(
            "move-onto-folder", "A move conflicts with a folder at its target.",
            .files("RelocationError"), rule: place, expects: "to/conflict/folder"
        ) { box in
            try await box.makeFolder("d")
            try await box.makeFolder("e")
            return box.line(try await box.move("d", "e"))
        },
        .init(
            "move-onto-itself", "A move onto itself conflicts.", .assumption, rule: place,
            expects: "to/conflict/file"
        ) { box in
            try await box.file("a")
            return box.line(try await box.move("a", "a"))
        },
        .init(
            "case-rename-file", "A move that changes only the case of a file's name conflicts.",
            .assumption, rule: "docs/semantics.md#posix-on-dropbox", expects: "to/conflict/file"
        ) { box in
            try await box.file("a")
            return try await caseRename(box, "a", "A")
        },
        .init(
            "case-rename-folder", "A move that changes only the case of a folder's name conflicts.",
            .assumption, rule: "docs/semantics.md#posix-on-dropbox", expects: "to/conflict/folder"
        ) { box in
            try await box.makeFolder("d")
            return try await caseRename(box, "d", "D")
        },
        .init(
            "case-rename-in-two", "The case of a name is changed by two moves, over another name.",
            .issue("gregtatum/indie-web", 11), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "A"
        ) { box in
            try await box.file("a")
            try await box.given { try await $0.move("a", "b") }
            return try await box.moved("b", "A").name
        },
        .init(
            "move-into-itself", "A folder is not moved into itself.", .files("RelocationError"),
            rule: place, expects: "cant_move_folder_into_itself"
        ) { box in
            try await box.makeFolder("d")
            return box.line(try await box.move("d", "d/e"))
        },
        .init(
            "move-makes-parents", "A move makes the missing parents of its target.", .assumption,
            rule: place, expects: "file d/e/b"
        ) { box in
            try await box.file("a")
            return box.line(try await box.move("a", "d/e/b"))
        },
        .init(
            "move-below-file", "Nothing is moved below a file.", .files("WriteConflictError"),
            rule: place, expects: "to/conflict/file_ancestor"
        ) { box in
            try await box.file("a")
            try await box.file("b")
            return box.line(try await box.move("a", "b/c"))
        },
        .init(
            "move-by-id", "A file is moved by its id.", .files("RelocationPath"), rule: place,
            expects: "file b"
        ) { box in
            let file = try await box.file("a")
            return box.line(try await box.move(file.id, "b"))
        },
        .init(
            "move-folder-by-id", "A folder is moved by its id.", .files("RelocationPath"),
            rule: place, expects: "folder e"
        ) { box in
            let folder = try await box.makeFolder("d")
            return box.line(try await box.move(folder.id, "e"))
        },
        .init(
            "autorename-move", "Autorename of a moved file puts (1) before the suffix.",
            .recording("move/success_rename"), rule: place, expects: "b (1).txt"
        ) { box in
            try await box.file("a.txt", "one")
            try await box.file("b.txt", "two")
            return try await box.moved("a.txt", "b.txt", autorename: true).name
        },
        .init(
            "autorename-move-of-folder", "Autorename of a moved folder puts (1) at its end.",
            .assumption, rule: place, expects: "folder v1.0 (1)"
        ) { box in
            try await box.makeFolder("d")
            try await box.makeFolder("v1.0")
            return box.line(try await box.move("d", "v1.0", autorename: true))
        },
        .init(
            "copy-has-new-id", "A copy has an id and a rev of its own.",
            .recording("copy/success"), rule: place, expects: "another rev, another id"
        ) { box in
            let old = try await box.file("a")
            try await box.copy("a", "b")
            return compared(old, try await box.fileMetadata("b"))
        },
        .init(
            "copy-folder", "A copied folder has all that was in it.", .files("copy:2"),
            rule: place, expects: "file e/a, folder e/f, file e/f/b"
        ) { box in
            try await box.file("d/a")
            try await box.file("d/f/b")
            try await box.copy("d", "e")
            let lines = try await box.entries("e", recursive: true).map(box.line)
            return ConformanceAccount.list(lines.filter { $0 != "folder e" })
        },
        .init(
            "copy-missing", "A missing entry is not copied.", .recording("copy/not_found"),
            rule: place, expects: "from_lookup/not_found"
        ) { box in box.line(try await box.copy("a", "b")) },
        .init(
            "copy-onto-file", "A copy conflicts with a file at its target.",
            .files("RelocationError"), rule: place, expects: "to/conflict/file"
        ) { box in
            try await box.file("a", "one")
            try await box.file("b", "two")
            return box.line(try await box.copy("a", "b"))
        },
        .init(
            "relocation-limit", "More entries than a limit, 10,000, are not moved at once.",
            .files("RelocationError"), rule: "docs/sync.md#moving-a-large-folder",
            expects: "too_many_files"
        ) { box in
            try await box.file("d/a")
            try await box.file("d/b")
            try await box.admin(
                "relocation_limit", #"{"entries":2}"#,
                reason: "a folder of more than 10,000 entries would have to be made")
            let answer: Observation
            do {
                answer = box.line(try await box.move("d", "e"))
            } catch let error as CallError<Files.RelocationError> {
                answer = error.routeError?.tagPath ?? error.summary
            }
            try await box.admin("relocation_limit", #"{"entries":10000}"#, reason: "")
            return answer
        },
    ]

    private static func caseRename(
        _ box: ConformanceAccount, _ from: String, _ to: String
    ) async throws -> Observation {
        switch try await box.move(from, to) {
        case .file(let file): "named \(file.name)"
        case .folder(let folder): "named \(folder.name)"
        default: "gone"
        }
    }
}
