// A kernel that gathers writes keeps the sizes of files for itself, and is made to learn new ones.

import Core
import MetadataStore
import RemoteStore
import Sync
import TestSupport
import Testing

@testable import FileSystem
@testable import Tree

struct GatheredWritesTests {
    private func gathering() throws -> Fixture {
        try Fixture { $0.gathersWrites = true }
    }

    /// The server's side changes a file's content.
    private func change(_ file: InodeID, to text: String, in fixture: Fixture) throws {
        try changeSilently(file, to: text, in: fixture)
        fixture.invalidator.treeDidChange([.content(file)])
    }

    /// The server's side changes a file's content, and the kernel has not been told yet.
    private func changeSilently(_ file: InodeID, to text: String, in fixture: Fixture) throws {
        let id = try fixture.node(file)?.facts.id
        let facts = fixture.content.add(Array(text.utf8), id: id)
        try fixture.store.write { try $0.setFacts(facts, of: file) }
    }

    /// A file that the kernel has a shorter size of than the server.
    private func outdated() throws -> (fixture: Fixture, file: InodeID) {
        let fixture = try gathering()
        let file = try fixture.remoteFile("f", text("1"))
        _ = try found("f", in: fixture)
        try changeSilently(file, to: "longer", in: fixture)
        return (fixture, file)
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

    @Test("files that change together are told in order, and found with one read of the store")
    func together() throws {
        let reads = Counter()
        let store = try MetadataStore(MemoryDatabase()) { access in
            if access == .read { reads.increment() }
        }
        let fixture = try Fixture(over: store) { $0.gathersWrites = true }
        let files = [
            try fixture.remoteFile("f", text("1")), try fixture.remoteFile("g", text("1")),
        ]
        _ = try found("f", in: fixture)
        _ = try found("g", in: fixture)
        for file in files { try changeSilently(file, to: "longer", in: fixture) }
        let before = reads.count
        fixture.invalidator.treeDidChange([
            .content(files[0]), .entry(parent: .root, name: name("x")), .content(files[1]),
            .content(InodeID(999)),
        ])
        #expect(reads.count == before + 1)
        #expect(
            fixture.kernel.calls == [
                .entry("f", .root), .inode(files[0], content: true), .entry("x", .root),
                .entry("g", .root), .inode(files[1], content: true),
            ])
        #expect(try found("f", in: fixture).generation == 1)
        #expect(try found("g", in: fixture).generation == 1)
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
        let moment = fixture.fs.entries.moment()
        let before = try #require(try fixture.node(file))
        try change(file, to: "longer", in: fixture)
        #expect(fixture.fs.entries.found(before, since: moment).attributes.size == 1)
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .reading) }
        #expect(try found("f", in: fixture).generation == 1)
        _ = try fixture.open(file, .reading)
    }

    @Test("an open between a change and the notification of it gets the size that the content has")
    func unannounced() throws {
        let (fixture, file) = try outdated()
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .reading) }
        let entry = try found("f", in: fixture)
        #expect(entry.generation == 1)
        #expect(entry.attributes.size == 6)
        // Another process may have come to the inode before this one knows of the new one.
        let early = try fixture.fs.open(file, flags: .reading).now()
        #expect(early.isDirect)
        try fixture.close(file, early.handle)
        fixture.clock.advance(seconds: 3)
        #expect(try !fixture.fs.open(file, flags: .reading).now().isDirect)
    }

    @Test("a writer that cannot ask for the size bypasses the kernel's pages, and appends right")
    func unasked() throws {
        let (fixture, file) = try outdated()
        let appending = OpenFlags(reads: false, writes: true, truncates: false, appends: true)
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, appending) }
        let opened = try fixture.fs.open(file, flags: appending).now()
        #expect(opened.isDirect)
        _ = try fixture.write(file, opened.handle, 1, text("!"))
        #expect(try fixture.read(file, opened.handle) == text("longer!"))
    }

    @Test("what an open empties has the size that the kernel gives it")
    func emptied() throws {
        let (fixture, file) = try outdated()
        let emptying = OpenFlags(reads: false, writes: true, truncates: true)
        #expect(try !fixture.fs.open(file, flags: emptying).now().isDirect)
    }

    @Test("each caller is sent back to ask, and none of them twice in a row")
    func callers() throws {
        let (fixture, file) = try outdated()
        let (one, other) = (
            CallingProcess(userID: 0, groupID: 0, processID: 1),
            CallingProcess(userID: 0, groupID: 0, processID: 2)
        )
        for caller in [one, other] {
            #expect(throws: FileSystemError.staleHandle) {
                try fixture.fs.open(file, flags: .reading, caller: caller).now()
            }
        }
        _ = try found("f", in: fixture)
        // Changed again before it comes again, and announced this time.
        try change(file, to: "and longer", in: fixture)
        for caller in [one, other] {
            let opened = try fixture.fs.open(file, flags: .reading, caller: caller).now()
            #expect(opened.isDirect)
            // The kernel has the size of its lookup, and takes no other one.
            #expect(try fixture.read(file, opened.handle) == text("longer"))
            try fixture.close(file, opened.handle)
        }
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .reading, caller: one).now()
        }
        _ = try found("f", in: fixture)
        let next = try fixture.fs.open(file, flags: .reading, caller: one).now()
        #expect(try fixture.read(file, next.handle) == text("and longer"))
    }

    @Test("callers whose threads have no ID here are sent back once, too, each for its own file")
    func strangers() throws {
        let (fixture, file) = try outdated()
        let other = try fixture.remoteFile("g", text("1"))
        _ = try found("g", in: fixture)
        try changeSilently(other, to: "long", in: fixture)
        let stranger = CallingProcess(userID: 0, groupID: 0, processID: 0)
        for inode in [file, other] {
            #expect(throws: FileSystemError.staleHandle) {
                try fixture.fs.open(inode, flags: .reading, caller: stranger).now()
            }
        }
        _ = try found("f", in: fixture)
        _ = try found("g", in: fixture)
        try change(file, to: "and longer", in: fixture)
        // The first two are different processes.
        for (inode, content) in [(file, "longer"), (file, "longer"), (other, "long")] {
            let opened = try fixture.fs.open(inode, flags: .reading, caller: stranger).now()
            #expect(try fixture.read(inode, opened.handle) == text(content))
            try fixture.close(inode, opened.handle)
        }
        fixture.clock.advance(seconds: 3)
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .reading, caller: stranger).now()
        }
        _ = try found("f", in: fixture)
        let next = try fixture.fs.open(file, flags: .reading, caller: stranger).now()
        #expect(try fixture.read(file, next.handle) == text("and longer"))
    }

    @Test("a writer beside a reader of an older version gets the present one, and can change it")
    func writerBesideReader() throws {
        let (fixture, file) = try outdated()
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .reading) }
        _ = try found("f", in: fixture)
        try change(file, to: "and longer", in: fixture)
        let reader = try fixture.open(file, .reading)
        #expect(try fixture.read(file, reader) == text("longer"))
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .both) }
        _ = try found("f", in: fixture)
        let writer = try fixture.open(file, .both)
        #expect(try fixture.write(file, writer, 0, text("AND")) == 3)
        #expect(try fixture.read(file, writer) == text("AND longer"))
        #expect(try fixture.read(file, reader) == text("longer"))
        #expect(try fixture.read(file, reader, 4) == text("er"))
        try fixture.close(file, writer)
        try fixture.close(file, reader)
        _ = try found("f", in: fixture)
        fixture.clock.advance(seconds: 3)
        #expect(try fixture.contents(file) == text("AND longer"))
    }

    @Test("a lookup that is repeated for a caller tells the size that its generation has")
    func repeated() throws {
        let (fixture, file) = try outdated()
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .reading) }
        _ = try found("f", in: fixture)
        // The kernel asks twice: before it gives up the inode, and for the new one.
        try change(file, to: "and longer", in: fixture)
        let entry = try found("f", in: fixture)
        #expect(entry.generation == 1)
        #expect(entry.attributes.size == 6)
        let handle = try fixture.open(file, .reading)
        #expect(try fixture.read(file, handle) == text("longer"))
    }

    @Test("a writer gets the present version, also after a change since its lookup")
    func changedForWriter() throws {
        let (fixture, file) = try outdated()
        #expect(throws: FileSystemError.staleHandle) { try fixture.open(file, .both) }
        _ = try found("f", in: fixture)
        try change(file, to: "and longer", in: fixture)
        let opened = try fixture.fs.open(file, flags: .both).now()
        #expect(opened.isDirect)
        #expect(try fixture.read(file, opened.handle) == text("and longer"))
    }

    @Test("a caller that comes to the old inode after another one's lookup is sent to the new one")
    func late() throws {
        let (fixture, file) = try outdated()
        let (one, late) = (
            CallingProcess(userID: 0, groupID: 0, processID: 1),
            CallingProcess(userID: 0, groupID: 0, processID: 2)
        )
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .reading, caller: one).now()
        }
        #expect(try found("f", in: fixture).generation == 1)
        let first = try fixture.fs.open(file, flags: .reading, caller: one).now()
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .reading, caller: late).now()
        }
        #expect(try found("f", in: fixture).generation == 1)
        let second = try fixture.fs.open(file, flags: .reading, caller: late).now()
        for handle in [first.handle, second.handle] {
            #expect(try fixture.read(file, handle) == text("longer"))
            try fixture.close(file, handle)
        }
    }

    @Test("no lookup replaces the inode that a caller is about to open after its own lookup")
    func crossingLookups() throws {
        let (fixture, file) = try outdated()
        let (one, other) = (
            CallingProcess(userID: 0, groupID: 0, processID: 1),
            CallingProcess(userID: 0, groupID: 0, processID: 2)
        )
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .reading, caller: one).now()
        }
        #expect(try found("f", in: fixture).generation == 1)
        try change(file, to: "and longer", in: fixture)
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .reading, caller: other).now()
        }
        #expect(try found("f", in: fixture).generation == 1)
        for caller in [one, other] {
            let opened = try fixture.fs.open(file, flags: .reading, caller: caller).now()
            #expect(opened.isDirect)
            // The kernel has the size of the first lookup, which the second one repeats.
            #expect(try fixture.read(file, opened.handle) == text("longer"))
            try fixture.close(file, opened.handle)
        }
        #expect(try found("f", in: fixture).generation == 2)
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

    @Test("no file is all holes, nor ends where this process believes: the kernel may have more")
    func holes() throws {
        let fixture = try gathering()
        let created = try fixture.create("f")
        let (file, writer) = (created.entry.attributes.inode, created.opened.handle)
        #expect(created.entry.attributes.blocks == 1)
        #expect(try fixture.attributes(file).blocks == 1)
        for target in [SeekTarget.data, .hole] {
            let answer = fixture.fs.seek(file, handle: writer, offset: 0, target: target)
            #expect(throws: FileSystemError.notImplemented) { try answer.now() }
        }
        try fixture.setAttributes(file) { $0.size = 1 << 20 }
        try fixture.close(file, writer)
        // Mapped pages may come after the last close.
        #expect(try fixture.attributes(file).blocks == 2048)
        #expect(try fixture.attributes(fixture.mkdir("d")).blocks == 0)
    }

    @Test("refused pages do not become zeros, and the kernel forgets the size that they made")
    func refusedPages() throws {
        let fixture = try gathering()
        let file = try fixture.makeFile("f", text("1"))
        #expect(try found("f", in: fixture).generation == 0)
        let handle = try fixture.open(file)
        fixture.sync.update { $0.isQuotaExceeded = true }
        #expect(throws: FileSystemError.quotaExceeded) {
            try fixture.write(file, handle, 1, text("refused"), isPage: true)
        }
        fixture.sync.update { $0.isQuotaExceeded = false }
        // The kernel appends behind the refused bytes.
        #expect(throws: FileSystemError.self) {
            try fixture.write(file, handle, 8, text("more"), isPage: true)
        }
        #expect(try fixture.write(file, handle, 0, text("2"), isPage: true) == 1)
        #expect(try found("f", in: fixture).generation == 0)
        let told = fixture.kernel.calls.count
        try fixture.close(file, handle)
        #expect(fixture.kernel.calls[told...].contains(.inode(file, content: true)))
        #expect(fixture.kernel.calls[told...].contains(.entry("f", .root)))
        let entry = try found("f", in: fixture)
        #expect(entry.generation == 1)
        #expect(entry.attributes.size == 1)
        fixture.clock.advance(seconds: 3)
        let next = try fixture.open(file)
        #expect(try fixture.write(file, next, 8, text("far"), isPage: true) == 3)
        #expect(try fixture.read(file, next) == text("2\0\0\0\0\0\0\0far"))
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
