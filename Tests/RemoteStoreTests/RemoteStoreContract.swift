// The contract of every store, with any server behind it: names, folders, deletes, moves, copies.
// The same tests run on the reference in memory and on Dropbox's API, so the reference stays one.
// Sessions, commits and listings have files of their own.

import ContentHashing
import Core
import RemoteStore
import RemoteStoreTesting
import Testing

/// Writes small files, as a test's setting.
extension Subject {
    @discardableResult
    func put(
        _ path: RemotePath, _ text: String,
        expecting expectation: RemoteCommit.Expectation = .absent(strict: true)
    ) async throws -> RemoteFile {
        try await put(path, bytes: Array(text.utf8), expecting: expectation)
    }

    @discardableResult
    func put(
        _ path: RemotePath, bytes: [UInt8],
        expecting expectation: RemoteCommit.Expectation = .absent(strict: true)
    ) async throws -> RemoteFile {
        let entry = try await store.upload(
            MemorySource(bytes), commit: .of(path, bytes, expecting: expectation))
        return try entry.file
    }

    func read(_ file: RemoteFile) async throws -> [UInt8] {
        guard file.size > 0 else { return [] }
        return try await store.download(file.revision, range: 0..<file.size).collect()
    }

    func text(at path: RemotePath) async throws -> String? {
        guard let file = try await store.entry(at: path)?.file else { return nil }
        return String(decoding: try await read(file), as: UTF8.self)
    }

    /// Everything, without content: folders end in a slash.
    func paths() async throws -> [String] {
        try await TreeSnapshot(of: store).entries.map { path, entry in
            entry == .folder ? path.rawValue + "/" : path.rawValue
        }.sorted()
    }
}

extension RemoteCommit {
    static func of(
        _ path: RemotePath, _ bytes: [UInt8],
        expecting expectation: Expectation = .absent(strict: true),
        modified: Int64 = 1_600_000_000
    ) -> RemoteCommit {
        RemoteCommit(
            path: path, expectation: expectation,
            clientModified: WallTime(seconds: modified, nanoseconds: 123_456_789),
            hash: ContentHasher.hash(bytes))
    }
}

extension RemoteEntry {
    var file: RemoteFile {
        get throws {
            guard case .file(let file) = kind else { throw NotAFile(entry: self) }
            return file
        }
    }

    var folder: RemoteFolder? {
        if case .folder(let folder) = kind { folder } else { nil }
    }
}

struct NotAFile: Error {
    let entry: RemoteEntry
}

