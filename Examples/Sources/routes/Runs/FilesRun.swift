// Runs the examples of single files, listings and content.

import Account
import DropboxAPI

/// Calls in the folder `/Routes`, which stays.
struct FilesRun {
    let files: FileExamples

    func run() async throws {
        let folder = try await files.createFolderV2("/Routes")
        try expect(folder.name == "Routes", "the folder has its name")
        try await changes()
        try await versions()
        try await places()
        try await pages()
        try await content()
        try await pictures()
    }

    private func changes() async throws {
        let cursor = try await files.listFolderGetLatestCursor("/Routes")
        _ = try await files.upload(Array("first".utf8), to: "/Routes/note.txt")
        let hasChanged = try await files.listFolderLongpoll(cursor)
        try expect(hasChanged, "a new file is a change")
        let names = try await files.listFolderContinue(cursor).map(\.name)
        try expect(names == ["note.txt"], "the change is the new file, not \(names)")
    }

    private func versions() async throws {
        _ = try await files.upload(Array("second".utf8), to: "/Routes/note.txt")
        let versions = try await files.listRevisions("/Routes/note.txt")
        guard versions.count == 2 else { throw Usage("\(versions.count) versions, not 2") }
        _ = try await files.restore("/Routes/note.txt", to: versions[1].rev)
        let text = String(decoding: try await files.download("/Routes/note.txt"), as: UTF8.self)
        try expect(text == "first", "the first version is back, not \(text)")
    }

    private func places() async throws {
        let copy = try await files.copyV2("/Routes/note.txt", to: "/Routes/copy.txt")
        try expect(copy.name == "copy.txt", "the copy has its name")
        let moved = try await files.moveV2("/Routes/copy.txt", to: "/Routes/other note.txt")
        try expect(moved.name == "other note.txt", "the copy has another name")
        let entry = try await files.getMetadata("/Routes/other note.txt")
        try expect(entry == "a file of 5 bytes", "the copy is as long, not \(entry)")
    }

    private func pages() async throws {
        let first = try await files.listFolder("/Routes", limit: 1)
        try expect(first.entries.count == 1 && first.hasMore, "a page is as long as it may be")
        let rest = try await files.listFolderContinue(first.cursor)
        let names = Set((first.entries + rest).map(\.name))
        let both: Set = ["note.txt", "other note.txt"]
        try expect(names.isSuperset(of: both), "both are listed: \(names)")

        let found = try await files.searchV2("note", in: "/Routes", limit: 1)
        guard found.matches.count == 1, let cursor = found.cursor else {
            throw Usage("the first page of a search has \(found.matches.count) entries, not 1")
        }
        let more = try await files.searchContinueV2(cursor)
        try expect(more.count == 1, "the other one is on the second page: \(more)")
    }

    private func content() async throws {
        let names = try await files.downloadZip("/Routes").sorted()
        try expect(
            names == ["Routes/note.txt", "Routes/other note.txt"],
            "both are in the archive: \(names)")
        let (name, document) = try await files.export("/Plan.gdoc")
        try expect(name == "Plan.docx" && !document.isEmpty, "an export has content: \(name)")
        let link = try await files.getTemporaryLink("/Routes/note.txt")
        try expect(link.hasPrefix("http"), "the link is one: \(link)")
    }

    private func pictures() async throws {
        let picture = try await files.upload([1, 2, 3], to: "/Routes/lake.png")
        let thumbnails = try await files.getThumbnailBatch(["/Routes/lake.png"])
        try expect(thumbnails.count == 1, "the picture has a small one")
        let deleted = try await files.deleteV2("/Routes/lake.png", ifStill: picture.rev)
        try expect(deleted.name == "lake.png", "the picture is deleted, not \(deleted.name)")
    }
}
