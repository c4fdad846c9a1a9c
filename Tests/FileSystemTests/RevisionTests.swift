// A file has one revision from its first open to its last close, and staged content over it: the
// server's side, an upload or a deletion may change the file in between.

import Core
import MetadataStore
import RemoteStore
import Staging
import Sync
import Testing

@testable import FileSystem
@testable import Tree

struct RevisionTests {
    @Test("an upload that ends while a file is open changes nothing for its handles")
    func commitWhileOpen() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("one"))
        let handle = try fixture.open(file)
        #expect(try fixture.read(file, handle) == text("one"))
        try fixture.commit(file)
        #expect(try fixture.node(file)?.staged == nil)
        #expect(try fixture.read(file, handle) == text("one"))
        #expect(try fixture.attributes(file).size == 3)
        #expect(try fixture.write(file, handle, 3, text(" two")) == 4)
        #expect(try fixture.read(file, handle) == text("one two"))
        #expect(try fixture.node(file)?.staged?.base?.size == 3)
        try fixture.close(file, handle)
        #expect(try fixture.contents(file) == text("one two"))
    }

    @Test("a truncation right after an upload begins over the revision that was stored")
    func truncateAfterCommit() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("hello"))
        let handle = try fixture.open(file)
        try fixture.commit(file)
        #expect(try fixture.setAttributes(file) { $0.size = 2 }.size == 2)
        #expect(try fixture.read(file, handle) == text("he"))
        try fixture.commit(file)
        let again = try fixture.open(file, .truncating)
        #expect(try fixture.read(file, handle).isEmpty)
        try fixture.close(file, again)
    }

    @Test("an open file keeps its revision when the server's side replaces it")
    func remoteReplacement() throws {
        let fixture = try Fixture()
        let old = try fixture.remoteFile("f", text("old"))
        _ = try fixture.lookup("f")
        let handle = try fixture.open(old)
        #expect(fixture.openFiles.isOpen(old))
        // As Sync does it for an open file.
        try fixture.store.write { transaction in
            #expect(fixture.openFiles.isOpen(old, in: transaction))
            try transaction.move(old, to: nil)
            try transaction.setRemoteAbsent(old)
        }
        let new = try fixture.remoteFile("f", text("new"))
        #expect(try fixture.lookup("f") == new)
        #expect(try fixture.contents(new) == text("new"))
        #expect(try fixture.read(old, handle) == text("old"))
        #expect(try fixture.write(old, handle, 0, text("O")) == 1)
        #expect(try fixture.read(old, handle) == text("Old"))
        try fixture.close(old, handle)
        #expect(!fixture.openFiles.isOpen(old))
        fixture.fs.forget(old, count: 1)
        #expect(try fixture.node(old) == nil)
        #expect(try fixture.contents(new) == text("new"))
    }

    @Test("an unlinked file that comes back with other content takes no write of the old handle")
    func staleWrite() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("old"))
        let handle = try fixture.open(file)
        try fixture.unlink("f")
        // Deleted here, edited there: the edit is kept.
        let facts = fixture.content.add(text("edited"), id: try fixture.node(file)?.facts.id)
        try fixture.store.write { transaction in
            try transaction.setFacts(facts, of: file)
            try transaction.move(file, to: Place(parent: .root, name: name("f")))
        }
        #expect(try fixture.read(file, handle) == text("old"))
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.write(file, handle, 0, text("x"))
        }
        try fixture.close(file, handle)
        #expect(try fixture.contents(file) == text("edited"))
    }

    @Test("staged content that no row names is not written into the row")
    func staleFlush() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("old"))
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 0, text("OLD")) == 3)
        try fixture.unlink("f")
        let facts = fixture.content.add(text("edited"), id: try fixture.node(file)?.facts.id)
        try fixture.store.write { transaction in
            try transaction.setFacts(facts, of: file)
            try transaction.removeStaged(of: file)
            try transaction.move(file, to: Place(parent: .root, name: name("f")))
        }
        #expect(try fixture.write(file, handle, 3, text("!")) == 1)
        try fixture.close(file, handle)
        #expect(try fixture.node(file)?.staged == nil)
        #expect(try !fixture.isQueued(file))
        #expect(try fixture.contents(file) == text("edited"))
    }

    @Test("a write brings back a file that a delta took away, and the kernel is notified")
    func evicted() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("theirs"))
        _ = try fixture.lookup("f")
        let handle = try fixture.open(file)
        let place = try #require(try fixture.node(file)?.place)
        try fixture.store.write { transaction in
            try transaction.move(file, to: nil)
            try transaction.setRemoteAbsent(file)
            try transaction.noteDetached(of: file, from: place)
        }
        #expect(try fixture.read(file, handle) == text("theirs"))
        #expect(try fixture.node(file)?.place == nil)
        _ = try fixture.write(file, handle, 0, text("OUR"))
        try fixture.close(file, handle)
        #expect(try fixture.node(file)?.place == place)
        #expect(try fixture.isQueued(file))
        #expect(try fixture.contents(file) == text("OURirs"))
        #expect(fixture.kernel.calls.contains(.entry("f", .root)))
        #expect(fixture.kernel.calls.contains(.listing(.root)))
    }

    @Test("cutting everything off cuts what a delta has begun to stage, too")
    func truncationOfStaged() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("old content"))
        _ = try fixture.lookup("f")
        let handle = try fixture.open(file)
        let node = try #require(try fixture.node(file))
        // Renamed here and deleted there while it is open: its content is all that there is of it.
        let base = StagedContent.Base(whole: try #require(FileVersion(of: node)))
        _ = try fixture.store.write { transaction in
            try transaction.setRemoteAbsent(file)
            return try fixture.staging.begin(
                file, base: base, size: base.size, in: transaction)
        }
        try fixture.setAttributes(file) { $0.size = 0 }
        _ = try fixture.write(file, handle, 0, text("new"))
        try fixture.close(file, handle)
        #expect(try fixture.contents(file) == text("new"))
    }

    @Test(
        "a file whose size the kernel does not have yet is opened after it has asked, or read directly"
    )
    func sizeOfChange() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("short"))
        _ = try fixture.lookup("f")
        // The change is here, and the kernel has not been notified.
        let known = try #require(try fixture.node(file)).facts.id
        let facts = fixture.content.add(text("much longer"), id: known)
        try fixture.store.write { try $0.setFacts(facts, of: file) }
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .both).now()
        }
        // A process that cannot ask, because there is no name to look up, reads past the kernel's
        // idea of it.
        let direct = try fixture.fs.open(file, flags: .both).now()
        #expect(direct.isDirect)
        // Another process can, perhaps.
        #expect(throws: FileSystemError.staleHandle) {
            try fixture.fs.open(file, flags: .both).now()
        }
        let beside = try fixture.fs.open(file, flags: .both).now()
        #expect(beside.isDirect)
        fixture.fs.release(file, handle: direct.handle)
        fixture.fs.release(file, handle: beside.handle)
        // It has asked; but whether it has understood shows when the process that asked has run.
        _ = try fixture.lookup("f")
        let early = try fixture.fs.open(file, flags: .both).now()
        #expect(early.isDirect)
        fixture.fs.release(file, handle: early.handle)
        fixture.clock.advance(seconds: 11)
        let opened = try fixture.fs.open(file, flags: .both).now()
        #expect(!opened.isDirect)
        // The kernel knows its own writes.
        _ = try fixture.write(file, opened.handle, 11, text(", and more"))
        try fixture.close(file, opened.handle)
        let again = try fixture.fs.open(file, flags: .both).now()
        #expect(!again.isDirect)
        fixture.fs.release(file, handle: again.handle)
    }

    @Test("a handle goes on writing after a move gave the same bytes another revision")
    func writeAfterMove() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("old"))
        let handle = try fixture.open(file)
        let facts = fixture.content.add(text("old"), id: try fixture.node(file)?.facts.id)
        try fixture.store.write { try $0.setFacts(facts, of: file) }
        #expect(try fixture.write(file, handle, 0, text("O")) == 1)
        try fixture.close(file, handle)
        #expect(try fixture.contents(file) == text("Old"))
    }
}