@Suite("Contract of stores: names")
struct NamespaceContract {
    @Test("An account names itself and counts its bytes", arguments: Backend.allCases)
    func accountAndSpace(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let account = try await subject.store.account()
            #expect(account.id.hasPrefix("dbid:"))
            #expect(!account.rootNamespace.isEmpty)
            let before = try await subject.store.space()
            try await subject.put("/a", "12345")
            let after = try await subject.store.space()
            #expect(after.used == before.used + 5)
            #expect(after.allocated >= after.used)
        }
    }

    @Test("Names are found in any case, and keep their own", arguments: Backend.allCases)
    func caseIsKept(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/Folder/Read Me.TXT", "text")
            let found = try #require(try await subject.store.entry(at: "/fOLDER/READ ME.txt"))
            #expect(found.name.string == "Read Me.TXT")
            #expect(found.foldedPath == "/folder/read me.txt")
            #expect(try found.file == file)
        }
    }

    @Test(
        "Unicode names arrive composed and are found decomposed", arguments: Backend.allCases)
    func unicodeNames(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let decomposed: RemotePath = "/Cafe\u{301} 🎉"
            try await subject.put(decomposed, "x")
            let found = try #require(try await subject.store.entry(at: "/CAFÉ 🎉"))
            #expect(found.name.string.utf8.elementsEqual("Café 🎉".utf8))
            #expect(found.foldedPath == "/café 🎉")
            let listed = try await subject.store.list(.root, recursive: false).entries
            #expect(listed == [found])
        }
    }

    @Test(
        "Names of every sort survive", arguments: Backend.allCases,
        [
            String(repeating: "n", count: 255), String(repeating: "é", count: 127), "line\nbreak",
            "\"quoted\" & <tagged>", "日本語.txt", "-rf", "*?:|", " leading", "a.b.c", "\u{1}",
            "👩‍👩‍👧‍👦 family", "..hidden", "'; DROP TABLE files; --", "%2e%2e",
        ])
    func names(_ backend: Backend, _ name: String) async throws {
        try await backend.withStore { subject in
            let path = RemotePath.root.appending(try FileName(name))
            let file = try await subject.put(path, "content")
            let found = try #require(try await subject.store.entry(at: path))
            #expect(found.name == (try FileName(name)))
            #expect(try found.file == file)
            #expect(try await subject.paths() == ["/" + name])
        }
    }

    @Test(
        "Names that Dropbox does not store are refused, and nothing is there",
        arguments: Backend.allCases, ["trailing ", "back\\slash", "Desktop.ini", "del\u{7F}"])
    func disallowedNames(_ backend: Backend, _ name: String) async throws {
        try await backend.withStore { subject in
            let path = RemotePath.root.appending(try FileName(name))
            try await subject.put("/ok", "x")
            await #expect(throws: RemoteError.disallowedName) { try await subject.put(path, "x") }
            await #expect(throws: RemoteError.disallowedName) {
                _ = try await subject.store.makeFolder(at: path)
            }
            await #expect(throws: RemoteError.disallowedName) {
                _ = try await subject.store.move("/ok", to: path)
            }
            #expect(try await subject.store.entry(at: path) == nil)
        }
    }

    @Test("Nothing is at a path below a file, and at the root", arguments: Backend.allCases)
    func absence(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/file", "x")
            #expect(try await subject.store.entry(at: "/file/below") == nil)
            #expect(try await subject.store.entry(at: "/other") == nil)
            #expect(try await subject.store.entry(at: .root) == nil)
        }
    }

    // MARK: Folders

    @Test("A folder is made once, with the folders above it", arguments: Backend.allCases)
    func makeFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let made = try await subject.store.makeFolder(at: "/a/B/c")
            #expect(made.name.string == "c")
            #expect(made.foldedPath == "/a/b/c")
            #expect(try await subject.paths() == ["/a/", "/a/B/", "/a/B/c/"])
            await #expect(throws: RemoteError.conflict(.folder)) {
                _ = try await subject.store.makeFolder(at: "/A/b/C")
            }
            #expect(try await subject.store.entry(at: "/a/b/c") == made)
        }
    }

    @Test("A folder is not made over or below a file", arguments: Backend.allCases)
    func makeFolderConflicts(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/file", "x")
            await #expect(throws: RemoteError.conflict(.file)) {
                _ = try await subject.store.makeFolder(at: "/FILE")
            }
            await #expect(throws: RemoteError.conflict(.ancestor)) {
                _ = try await subject.store.makeFolder(at: "/file/a/b")
            }
            #expect(try await subject.paths() == ["/file"])
        }
    }

    // MARK: Deletes

    @Test("A delete takes everything below, once", arguments: Backend.allCases)
    func deleteFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/b/c", "x")
            try await subject.put("/ab", "y")
            try await subject.store.delete("/A", revision: nil)
            #expect(try await subject.paths() == ["/ab"])
            await #expect(throws: RemoteError.notFound) {
                try await subject.store.delete("/a", revision: nil)
            }
        }
    }

    @Test("A delete with a revision spares an unseen version", arguments: Backend.allCases)
    func guardedDelete(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let old = try await subject.put("/f", "old")
            let new = try await subject.put("/f", "new", expecting: .revision(old.revision))
            await #expect(throws: RemoteError.conflict(.file)) {
                try await subject.store.delete("/f", revision: old.revision)
            }
            #expect(try await subject.text(at: "/f") == "new")
            try await subject.store.delete("/f", revision: new.revision)
            await #expect(throws: RemoteError.notFound) {
                try await subject.store.delete("/f", revision: new.revision)
            }
            _ = try await subject.store.makeFolder(at: "/f")
            await #expect(throws: RemoteError.conflict(.folder)) {
                try await subject.store.delete("/f", revision: new.revision)
            }
        }
    }

    // MARK: Moves

    @Test("A moved file keeps its identity, content and time", arguments: Backend.allCases)
    func moveFile(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/a", "text")
            let moved = try await subject.store.move("/A", to: "/new/Folder/B")
            #expect(moved.name.string == "B")
            #expect(moved.foldedPath == "/new/folder/b")
            let after = try moved.file
            #expect(after.id == file.id)
            #expect(after.hash == file.hash)
            #expect(after.clientModified == file.clientModified)
            #expect(try await subject.paths() == ["/new/", "/new/Folder/", "/new/Folder/B"])
            #expect(try await subject.read(after) == Array("text".utf8))
        }
    }

    @Test("A moved folder takes everything with it", arguments: Backend.allCases)
    func moveFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/a/Sub/f", "text")
            let folder = try #require(try await subject.store.entry(at: "/a")?.folder)
            let moved = try await subject.store.move("/a", to: "/b")
            #expect(moved.folder?.id == folder.id)
            #expect(try await subject.paths() == ["/b/", "/b/Sub/", "/b/Sub/f"])
            #expect(try await subject.store.entry(at: "/b/sub/f")?.file.id == file.id)
        }
    }

    @Test("A move does not replace anything", arguments: Backend.allCases)
    func moveConflicts(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/f", "f")
            try await subject.put("/g", "g")
            let before = try await subject.paths()
            let store = subject.store
            await #expect(throws: RemoteError.conflict(.folder)) {
                try await store.move("/g", to: "/A")
            }
            await #expect(throws: RemoteError.conflict(.file)) {
                try await store.move("/a", to: "/G")
            }
            await #expect(throws: RemoteError.conflict(.ancestor)) {
                try await store.move("/a", to: "/g/below")
            }
            await #expect(throws: RemoteError.conflict(.other)) {
                try await store.move("/a", to: "/A/inside")
            }
            await #expect(throws: RemoteError.notFound) {
                try await store.move("/absent", to: "/elsewhere")
            }
            #expect(try await subject.paths() == before)
        }
    }

    @Test(
        "A folder with too many entries is not moved, and each of them is",
        arguments: Backend.allCases)
    func moveTooMany(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try subject.setMoveLimit(2)
            try await subject.put("/d/e/f", "1")
            await #expect(throws: RemoteError.tooManyEntries) {
                try await subject.store.move("/d", to: "/x")
            }
            _ = try await subject.store.move("/d/e", to: "/x")
            #expect(try await subject.paths() == ["/d/", "/x/", "/x/f"])
        }
    }

    @Test("A name cannot change only its case in one step", arguments: Backend.allCases)
    func caseOnlyMove(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/name", "x")
            await #expect(throws: RemoteError.conflict(.file)) {
                _ = try await subject.store.move(.init(path: "/name", id: file.id), to: "/NAME")
            }
            _ = try await subject.store.move("/name", to: "/between")
            _ = try await subject.store.move("/between", to: "/NAME")
            #expect(try await subject.paths() == ["/NAME"])
        }
    }

    @Test(
        "A move that was done before is done, for those who know the id",
        arguments: Backend.allCases)
    func repeatedMove(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/a", "x")
            let folder = try await subject.store.makeFolder(at: "/d")
            let moved = try await subject.store.move(.init(path: "/a", id: file.id), to: "/Étage/b")
            #expect(
                try await subject.store.move(.init(path: "/a", id: file.id), to: "/Étage/b")
                    == moved)
            let movedFolder = try await subject.store.move(
                .init(path: "/d", id: folder.folder?.id), to: "/e")
            #expect(
                try await subject.store.move(.init(path: "/d", id: folder.folder?.id), to: "/e")
                    == movedFolder)
            await #expect(throws: RemoteError.notFound) {
                _ = try await subject.store.move("/a", to: "/Étage/b")
            }
            await #expect(throws: RemoteError.conflict(.folder)) {
                _ = try await subject.store.move(.init(path: "/a", id: file.id), to: "/e")
            }
        }
    }

    // MARK: Copies

    @Test("A copy is a new file with the same content", arguments: Backend.allCases)
    func copyFile(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/a", "text")
            let copy = try await subject.store.copy("/a", to: "/sub/B").file
            #expect(copy.id != file.id)
            #expect(copy.hash == file.hash)
            #expect(copy.clientModified == file.clientModified)
            try await subject.put("/a", "changed", expecting: .revision(file.revision))
            #expect(try await subject.text(at: "/sub/b") == "text")
        }
    }

    @Test("A copied folder has everything, and identities of its own", arguments: Backend.allCases)
    func copyFolder(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            let file = try await subject.put("/a/Sub/f", "text")
            _ = try await subject.store.copy("/a", to: "/b")
            #expect(
                try await subject.paths()
                    == ["/a/", "/a/Sub/", "/a/Sub/f", "/b/", "/b/Sub/", "/b/Sub/f"])
            #expect(try await subject.store.entry(at: "/b/sub/f")?.file.id != file.id)
            #expect(try await subject.text(at: "/b/sub/f") == "text")
        }
    }

    @Test("A copy does not replace anything", arguments: Backend.allCases)
    func copyConflicts(_ backend: Backend) async throws {
        try await backend.withStore { subject in
            try await subject.put("/a/f", "f")
            try await subject.put("/g", "f")
            let store = subject.store
            await #expect(throws: RemoteError.conflict(.file)) {
                try await store.copy("/a/f", to: "/g")
            }
            await #expect(throws: RemoteError.conflict(.folder)) {
                try await store.copy("/g", to: "/a")
            }
            await #expect(throws: RemoteError.conflict(.other)) {
                try await store.copy("/a", to: "/a/inside")
            }
            await #expect(throws: RemoteError.notFound) {
                try await store.copy("/absent", to: "/elsewhere")
            }
            #expect(try await subject.paths() == ["/a/", "/a/f", "/g"])
        }
    }
}
