// The changes that list_folder/continue tells, and their order.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#a-delta-from-the-longpoll-to-the-kernel"

    static let changes: [Statement] = [
        .init(
            "changes-none", "Without a change there is an empty page.",
            .recording("list_folder_continue/success"), rule: place, expects: "nothing"
        ) { try await after($0) { _ in } },
        .init(
            "changes-since-listing", "The cursor of a listing tells of later changes.",
            .changesGuide, rule: place, expects: "file b"
        ) { box in
            try await box.file("a")
            let page = try await box.given { try await $0.files.listFolder(path: $0.folder) }
            try await box.file("b")
            return try await box.told(page.cursor)
        },
        .init(
            "changes-since-latest", "The latest cursor tells of later changes only.",
            .files("list_folder/get_latest_cursor"), rule: place, expects: "file b"
        ) { box in
            try await box.file("a")
            return try await after(box) { try await $0.put("b", "text") }
        },
        .init(
            "changes-again", "A cursor can be used again, and tells the same.", .assumption,
            rule: place, expects: "file a, file a"
        ) { box in
            let cursor = try await box.cursor()
            try await box.file("a")
            let first = try await box.told(cursor)
            return "\(first), \(try await box.told(cursor))"
        },
        .init(
            "change-of-content", "A new content is told as the file with its new rev.",
            .changesGuide, rule: place, expects: "the new rev"
        ) { box in
            try await box.file("a", "one")
            let cursor = try await box.cursor()
            let new = try await box.file("a", "two")
            guard case .file(let told) = try await box.changes(cursor).last else {
                return "nothing"
            }
            return told.rev == new.rev ? "the new rev" : "another rev"
        },
        .init(
            "change-of-deletion", "A deletion is told as a deleted entry.", .changesGuide,
            rule: place, expects: "deleted a"
        ) { box in
            try await box.file("a")
            return try await after(box) { try await $0.delete("a") }
        },
        .init(
            "change-of-folder", "A new folder is told before its content.", .assumption,
            rule: place, expects: "folder d, file d/a"
        ) { try await after($0) { try await $0.put("d/a", "text") } },
        .init(
            "change-of-deleted-folder", "The deletion of a folder is told as one entry, its own.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "deleted d"
        ) { box in
            try await box.file("d/a")
            return try await after(box) { try await $0.delete("d") }
        },
        .init(
            "change-of-deleted-folder-with-deleted",
            "With deleted entries each one that went with the folder is told, too.", .assumption,
            rule: "docs/semantics.md#conflicts", expects: "deleted d, deleted d/a"
        ) { box in
            try await box.file("d/a")
            return try await after(box, deleted: true) { try await $0.delete("d") }
        },
        .init(
            "change-of-move", "A move is told as a deletion, then as the file at its new place.",
            .issue("onitu/onitu", 75), rule: place, expects: "deleted a, file b"
        ) { box in
            try await box.file("a")
            return try await after(box) { try await $0.move("a", "b") }
        },
        .init(
            "change-of-moved-folder", "A folder's move is one deletion, then every descendant.",
            .assumption, rule: place, expects: "deleted d, folder e, file e/a"
        ) { box in
            try await box.file("d/a")
            return try await after(box) { try await $0.move("d", "e") }
        },
        .init(
            "changes-of-one-file", "Several changes of a file are told as its last state.",
            .assumption, rule: place, expects: "file a"
        ) { box in
            try await after(box) { box in
                try await box.put("a", "one")
                try await box.put("a", "two", .overwrite)
            }
        },
        .init(
            "changes-come-and-go", "A file that came and went is told as deleted.", .assumption,
            rule: place, expects: "deleted a"
        ) { box in
            try await after(box) { box in
                try await box.put("a", "one")
                try await box.delete("a")
            }
        },
        .init(
            "changes-delete-and-make",
            "A file that was deleted and made anew is told last as a file.",
            .assumption, rule: place, expects: "file a"
        ) { box in
            try await box.file("a", "one")
            let cursor = try await box.cursor()
            try await box.given { try await $0.delete("a") }
            try await box.file("a", "two")
            return try await box.changes(cursor).last.map(box.line) ?? "nothing"
        },
        .init(
            "changes-below", "A cursor that is not recursive tells of the folder's children only.",
            .assumption, rule: place, expects: "file a"
        ) { box in
            try await box.makeFolder("d")
            return try await after(box, recursive: false) { box in
                try await box.put("d/b", "text")
                try await box.put("a", "text")
            }
        },
        .init(
            "changes-elsewhere", "A cursor tells of no change outside of its folder.",
            .files("list_folder"), rule: place, expects: "nothing"
        ) { box in
            try await box.makeFolder("d")
            let cursor = try await box.cursor("d")
            try await box.file("a")
            return try await box.told(cursor)
        },
        .init(
            "changes-case", "A change of case is told as a deletion and the new name.", .assumption,
            rule: "docs/semantics.md#posix-on-dropbox", expects: "A"
        ) { box in
            try await box.file("a")
            let cursor = try await box.cursor()
            try await box.given { try await $0.move("a", "b") }
            try await box.given { try await $0.move("b", "A") }
            guard case .file(let told) = try await box.changes(cursor).last else {
                return "nothing"
            }
            return told.name
        },
        .init(
            "changes-of-gone-folder", "The cursor of a folder that is gone is not found.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "path/not_found"
        ) { box in
            try await box.file("d/a")
            let cursor = try await box.cursor("d")
            try await box.given { try await $0.delete("d") }
            return try await box.told(cursor)
        },
        .init(
            "changes-of-new-folder",
            "The cursor of a folder that was made anew tells of the deletion and the folder.",
            .assumption, rule: "docs/semantics.md#conflicts",
            expects: "deleted d, folder d, file d/b"
        ) { box in
            try await box.file("d/a")
            let cursor = try await box.cursor("d")
            try await box.given { try await $0.delete("d") }
            try await box.file("d/b")
            return try await box.told(cursor)
        },
        .init(
            "cursor-unknown", "A text that is no cursor is not understood.", .assumption,
            rule: place, expects: "400"
        ) { try await $0.told("I believe in the blerch") },
        .init(
            "cursor-forgotten", "A cursor that the server has forgotten has to be made anew.",
            .changesGuide, rule: "docs/sync.md#listings", expects: "reset"
        ) { box in
            let cursor = try await box.cursor()
            try await box.admin(
                "cursors/reset", "{}", reason: "Dropbox forgets a cursor only after a long time")
            return try await box.told(cursor)
        },
    ]

    /// The changes that a cursor tells after some work.
    private static func after(
        _ box: ConformanceAccount, recursive: Bool = true, deleted: Bool = false,
        _ work: (ConformanceAccount) async throws -> Void
    ) async throws -> Observation {
        let cursor = try await box.cursor(recursive: recursive, deleted: deleted)
        try await box.given(work)
        return try await box.told(cursor)
    }
}
