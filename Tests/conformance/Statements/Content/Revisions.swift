// Earlier contents of files.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/semantics.md#conflicts"

    static let revisions: [Statement] = [
        .init(
            "revisions", "The revisions of a file are listed, the newest first.",
            .recording("list_revisions/success"), rule: place, expects: "two, one"
        ) { box in
            try await box.file("a", "one")
            try await box.file("a", "two")
            let revisions = try await box.files.listRevisions(path: box.path("a")).entries
            var texts: [String] = []
            for file in revisions { texts.append(try await box.text("rev:\(file.rev)")) }
            return ConformanceAccount.list(texts)
        },
        .init(
            "revisions-of-deleted",
            "The revisions of a deleted file are listed, and that it is deleted.",
            .recording("list_revisions/success"), rule: place, expects: "deleted, 1"
        ) { box in
            try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            let page = try await box.files.listRevisions(path: box.path("a"))
            return "\(page.isDeleted ? "deleted" : "living"), \(page.entries.count)"
        },
        .init(
            "revisions-of-nothing", "There are no revisions where there never was a file.",
            .recording("list_revisions/not_found"), rule: place, expects: "path/not_found"
        ) { box in "\(try await box.files.listRevisions(path: box.path("a")).entries.count)" },
        .init(
            "revisions-of-folder", "A folder has no revisions.", .files("ListRevisionsError"),
            rule: place, expects: "path/not_file"
        ) { box in
            try await box.makeFolder("a")
            return "\(try await box.files.listRevisions(path: box.path("a")).entries.count)"
        },
        limited("revisions-limit-0", 0, "400"),
        limited("revisions-limit-100", 100, "1"),
        limited("revisions-limit-101", 101, "400"),
        .init(
            "revisions-page", "A page says that there are more revisions.",
            .files("ListRevisionsResult"), rule: place, expects: "1, more"
        ) { box in
            try await box.file("a", "one")
            try await box.file("a", "two")
            let page = try await box.files.listRevisions(path: box.path("a"), limit: 1)
            return "\(page.entries.count), \(page.hasMore ? "more" : "no more")"
        },
        .init(
            "revisions-before", "Revisions before a rev are listed.", .files("ListRevisionsArg"),
            rule: place, expects: "one"
        ) { box in
            try await box.file("a", "one")
            let new = try await box.file("a", "two")
            let page = try await box.files.listRevisions(path: box.path("a"), beforeRev: new.rev)
            guard let old = page.entries.first else { return "nothing" }
            return try await box.text("rev:\(old.rev)")
        },
        .init(
            "revisions-by-id", "By its id a file has the revisions from before a move, too.",
            .files("list_revisions"), rule: place, expects: "at least 2"
        ) { box in
            let file = try await box.file("a", "one")
            try await box.given { try await $0.move("a", "b") }
            try await box.file("b", "two")
            let page = try await box.files.listRevisions(path: file.id, mode: .id)
            return page.entries.count >= 2 ? "at least 2" : "\(page.entries.count)"
        },
        .init(
            "restore", "An old revision is restored at its path, as another rev of the same id.",
            .recording("restore/success"), rule: place, expects: "one; another rev, the same id"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.file("a", "two")
            let new = try await box.files.restore(path: box.path("a"), rev: old.rev)
            return "\(try await box.text("a")); \(compared(old, new))"
        },
        .init(
            "restore-deleted", "A deleted file that is restored has its id again.",
            .recording("restore/success"), rule: place, expects: "another rev, the same id"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            return compared(old, try await box.files.restore(path: box.path("a"), rev: old.rev))
        },
        .init(
            "restore-elsewhere", "A revision can be restored at another path.",
            .files("RestoreArg"),
            rule: place, expects: "one"
        ) { box in
            let old = try await box.file("a", "one")
            _ = try await box.files.restore(path: box.path("b"), rev: old.rev)
            return try await box.text("b")
        },
        .init(
            "restore-unknown", "A rev that there is not cannot be restored.",
            .recording("restore/invalid_revision"), rule: place, expects: "invalid_revision"
        ) { box in
            try await box.file("a", "one")
            return try await box.files.restore(path: box.path("a"), rev: "0123456789abcdef").name
        },
    ]

    private static func limited(_ id: String, _ limit: UInt64, _ expected: String) -> Statement {
        .init(
            id, "A page of \(limit) revisions is \(expected == "400" ? "refused" : "allowed").",
            .files("ListRevisionsArg"), rule: place, expects: expected
        ) { box in
            try await box.file("a", "one")
            let page = try await box.files.listRevisions(path: box.path("a"), limit: limit)
            return "\(page.entries.count)"
        }
    }
}
