// Making folders, and deleting.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/sync.md#deleting-a-folder"

    static let deletions: [Statement] = [
        .init(
            "folder-conflict", "A folder that is there is not made again.",
            .recording("create_folder_batch/conflict_error"), rule: "docs/semantics.md#conflicts",
            expects: "path/conflict/folder"
        ) { box in
            try await box.makeFolder("d")
            return try await made(box, "d")
        },
        .init(
            "folder-onto-file", "A folder conflicts with a file.",
            .recording("create_folder/conflict"), rule: "docs/semantics.md#conflicts",
            expects: "path/conflict/file"
        ) { box in
            try await box.file("d")
            return try await made(box, "d")
        },
        .init(
            "folder-below-file", "No folder is made below a file.", .files("WriteConflictError"),
            rule: "docs/semantics.md#conflicts", expects: "path/conflict/file_ancestor"
        ) { box in
            try await box.file("d")
            return try await made(box, "d/e")
        },
        .init(
            "folder-makes-parents", "The missing parents of a folder are made.", .assumption,
            rule: "docs/sync.md#order", expects: "folder d"
        ) { box in
            _ = try await made(box, "d/e")
            return box.line(try await box.metadata("d"))
        },
        .init(
            "folder-autorename", "Autorename of a folder puts (1) at its end.",
            .recording("create_folder_batch/autorename_true"),
            rule: "docs/semantics.md#conflicts", expects: "d (1)"
        ) { box in
            try await box.makeFolder("d")
            return try await box.files.createFolderV2(path: box.path("d"), autorename: true)
                .metadata.name
        },
        .init(
            "delete-file", "A deletion is answered with the deleted entry.",
            .recording("delete/success_file"), rule: place, expects: "file a"
        ) { box in
            try await box.file("a")
            return box.line(try await box.delete("a"))
        },
        .init(
            "delete-missing", "A missing entry is not deleted.",
            .recording("delete/not_found"), rule: "docs/sync.md#lost-responses",
            expects: "path_lookup/not_found"
        ) { box in box.line(try await box.delete("a")) },
        .init(
            "delete-twice", "A deleted entry is not deleted again.",
            .recording("delete/not_found"), rule: "docs/sync.md#lost-responses",
            expects: "path_lookup/not_found"
        ) { box in
            try await box.file("a")
            try await box.given { try await $0.delete("a") }
            return box.line(try await box.delete("a"))
        },
        .init(
            "delete-folder", "A folder is deleted with all that is in it.", .files("delete:2"),
            rule: place, expects: "path/not_found"
        ) { box in
            try await box.file("d/e/a")
            try await box.given { try await $0.delete("d") }
            return box.line(try await box.metadata("d/e/a"))
        },
        .init(
            "delete-in-any-case", "A deletion finds its entry in any case.", .assumption,
            rule: place, expects: "file a"
        ) { box in
            try await box.file("a")
            return box.line(try await box.delete("A"))
        },
        .init(
            "delete-by-id", "A file is deleted by its id.",
            .issue("dropbox/dropbox-sdk-python", 57), rule: place, expects: "file a"
        ) { box in box.line(try await box.delete(try await box.file("a").id)) },
        .init(
            "delete-by-rev", "A file with the rev of parent_rev is deleted.", .files("DeleteArg"),
            rule: place, expects: "file a"
        ) { box in
            let file = try await box.file("a")
            return box.line(try await box.delete("a", parentRev: file.rev))
        },
        .init(
            "delete-other-rev", "A file with another rev than parent_rev is not deleted.",
            .recording("delete/invalid_parent_rev"), rule: place,
            expects: "path_write/conflict/file"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.file("a", "two")
            return box.line(try await box.delete("a", parentRev: old.rev))
        },
        .init(
            "delete-folder-by-rev", "parent_rev of a folder is a conflict.", .assumption,
            rule: place, expects: "path_write/conflict/folder"
        ) { box in
            try await box.makeFolder("d")
            return box.line(try await box.delete("d", parentRev: "0123456789abcdef"))
        },
    ]

    private static func made(
        _ box: ConformanceAccount, _ name: String
    ) async throws -> Observation {
        box.name(try await box.files.createFolderV2(path: box.path(name)).metadata.pathLower)
    }
}
