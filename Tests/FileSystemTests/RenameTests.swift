// Renames: which nodes may replace which, and the queued changes.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import FileSystem

struct RenameTests {
    // MARK: What may replace what

    enum Operand: String, CaseIterable, Sendable {
        case absent, file, link, emptyFolder, fullFolder

        func make(_ text: String, in fixture: Fixture, isRemote: Bool) throws {
            switch self {
            case .absent: break
            case .link: try fixture.symlink(text, to: "target")
            case .file where isRemote: try fixture.remoteFile(text, Array(text.utf8))
            case .file: try fixture.makeFile(text, Array(text.utf8))
            case .emptyFolder where isRemote: try fixture.remoteFolder(text)
            case .emptyFolder: try fixture.mkdir(text)
            case .fullFolder:
                let folder =
                    isRemote ? try fixture.remoteFolder(text) : try fixture.mkdir(text)
                try fixture.makeFile("child", in: folder, Array(text.utf8))
            }
        }

        var isFolder: Bool { self == .emptyFolder || self == .fullFolder }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var source: Operand
        var target: Operand
        var isSourceRemote: Bool
        var isTargetRemote: Bool

        static let all: [Case] = Operand.allCases.flatMap { source in
            Operand.allCases.flatMap { target in
                [false, true].flatMap { isSourceRemote in
                    [false, true].map {
                        Case(
                            source: source, target: target, isSourceRemote: isSourceRemote,
                            isTargetRemote: $0)
                    }
                }
            }
        }

        var testDescription: String {
            "\(source)\(isSourceRemote ? " (remote)" : "") over "
                + "\(target)\(isTargetRemote ? " (remote)" : "")"
        }

        /// The error that rename(2) gives.
        var expected: FileSystemError? {
            switch (source, target) {
            case (.absent, _): .noEntry
            case (_, .absent): nil
            case (_, .fullFolder) where source.isFolder: .notEmpty
            case (_, .emptyFolder) where source.isFolder: nil
            case (_, _) where source.isFolder: .notADirectory
            case (_, _) where target.isFolder: .isADirectory
            case (_, _): nil
            }
        }
    }

    @Test("rename follows rename(2) for every pair of operands", arguments: Case.all)
    func matrix(_ test: Case) throws {
        let fixture = try Fixture()
        try test.source.make("source", in: fixture, isRemote: test.isSourceRemote)
        try test.target.make("target", in: fixture, isRemote: test.isTargetRemote)
        let before = try fixture.names()
        let moved = try fixture.entry("source")?.attributes.inode
        let replaced = try fixture.entry("target")?.attributes.inode
        do {
            try fixture.rename("source", to: "target")
            #expect(test.expected == nil)
            #expect(try fixture.names() == ["target"])
            #expect(try fixture.entry("target")?.attributes.inode == moved)
            if test.source == .file {
                let inode = try #require(moved)
                #expect(try fixture.contents(inode) == text("source"))
            }
            if let moved, test.source != .link {
                #expect(try fixture.isQueued(moved))
            }
            try expectConsistent(fixture, test, moved, replaced)
        } catch let error as FileSystemError {
            #expect(error == test.expected)
            #expect(try fixture.names() == before)
            #expect(try fixture.entry("source")?.attributes.inode == moved)
            #expect(try fixture.entry("target")?.attributes.inode == replaced)
        }
    }

    @Test("what replaces a pinned file is pinned", arguments: [true, false], [true, false])
    func pinned(isSourceRemote: Bool, isTargetRemote: Bool) throws {
        let fixture = try Fixture()
        try Operand.file.make("source", in: fixture, isRemote: isSourceRemote)
        try Operand.file.make("target", in: fixture, isRemote: isTargetRemote)
        let target = try #require(try fixture.entry("target")?.attributes.inode)
        try fixture.store.write { try $0.setPin(true, of: target) }
        let source = try #require(try fixture.entry("source")?.attributes.inode)
        try fixture.rename("source", to: "target")
        #expect(try fixture.store.read { try $0.pins() } == [source])
    }

    private func expectConsistent(
        _ fixture: Fixture, _ test: Case, _ moved: InodeID?, _ replaced: InodeID?
    ) throws {
        guard let replaced, test.source != .link, test.target != .link else { return }
        let inode = try #require(moved)
        let source = try #require(try fixture.node(inode))
        let target = try #require(try fixture.node(replaced))
        switch (test.isSourceRemote, test.isTargetRemote) {
        case (_, false):
            #expect(target.isOrphan)
            #expect(try !fixture.isQueued(replaced))
        case (false, true) where test.source == .file:
            // An atomic save: the next revision of what it replaces.
            #expect(target.isOrphan)
            #expect(source.facts.id != nil)
            #expect(source.remote == .inPlace)
        case (_, true):
            #expect(target.isTombstone)
            #expect(try fixture.isQueued(replaced))
        }
        if test.isSourceRemote {
            #expect(source.remote == .displaced)
        }
    }

