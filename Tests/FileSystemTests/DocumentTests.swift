// Cloud documents that are read as their exports.

import Core
import Foundation
import MetadataStore
import RemoteStore
import Synchronization
import TestSupport
import Testing

@testable import FileSystem

@Suite struct DocumentTests {
    private let cloud = FakeExports()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func fixture(
        _ limits: DocumentExports.Limits = .init(),
        configure: (inout FileSystemOptions) -> Void = { _ in },
        programName: @escaping @Sendable (CallingProcess) -> String? = { _ in nil }
    ) throws -> Fixture {
        try Fixture(
            documents: DocumentExports(
                remote: cloud, folder: folder.path, limits: limits),
            configure: configure, programName: programName)
    }

    /// A document of one byte, with this export.
    private func document(
        _ text: String, _ export: [UInt8], on fixture: Fixture
    ) throws -> InodeID {
        let inode = try fixture.remoteFile(text, [0], flags: .notDownloadable)
        try setExport(export, of: inode, on: fixture)
        return inode
    }

    private func setExport(_ export: [UInt8], of inode: InodeID, on fixture: Fixture) throws {
        let facts = try #require(try fixture.node(inode)?.facts)
        let (id, revision) = (try #require(facts.id), try #require(facts.revision))
        cloud.state.withLock { $0.exports[id] = (revision, export) }
    }

    /// Opens a document as the kernel does, which looks its name up again at ESTALE.
    private func open(_ text: String, on fixture: Fixture) async throws -> (InodeID, OpenedFile) {
        for _ in 0..<2 {
            let inode = try fixture.lookup(text)
            do {
                let opened = try await fixture.fs.open(
                    inode, flags: .reading, caller: Fixture.user
                ).value()
                return (inode, opened)
            } catch FileSystemError.staleHandle {
                continue
            }
        }
        throw FileSystemError.staleHandle
    }

    private func contents(_ text: String, on fixture: Fixture) async throws -> [UInt8] {
        let (inode, opened) = try await open(text, on: fixture)
        defer { fixture.fs.release(inode, handle: opened.handle) }
        return try fixture.read(inode, opened.handle)
    }

    @Test(
        "a document reads as its export, with the export's size, and is asked for once per revision"
    )
    func reading() async throws {
        let fixture = try fixture()
        let export = text("# A document")
        let file = try document("d.paper", export, on: fixture)
        #expect(try fixture.entry("d.paper")?.attributes.size == 1)
        #expect(try await contents("d.paper", on: fixture) == export)
        #expect(try fixture.attributes(file).size == Int64(export.count))
        #expect(try fixture.entry("d.paper")?.attributes.size == Int64(export.count))
        let (inode, opened) = try await open("d.paper", on: fixture)
        #expect(try fixture.read(inode, opened.handle, 2, 3) == Array(export[2..<5]))
        #expect(try fixture.read(inode, opened.handle, Int64(export.count), 3).isEmpty)
        #expect(try fixture.read(inode, opened.handle, 1 << 40, 3).isEmpty)
        fixture.fs.release(inode, handle: opened.handle)
        #expect(cloud.requests == 1)

        // A new revision has a new export.
        #expect(try fixture.replaceFromServer(file, [0, 0], isCached: false))
        try await fixture.store.write { try $0.setFlags(.notDownloadable, true, of: file) }
        try setExport(text("new"), of: file, on: fixture)
        #expect(try await contents("d.paper", on: fixture) == text("new"))
        #expect(cloud.requests == 2)
    }

    @Test("a repeated open that waits for an export does not send its caller back again")
    func repeated() async throws {
        let fixture = try fixture()
        let file = try document("d.paper", text("# A document"), on: fixture)
        _ = try fixture.lookup("d.paper")
        await #expect(throws: FileSystemError.staleHandle) {
            try await fixture.fs.open(file, flags: .reading).value()
        }
        _ = try fixture.lookup("d.paper")
        // Another revision comes before the repeated open.
        #expect(try fixture.replaceFromServer(file, [0, 0], isCached: false))
        try await fixture.store.write { try $0.setFlags(.notDownloadable, true, of: file) }
        try setExport(text("new"), of: file, on: fixture)
        let opened = try await fixture.fs.open(file, flags: .reading).value()
        #expect(opened.isDirect)
        #expect(try fixture.read(file, opened.handle) == text("new"))
        fixture.fs.release(file, handle: opened.handle)
        #expect(cloud.requests == 2)
    }

    @Test("a newer revision than the tree has is served, and is the one that its delta brings")
    func newer() async throws {
        let fixture = try fixture()
        let file = try document("d", text("old"), on: fixture)
        let id = try #require(try fixture.node(file)?.facts.id)
        cloud.state.withLock { $0.exports[id] = (Revision("next"), text("newer")) }
        #expect(try await contents("d", on: fixture) == text("newer"))
        #expect(try await contents("d", on: fixture) == text("newer"))
        try await fixture.store.write { transaction in
            var facts = try #require(try transaction.node(file)).facts
            facts.revision = Revision("next")
            try transaction.setFacts(facts, of: file)
        }
        #expect(try await contents("d", on: fixture) == text("newer"))
        #expect(cloud.requests == 1)
    }

