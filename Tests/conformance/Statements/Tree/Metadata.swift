// The metadata of one entry.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#the-tree"

    static let metadata: [Statement] = [
        .init(
            "metadata-of-root", "The root has no metadata.", .files("get_metadata"), rule: place,
            expects: "400"
        ) { box in box.line(try await box.files.getMetadata(path: "")) },
        .init(
            "metadata-of-nothing", "A missing entry has no metadata.",
            .recording("get_metadata/not_found"), rule: place, expects: "path/not_found"
        ) { box in box.line(try await box.metadata("a")) },
        .init(
            "metadata-of-folder", "A folder has metadata.",
            .recording("get_metadata/success_folder"), rule: place, expects: "folder d"
        ) { box in
            try await box.makeFolder("d")
            return box.line(try await box.metadata("d"))
        },
        .init(
            "metadata-of-deleted", "A deleted entry is not found.",
            .recording("get_metadata/deleted"), rule: place, expects: "path/not_found"
        ) { box in
            try await box.file("a")
            try await box.given { try await $0.delete("a") }
            return box.line(try await box.metadata("a"))
        },
        .init(
            "metadata-with-deleted", "A deleted entry is found on demand.",
            .recording("get_metadata/success_deleted"), rule: place, expects: "deleted a"
        ) { box in
            try await box.file("a")
            try await box.given { try await $0.delete("a") }
            return box.line(try await box.metadata("a", deleted: true))
        },
        .init(
            "metadata-by-id", "An id finds the file where it is now.", .files("ReadPath"),
            rule: place, expects: "file b"
        ) { box in
            let file = try await box.file("a")
            try await box.given { try await $0.move("a", "b") }
            return box.line(try await box.metadata(file.id))
        },
        .init(
            "metadata-by-unknown-id", "An id that there is not is not found.",
            .files("LookupError"),
            rule: place, expects: "path/not_found"
        ) { box in box.line(try await box.metadata("id:a4ayc_80_OEAAAAAAAAAXw")) },
        .init(
            "metadata-by-deleted-id", "The id of a deleted file is not found.", .assumption,
            rule: place, expects: "path/not_found"
        ) { box in
            let file = try await box.file("a")
            try await box.given { try await $0.delete("a") }
            return box.line(try await box.metadata(file.id))
        },
        .init(
            "metadata-by-rev", "A rev finds the revision, not the present content.",
            .files("ReadPath"), rule: place, expects: "the old rev"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.file("a", "two")
            let found = try await box.fileMetadata("rev:\(old.rev)")
            return found.rev == old.rev ? "the old rev" : "another rev"
        },
        .init(
            "metadata-by-short-rev", "A rev of less than nine digits is not understood.",
            .files("ReadPath"), rule: place, expects: "400"
        ) { box in box.line(try await box.metadata("rev:01234567")) },
        .init(
            "name-ends-path-display", "The last part of path_display is the name.",
            .issue("dropbox/dropbox-sdk-python", 63), rule: place, expects: "a.TXT"
        ) { box in
            let file = try await box.put("d/a.TXT", "text")
            return file.pathDisplay?.split(separator: "/").last.map(String.init) ?? "none"
        },
        .init(
            "parents-in-path-display", "The parents in path_display have the case of their names.",
            .assumption, rule: "docs/sync.md#listings", expects: "D/a"
        ) { box in
            try await box.makeFolder("D")
            return box.name(try await box.put("D/a", "text").pathDisplay)
        },
        .init(
            "metadata-is-downloadable", "An ordinary file can be downloaded.",
            .recording("list_folder_longpoll/success"), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "true"
        ) { "\(try await $0.put("a", "text").isDownloadable)" },
        .init(
            "cloud-document", "A cloud document can be exported, and not be downloaded.",
            .files("DownloadError"), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "unsupported_file"
        ) { box in
            try await box.file("a")
            try await box.mark("a", #""export_as":"docx""#)
            return try await box.text("a")
        },
        .init(
            "cloud-document-metadata", "A cloud document says what it can be exported as.",
            .files("ExportInfo"), rule: "docs/semantics.md#posix-on-dropbox", expects: "docx, false"
        ) { box in
            try await box.file("a")
            try await box.mark("a", #""export_as":"docx""#)
            let file = try await box.fileMetadata("a")
            return "\(file.exportInfo?.exportAs ?? "none"), \(file.isDownloadable)"
        },
        .init(
            "symbolic-link", "A listing tells the target of a symbolic link.",
            .files("SymlinkInfo"), rule: "docs/semantics.md#posix-on-dropbox", expects: "target"
        ) { box in
            try await box.file("a")
            try await box.mark("a", #""symlink_target":"target""#)
            guard case .file(let file) = try await box.entries().last else { return "nothing" }
            return file.symlinkInfo?.target ?? "none"
        },
        .init(
            "symbolic-link-by-rev", "By its rev a symbolic link looks like an ordinary file.",
            .issue("samschott/maestral", 781), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "none"
        ) { box in
            let file = try await box.file("a")
            try await box.mark("a", #""symlink_target":"target""#)
            return try await box.fileMetadata("rev:\(file.rev)").symlinkInfo?.target ?? "none"
        },
    ]
}