    @Test("RENAME_NOREPLACE refuses a taken name and takes a free one", arguments: Operand.allCases)
    func noReplace(_ target: Operand) throws {
        let fixture = try Fixture()
        try fixture.makeFile("source")
        try target.make("target", in: fixture, isRemote: true)
        if target == .absent {
            try fixture.rename("source", to: "target", .noReplace)
            #expect(try fixture.names() == ["target"])
        } else {
            #expect(throws: FileSystemError.exists) {
                try fixture.rename("source", to: "target", .noReplace)
            }
            #expect(try fixture.names() == ["source", "target"])
        }
    }

    @Test("RENAME_EXCHANGE swaps any two, and needs both")
    func exchange() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("f"))
        let folder = try fixture.mkdir("d")
        let inner = try fixture.makeFile("i", in: folder, text("i"))
        try fixture.rename("f", to: "d", .exchange)
        #expect(try fixture.lookup("d") == file)
        #expect(try fixture.lookup("f") == folder)
        #expect(try fixture.lookup("i", in: folder) == inner)
        #expect(try fixture.isQueued(file))
        #expect(throws: FileSystemError.noEntry) { try fixture.rename("f", to: "x", .exchange) }
        #expect(throws: FileSystemError.noEntry) { try fixture.rename("f", to: "D", .exchange) }
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.rename("f", to: "i", into: folder, .exchange)
        }
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.rename("i", in: folder, to: "f", .exchange)
        }
    }

    @Test("a folder does not go into itself or below")
    func intoItself() throws {
        let fixture = try Fixture()
        let outer = try fixture.mkdir("outer")
        let inner = try fixture.mkdir("inner", in: outer)
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.rename("outer", to: "x", into: outer)
        }
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.rename("outer", to: "x", into: inner)
        }
        #expect(throws: FileSystemError.notEmpty) {
            try fixture.rename("inner", in: outer, to: "outer")
        }
        try fixture.rename("inner", in: outer, to: "free")
        #expect(try fixture.names() == ["free", "outer"])
    }

    @Test("a rename to itself does nothing; one that changes case works")
    func sameNode() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("name", text("x"))
        try fixture.rename("name", to: "name")
        #expect(try !fixture.isQueued(file))
        try fixture.rename("name", to: "NAME")
        #expect(try fixture.names() == ["NAME"])
        #expect(try fixture.lookup("NAME") == file)
        #expect(try !fixture.exists("name"))
        #expect(try fixture.isQueued(file))
        try fixture.rename("NAME", to: "Name", .noReplace)
        #expect(try fixture.names() == ["Name"])
    }

    @Test("if names are refused, a rename onto a name that collides with another file is")
    func collision() throws {
        let fixture = try Fixture { $0.refusesNames = true }
        try fixture.makeFile("a", text("a"))
        try fixture.makeFile("Report", text("r"))
        #expect(throws: FileSystemError.exists) { try fixture.rename("a", to: "REPORT") }
        #expect(try fixture.names() == ["a", "Report"])
    }

    @Test("both folders' times move on, and the inode's change time")
    func times() throws {
        let fixture = try Fixture()
        let from = try fixture.mkdir("from")
        let to = try fixture.mkdir("to")
        let file = try fixture.makeFile("f", in: from)
        let modified = try fixture.attributes(file).modificationTime
        let before = try (
            from: fixture.attributes(from), to: fixture.attributes(to),
            file: fixture.attributes(file)
        )
        try fixture.rename("f", in: from, to: "g", into: to)
        #expect(try fixture.attributes(from).modificationTime > before.from.modificationTime)
        #expect(try fixture.attributes(to).modificationTime > before.to.modificationTime)
        #expect(try fixture.attributes(file).changeTime > before.file.changeTime)
        #expect(try fixture.attributes(file).modificationTime == modified)
    }

    @Test("a folder with pending changes inside can be renamed")
    func dirtyFolder() throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("d")
        let file = try fixture.makeFile("f", in: folder, text("1"))
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 1, text("2")) == 1)
        try fixture.rename("d", to: "e")
        #expect(try fixture.write(file, handle, 2, text("3")) == 1)
        try fixture.close(file, handle)
        #expect(try fixture.contents(fixture.lookup("f", in: folder)) == text("123"))
        #expect(try fixture.isQueued(file))
    }

    @Test("a rename over an open file leaves its readers what they had")
    func overOpen() throws {
        let fixture = try Fixture()
        let old = try fixture.remoteFile("f", text("old"))
        _ = try fixture.lookup("f")
        let handle = try fixture.open(old, .reading)
        try fixture.makeFile("tmp", text("new"))
        try fixture.rename("tmp", to: "f")
        #expect(try fixture.read(old, handle) == text("old"))
        #expect(try fixture.contents(fixture.lookup("f")) == text("new"))
        fixture.fs.release(old, handle: handle)
        fixture.fs.forget(old, count: 1)
        #expect(try fixture.node(old) == nil)
    }

    // MARK: Queued changes

    @Test("an atomic save becomes the next revision of the file that it replaces")
    func atomicSave() throws {
        let fixture = try Fixture()
        let old = try fixture.remoteFile("doc", text("1"))
        let id = try #require(try fixture.node(old)?.facts.id)
        let revision = try #require(try fixture.node(old)?.facts.revision)
        let temporary = try fixture.makeFile(".doc.tmp", text("2"))
        try fixture.rename(".doc.tmp", to: "doc")
        let node = try #require(try fixture.node(temporary))
        #expect(node.facts.id == id)
        #expect(node.facts.revision == revision, "what the upload expects to replace")
        #expect(node.remote == .inPlace)
        #expect(try fixture.node(old) == nil)
        try fixture.commit(temporary)
        #expect(try fixture.node(temporary)?.facts.id == id)
        #expect(try fixture.contents(temporary) == text("2"))
    }

    @Test("a backup by rename and a new file of the name: nothing is lost")
    func backup() throws {
        let fixture = try Fixture()
        let original = try fixture.remoteFile("f", text("1"))
        try fixture.rename("f", to: "f~")
        let written = try fixture.makeFile("f", text("2"))
        #expect(try fixture.node(original)?.remote == .displaced)
        #expect(try fixture.contents(fixture.lookup("f~")) == text("1"))
        #expect(try fixture.contents(fixture.lookup("f")) == text("2"))
        #expect(try fixture.isQueued(written))
        try fixture.unlink("f~")
        #expect(try fixture.node(original)?.isTombstone == true)
    }

    @Test("renaming from a local name to a normal one sends it, with all that is in it")
    func makeSynced() throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("~d.tmp")
        let file = try fixture.makeFile("f", in: folder, text("x"))
        let lock = try fixture.makeFile(".~lock", in: folder)
        let link = try fixture.symlink("l", to: "f", in: folder)
        try fixture.rename("~d.tmp", to: "d")
        #expect(try fixture.isQueued(folder))
        #expect(try fixture.isQueued(file))
        #expect(try !fixture.isQueued(lock))
        #expect(try !fixture.isQueued(link))
        #expect(try fixture.node(file)?.flags.contains(.localOnly) == false)
        #expect(try fixture.node(lock)?.flags.contains(.localOnly) == true)
    }

    @Test("renaming to a local name keeps the bytes here before the server deletes them")
    func moveOutOfSync() async throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("doc", text("bytes"), isCached: false)
        let answer = fixture.fs.rename(
            text("doc"), in: .root, to: text("~doc.tmp"), in: .root, mode: .replace)
        #expect(answer.isPending)
        try await answer.value()
        let node = try #require(try fixture.node(file))
        #expect(node.flags.contains(.localOnly))
        #expect(node.remote == .absent)
        #expect(node.place?.name == name("~doc.tmp"))
        #expect(try !fixture.isQueued(file))
        fixture.content.update { $0.contents = [:] }
        #expect(try fixture.contents(file) == text("bytes"))
        #expect(try fixture.journal().map(\.isTombstone) == [true])
        try fixture.unlink("~doc.tmp")
        #expect(try fixture.names().isEmpty)
    }

    @Test("renaming to a local name offline and uncached is refused, with nothing changed")
    func moveOutOfSyncOffline() async throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("doc", text("bytes"), isCached: false)
        fixture.content.update { $0.failure = .offline("no route") }
        let answer = fixture.fs.rename(
            text("doc"), in: .root, to: text("~doc.tmp"), in: .root, mode: .replace)
        await #expect(throws: FileSystemError.offline) { try await answer.value() }
        #expect(try fixture.lookup("doc") == file)
        #expect(try fixture.node(file)?.remote == .inPlace)
    }

    @Test("folders on the server are not renamed to local names: mv(1) is to copy them")
    func moveFolderOutOfSync() throws {
        let fixture = try Fixture()
        try fixture.remoteFolder("d")
        #expect(throws: FileSystemError.crossDevice) { try fixture.rename("d", to: "~d.tmp") }
        #expect(try fixture.names() == ["d"])
    }

    @Test("an office program's save by way of local names keeps the document's identity")
    func officeSave() async throws {
        let fixture = try Fixture()
        let original = try fixture.remoteFile("report.docx", text("old"))
        let id = try #require(try fixture.node(original)?.facts.id)
        let written = try fixture.makeFile("~wrd1.tmp", text("new"))
        try await fixture.fs.rename(
            text("report.docx"), in: .root, to: text("~wrl1.tmp"), in: .root, mode: .replace
        ).value()
        try fixture.rename("~wrd1.tmp", to: "report.docx")
        try fixture.unlink("~wrl1.tmp")
        #expect(try fixture.names() == ["report.docx"])
        #expect(try fixture.contents(written) == text("new"))
        // The planner gives the deleted document's identity to what took its place.
        let tombstone = try #require(try fixture.node(id: id))
        #expect(tombstone.isTombstone)
        #expect(
            try fixture.remotePlace(of: tombstone)
                == Place(parent: .root, name: name("report.docx")))
        #expect(try fixture.isQueued(written))
        #expect(try fixture.node(written)?.flags.contains(.localOnly) == false)
    }

    @Test("exchanging a local with a synced name is refused")
    func exchangeLocal() throws {
        let fixture = try Fixture()
        try fixture.makeFile("~a.tmp", text("a"))
        try fixture.makeFile("b", text("b"))
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.rename("~a.tmp", to: "b", .exchange)
        }
    }
}
