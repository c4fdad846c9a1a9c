// The entries of listings, page by page.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/sync.md#listings"

    static let listings: [Statement] = [
        .init(
            "list", "A listing has the folder's children, and nothing from below them.",
            .files("ListFolderArg"), rule: place, expects: "file a, folder d"
        ) { box in
            try await box.file("a")
            try await box.file("d/b")
            return ConformanceAccount.list(try await box.entries().map(box.line).sorted())
        },
        .init(
            "list-recursive", "A recursive listing has the folder itself, and all below it.",
            .assumption, rule: place, expects: "file a, file d/b, folder ., folder d"
        ) { box in
            try await box.file("a")
            try await box.file("d/b")
            let lines = try await box.entries(recursive: true).map(box.line)
            return ConformanceAccount.list(lines.sorted())
        },
        .init(
            "list-parents-first", "A recursive listing has parents before their children.",
            .assumption, rule: place, expects: "parents first"
        ) { box in
            try await box.file("b/c/d/a")
            try await box.file("a/z")
            var seen: Set<String> = [""]
            for entry in try await box.entries(recursive: true) {
                let name = box.line(entry).split(separator: " ").last.map(String.init) ?? ""
                guard name != "." else { continue }
                let parent = name.split(separator: "/").dropLast().joined(separator: "/")
                guard seen.contains(parent) else { return "\(name) before its parent" }
                seen.insert(name)
            }
            return "parents first"
        },
        .init(
            "list-empty", "An empty folder has an empty listing.",
            .recording("list_folder_longpoll/list_folder"), rule: place, expects: "nothing"
        ) { box in ConformanceAccount.list(try await box.entries().map(box.line)) },
        .init(
            "list-missing", "A folder that is not there is not found.",
            .recording("list_folder/not_found"), rule: place, expects: "path/not_found"
        ) { box in ConformanceAccount.list(try await box.entries("d").map(box.line)) },
        .init(
            "list-file", "A file is not listed.", .files("LookupError"), rule: place,
            expects: "path/not_folder"
        ) { box in
            try await box.file("a")
            return ConformanceAccount.list(try await box.entries("a").map(box.line))
        },
        .init(
            "list-by-id", "A folder is listed by its id.",
            .issue("dropbox/dropbox-sdk-python", 57), rule: place, expects: "file d/a"
        ) { box in
            let folder = try await box.makeFolder("d")
            try await box.file("d/a")
            return ConformanceAccount.list(try await box.entries(folder.id).map(box.line))
        },
        .init(
            "list-root-as-slash", "The root is not listed as a slash.", .assumption,
            rule: "Sources/RemoteStore/Interface", expects: "400"
        ) { box in "\(try await box.files.listFolder(path: "/").entries.count)" },
        .init(
            "list-limit-0", "A page of no entries is refused.", .files("ListFolderArg"),
            rule: place, expects: "400"
        ) { box in ConformanceAccount.list(try await box.entries(limit: 0).map(box.line)) },
        .init(
            "list-limit-2001", "A page of more than 2,000 entries is refused.",
            .files("ListFolderArg"), rule: place, expects: "400"
        ) { box in ConformanceAccount.list(try await box.entries(limit: 2001).map(box.line)) },
        .init(
            "list-pages", "Pages together have each entry once.", .changesGuide, rule: place,
            expects: "file a, file b, file c, file d, file e"
        ) { box in
            for name in ["a", "b", "c", "d", "e"] { try await box.file(name) }
            return ConformanceAccount.list(try await box.entries(limit: 2).map(box.line).sorted())
        },
        .init(
            "list-deleted", "A listing with deleted entries has them, too.",
            .files("ListFolderArg"), rule: place, expects: "deleted b, file a"
        ) { box in
            try await box.file("a")
            try await box.file("b")
            try await box.given { try await $0.delete("b") }
            let entries = try await box.entries(deleted: true)
            return ConformanceAccount.list(entries.map(box.line).sorted())
        },
        .init(
            "list-deleted-folder", "A deleted entry does not say whether it was a folder.",
            .issue("dropbox/dropbox-sdk-dotnet", 67), rule: place, expects: "deleted d"
        ) { box in
            try await box.makeFolder("d")
            try await box.given { try await $0.delete("d") }
            return ConformanceAccount.list(try await box.entries(deleted: true).map(box.line))
        },
        .init(
            "list-gone-with-deleted",
            "A deleted folder is listed with deleted entries, as its former content.", .assumption,
            rule: place, expects: "deleted d/a"
        ) { box in
            try await box.file("d/a")
            try await box.given { try await $0.delete("d") }
            return ConformanceAccount.list(try await box.entries("d", deleted: true).map(box.line))
        },
        .init(
            "list-not-downloadable", "Cloud documents are left out on demand.",
            .files("ListFolderArg"), rule: "docs/semantics.md#posix-on-dropbox", expects: "file a"
        ) { box in
            try await box.file("a")
            try await box.file("b")
            try await box.mark("b", #""export_as":"docx""#)
            let page = try await box.files.listFolder(
                path: box.folder, includeNonDownloadableFiles: false)
            return ConformanceAccount.list(page.entries.map(box.line))
        },
        .init(
            "list-property-template", "A listing with a template that there is not is refused.",
            .files("ListFolderError"), rule: place, expects: "template_error/template_not_found"
        ) { box in
            let page = try await box.files.listFolder(
                path: box.folder,
                includePropertyGroups: .filterSome(["ptid:1a5n2i6d3OYEAAAAAAAAAYa"]))
            return "\(page.entries.count)"
        },
        .init(
            "search-below-nothing", "A search below a folder that there is not finds nothing.",
            .recording("search/not_found"), rule: "Sources/DropboxAPI/Generated/Files",
            expects: "nothing"
        ) { box in
            let found = try await box.files.searchV2(
                query: "image.png", options: .init(path: box.path("d")))
            return found.matches.isEmpty ? "nothing" : "\(found.matches.count)"
        },
        .init(
            "search-limit", "A search for more than 1,000 matches at once is refused.",
            .files("SearchOptions"), rule: "Sources/DropboxAPI/Generated/Files", expects: "400"
        ) { box in
            let found = try await box.files.searchV2(
                query: "a", options: .init(path: box.folder, maxResults: 1001))
            return "\(found.matches.count)"
        },
    ]
}

extension ConformanceAccount {
    /// Makes a file a symbolic link or a cloud document, which the API cannot.
    func mark(_ name: String, _ mark: String) async throws {
        try await admin(
            "mark", #"{"path":"\#(path(name))",\#(mark)}"#,
            reason: "the API can make neither symbolic links nor cloud documents")
    }
}