    @Test("writing is refused as ever, also by a rename over the document")
    func writing() async throws {
        let fixture = try fixture()
        let file = try document("d.paper", text("export"), on: fixture)
        _ = try await contents("d.paper", on: fixture)
        for flags in [
            OpenFlags.writing, .both, .truncating, .appending,
            OpenFlags(reads: true, truncates: true),
        ] {
            #expect(throws: FileSystemError.unsupported) { try fixture.open(file, flags) }
        }
        #expect(throws: FileSystemError.unsupported) {
            try fixture.setAttributes(file) { $0.size = 0 }
        }
        try fixture.makeFile("new", text("export"))
        #expect(throws: FileSystemError.unsupported) { try fixture.rename("new", to: "d.paper") }
        #expect(try await contents("d.paper", on: fixture) == text("export"))
        #expect(try fixture.node(file)?.staged == nil)
        // Not even while it is open for reading.
        let (inode, opened) = try await open("d.paper", on: fixture)
        #expect(throws: FileSystemError.unsupported) { try fixture.open(file, .both) }
        fixture.fs.release(inode, handle: opened.handle)
    }

    @Test("no copy on the server stands for a copy of the export")
    func copying() async throws {
        let fixture = try fixture()
        _ = try document("d.paper", [UInt8](repeating: 7, count: 5 << 20), on: fixture)
        let (inode, opened) = try await open("d.paper", on: fixture)
        let target = try fixture.create("copy")
        let copied = fixture.fs.copyRange(
            from: inode, handle: opened.handle, offset: 0,
            to: target.entry.attributes.inode, targetHandle: target.opened.handle, targetOffset: 0,
            count: 5 << 20)
        await #expect(throws: FileSystemError.unsupported) { try await copied.value() }
    }

    @Test("an open handle keeps its export; of the others, the least used ones go first")
    func eviction() async throws {
        var limits = DocumentExports.Limits()
        limits.bytes = 10
        let fixture = try fixture(limits)
        for name in ["a", "b", "c"] { _ = try document(name, text("\(name)1234"), on: fixture) }
        let (inode, opened) = try await open("a", on: fixture)
        _ = try await contents("b", on: fixture)
        _ = try await contents("c", on: fixture)
        #expect(cloud.requests == 3)
        #expect(try fixture.read(inode, opened.handle) == text("a1234"))
        // The size stays known.
        #expect(try fixture.attributes(inode).size == 5)
        fixture.fs.release(inode, handle: opened.handle)
        _ = try await contents("c", on: fixture)
        #expect(cloud.requests == 3)
        _ = try await contents("a", on: fixture)
        #expect(cloud.requests == 4)
        _ = try document("large", text("01234567890"), on: fixture)
        await #expect(throws: FileSystemError.tooLarge) {
            _ = try await contents("large", on: fixture)
        }
    }

    @Test(
        "a failing export is the open's error, and leaves no handle behind",
        arguments: [
            (RemoteError.offline(""), FileSystemError.offline), (.busy, .busy),
            (.notDownloadable, .unsupported), (.forbidden(""), .accessDenied),
            (.cancelled, .interrupted),
        ] as [(RemoteError, FileSystemError)])
    func failing(_ error: RemoteError, _ expected: FileSystemError) async throws {
        let fixture = try fixture()
        let file = try document("d", text("export"), on: fixture)
        cloud.state.withLock { $0.failure = error }
        await #expect(throws: expected) { _ = try await contents("d", on: fixture) }
        #expect(fixture.openFiles[file] == nil)
        cloud.state.withLock { $0.failure = nil }
        #expect(try await contents("d", on: fixture) == text("export"))
    }

    @Test("openers at the same time share a request, and one that is interrupted does not wait")
    func together() async throws {
        let fixture = try fixture()
        let file = try document("d", text("export"), on: fixture)
        let exports = try #require(fixture.documents)
        let facts = try #require(try fixture.node(file)?.facts)
        let (id, revision) = (try #require(facts.id), try #require(facts.revision))
        cloud.state.withLock { $0.gate = [] }
        let openers = (0..<3).map { _ in
            Task { try await exports.fetch(file, id: id, revision: revision) }
        }
        while cloud.requests == 0 { await Task.yield() }
        let impatient = Task { try await exports.fetch(file, id: id, revision: revision) }
        impatient.cancel()
        await #expect(throws: ExportFailure.remote(.cancelled)) { try await impatient.value }
        cloud.openGate()
        for opener in openers { try await opener.value }
        #expect(cloud.requests == 1)
        #expect(try await contents("d", on: fixture) == text("export"))
    }

    @Test("programs that fetch nothing export nothing, and get exports that are here")
    func cachedOnly() async throws {
        let name = Name("tumblerd")
        let fixture = try fixture {
            $0.cachedOnly = ProgramNames(["tumblerd"])
        } programName: { _ in
            name.current.withLock { $0 }
        }
        _ = try document("d", text("export"), on: fixture)
        await #expect(throws: FileSystemError.accessDenied) {
            _ = try await contents("d", on: fixture)
        }
        #expect(cloud.requests == 0)
        name.current.withLock { $0 = "cat" }
        _ = try await contents("d", on: fixture)
        name.current.withLock { $0 = "tumblerd" }
        #expect(try await contents("d", on: fixture) == text("export"))
    }

    @Test("an export that has lost bytes is made again, in this mount and in the next one")
    func truncated() async throws {
        let fixture = try fixture()
        let export = text("# A document")
        _ = try document("d", export, on: fixture)
        #expect(try await contents("d", on: fixture) == export)
        let exports = folder.path + "/exports"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: exports).first)
        #expect(truncate(exports + "/" + name, 3) == 0)
        #expect(try await contents("d", on: fixture) == export)
        #expect(cloud.requests == 2)
        // The new one is kept under the same name.
        #expect(truncate(exports + "/" + name, 3) == 0)
        let node = try #require(try fixture.node(try fixture.lookup("d")))
        let revision = try #require(node.facts.revision)
        let next = DocumentExports(remote: cloud, folder: folder.path)
        #expect(next.size(of: node.inode, revision) == nil)
        #expect(next.file(of: node.inode, revision) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: exports).isEmpty)
    }

    /// The name that the next callers have.
    private final class Name: Sendable {
        let current: Mutex<String?>

        init(_ name: String?) { current = Mutex(name) }
    }

    @Test(
        "the last exports are there for the next mount, whole, and those that were given up are not"
    )
    func nextMount() async throws {
        let revisions = (1...3).map { Revision("015f\($0)a") }
        func exports(_ files: Int = 32) -> DocumentExports {
            var limits = DocumentExports.Limits()
            limits.files = files
            return DocumentExports(remote: cloud, folder: folder.path, limits: limits)
        }
        func read(_ exports: DocumentExports, _ number: UInt64, _ revision: Revision) throws
            -> String?
        {
            let file = exports.file(of: InodeID(number), revision)
            return try file.map { String(decoding: try $0.read(at: 0, count: 100), as: UTF8.self) }
        }
        func fetch(
            _ exports: DocumentExports, _ number: UInt64, _ revision: Revision,
            came: Revision? = nil
        ) async throws {
            let id = FileID("id:\(number)")
            cloud.state.withLock {
                $0.exports[id] = (came ?? revision, text("\(number) of \(revision)"))
            }
            try await exports.fetch(InodeID(number), id: id, revision: revision)
        }
        var names: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: folder.path + "/exports")
                    .sorted()
            }
        }
        let first = exports()
        try await fetch(first, 7, revisions[0])
        try await fetch(first, 8, revisions[0], came: revisions[1])
        let second = exports()
        #expect(try read(second, 7, revisions[0]) == "7 of 015f1a")
        #expect(second.size(of: InodeID(7), revisions[0]) == 11)
        #expect(try read(second, 8, revisions[0]) == "8 of 015f1a")
        #expect(try read(second, 8, revisions[1]) == "8 of 015f1a")
        #expect(try read(second, 8, revisions[2]) == nil)
        #expect(try read(second, 9, revisions[0]) == nil)
        // A new revision takes the place of the old one, which its readers keep.
        let old = try #require(second.file(of: InodeID(7), revisions[0]))
        try await fetch(second, 7, revisions[2])
        #expect(try names == ["7-015f3a-015f3a-11", "8-015f1a-015f2a-11"])
        #expect(try old.read(at: 0, count: 1) == text("7"))
        // Files of other names, such as those of an earlier version, of other sizes, and links, are
        // none of ours.
        let strange = [
            "9-015f1a", "x", "07-015f1a-015f1a-1", "9-015F-1-1", "7-015f3a-015f3a",
            "7-015f3a-015f3a-2", "9-015f1a-015f1a-+1",
        ]
        for name in strange { _ = try folder.write("?", to: "exports/" + name, mode: 0o600) }
        #expect(symlink("/etc/passwd", folder.path + "/exports/10-1-1-1") == 0)
        #expect(try read(exports(), 7, revisions[2]) == "7 of 015f3a")
        #expect(try names == ["7-015f3a-015f3a-11", "8-015f1a-015f2a-11"])
        // Fewer are wanted.
        _ = exports(1)
        #expect(try names.count == 1)
        // A revision that could be a path gets no name.
        let third = exports()
        let odd = Revision("../../x")
        try await fetch(third, 11, odd)
        #expect(try read(third, 11, odd) == "11 of ../../x")
        #expect(try names.count == 1)
        #expect(third.clear() == Int64(("7 of 015f3a" + "11 of ../../x").utf8.count))
        #expect(try names.isEmpty)
        #expect(try read(third, 11, odd) == nil)
        #expect(third.clear() == 0)
        try await fetch(third, 12, revisions[0])
        #expect(try names.count == 1)
        DocumentExports.remove(from: folder.path)
        #expect(try names.isEmpty)
    }
}
