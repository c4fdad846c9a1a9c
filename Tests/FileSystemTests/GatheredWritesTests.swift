// A kernel that gathers writes keeps the sizes of files for itself, and is made to learn new ones.

import Core
import MetadataStore
import RemoteStore
import Sync
import Testing

@testable import FileSystem

struct GatheredWritesTests {
    private func gathering() throws -> Fixture {
        try Fixture { $0.gathersWrites = true }
    }

    /// The server's side changes a file's content.
    private func change(_ file: InodeID, to text: String, in fixture: Fixture) throws {
        let id = try fixture.node(file)?.facts.id
        let facts = fixture.content.add(Array(text.utf8), id: id)
        try fixture.store.write { try $0.setFacts(facts, of: file) }
        fixture.relay.treeDidChange([.content(file)])
    }

    private func found(_ text: String, in fixture: Fixture) throws -> Entry {
        guard case .found(let entry) = try fixture.fs.lookup(Array(text.utf8), in: .root).now()
        else { throw FileSystemError.noEntry }
        return entry
    }

    @Test("a file whose content changed there is another inode for the kernel, before it is opened")
    func changed() throws {
        let fixture = try gathering()
        let file = try fixture.remoteFile("f", text("1"))
        #expect(try found("f", in: fixture).generation == 0)
        try change(file, to: "longer", in: fixture)
        #expect(fixture.kernel.calls.contains(.entry("f", .root)))
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .reading) }
        let entry = try found("f", in: fixture)
        #expect(entry.generation == 1)
        #expect(entry.attributes.size == 6)
        let handle = try fixture.open(file, .reading)
        #expect(try fixture.read(file, handle) == text("longer"))
    }

    @Test("a file that is open stays the inode that it is until it is closed")
    func open() throws {
        let fixture = try gathering()
        let file = try fixture.remoteFile("f", text("1"))
        _ = try found("f", in: fixture)
        let handle = try fixture.open(file, .reading)
        try change(file, to: "longer", in: fixture)
        #expect(try found("f", in: fixture).generation == 0)
        let told = fixture.kernel.calls.count
        try fixture.close(file, handle)
        #expect(fixture.kernel.calls[told...] == [.entry("f", .root)])
        #expect(try found("f", in: fixture).generation == 1)
    }

    @Test("a size that was read before a change and told after it is not believed")
    func crossing() throws {
        let fixture = try gathering()
        let file = try fixture.remoteFile("f", text("1"))
        let moment = fixture.fs.moment()
        let before = try #require(try fixture.node(file))
        try change(file, to: "longer", in: fixture)
        #expect(fixture.fs.found(before, since: moment).attributes.size == 1)
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .reading) }
        #expect(try found("f", in: fixture).generation == 1)
        _ = try fixture.open(file, .reading)
    }

    @Test("appended bytes go where the kernel says")
    func appending() throws {
        let fixture = try gathering()
        let created = try fixture.create("f")
        let file = created.entry.attributes.inode
        let handle = try fixture.open(
            file, OpenFlags(reads: false, writes: true, truncates: false, appends: true))
        _ = try fixture.write(file, handle, 2, text("cd"))
        _ = try fixture.write(file, handle, 0, text("ab"))
        #expect(try fixture.read(file, handle) == text("abcd"))
    }

    @Test("other kernels are told no generations")
    func others() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("1"))
        _ = try found("f", in: fixture)
        try change(file, to: "longer", in: fixture)
        #expect(try found("f", in: fixture).generation == 0)
        #expect(fixture.kernel.calls == [.inode(file, content: true)])
        _ = try fixture.open(file, .reading)
    }
}
