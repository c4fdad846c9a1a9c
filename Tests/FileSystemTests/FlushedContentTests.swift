// Content that the disk has, and content that takes its place by a write, a truncation or an atomic
// save: a power cut leaves one of both. Not responsible for other changes that survive a process
// (`DurabilityTests`).

import Core
import Foundation
import MetadataStore
import Staging
import Sync
import Testing

@testable import FileSystem

extension Fixture {
    /// The rows and staging files as they were flushed last, and the end of the process.
    fileprivate func keepWhatIsFlushed() throws -> () throws -> Fixture {
        let files = FileManager.default
        let flushed = ["/tree.sqlite", "/tree.sqlite-wal", "/tree.sqlite-mark"].map { folder + $0 }
        for path in flushed { try files.copyItem(atPath: path, toPath: path + ".kept") }
        return {
            try self.store.close()
            try? files.removeItem(atPath: self.folder + "/tree.sqlite-shm")
            for path in flushed {
                try? files.removeItem(atPath: path)
                try files.moveItem(atPath: path + ".kept", toPath: path)
            }
            return try Fixture(reusing: self.ownedFolder)
        }
    }
}

struct FlushedContentTests {
    @Test(
        "a power cut after flushed content was emptied and written anew leaves the old or the new",
        arguments: [true, false])
    func emptied(byOpen: Bool) async throws {
        let first = try Fixture()
        let file = try first.makeFile("f", text("old content"))
        let handle = try first.open(file)
        try await first.fs.synchronize(file, handle: handle, dataOnly: false).value()
        let cut = try first.keepWhatIsFlushed()
        let second = byOpen ? try first.open(file, .truncating) : handle
        if !byOpen { try first.setAttributes(file) { $0.size = 0 } }
        #expect(try first.attributes(file).size == 0)
        #expect(try first.write(file, second, 0, text("new")) == 3)
        // The handle that was open all the time has the new content, too.
        #expect(try first.read(file, handle) == text("new"))
        #expect(try first.write(file, handle, 3, text("er")) == 2)
        if byOpen { try first.close(file, second) }
        #expect(try first.contents(file) == text("newer"))
        let after = try cut()
        #expect(try after.contents(after.lookup("f")) == text("old content"))
    }

    @Test("as long as a program writes, its content is not complete: the version before stays")
    func halfWritten() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old content"))
        try fixture.staging.flush()
        let handle = try fixture.open(file)
        func isKept() throws -> Bool {
            try fixture.staging.flush()
            return try fixture.store.read { try $0.fallback(of: file) } != nil
        }
        try fixture.setAttributes(file) { $0.size = 0 }
        #expect(try isKept())
        #expect(try fixture.write(file, handle, 0, text("ne")) == 2)
        // Others read it, or change its mode.
        #expect(try fixture.contents(file) == text("ne"))
        #expect(try isKept())
        #expect(try fixture.write(file, handle, 2, text("w")) == 1)
        try fixture.setAttributes(file) { $0.permissions = 0o600 }
        #expect(try isKept())
        try fixture.close(file, handle)
        #expect(try !isKept())
        #expect(try fixture.contents(file) == text("new"))
    }

    @Test("a file that is emptied by its opening has a new time")
    func emptiedTime() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"))
        let before = fixture.clock.date()
        try fixture.close(file, fixture.open(file, .truncating))
        let modified = try #require(try fixture.node(file)?.local.modified)
        #expect(modified > before)
        #expect(try fixture.attributes(file).modificationTime == modified)
    }

    @Test("a power cut after flushed content was cut shorter leaves one of both")
    func shortened() async throws {
        let first = try Fixture()
        let file = try first.makeFile("f", text("old content"))
        let handle = try first.open(file)
        try await first.fs.synchronize(file, handle: handle, dataOnly: false).value()
        try first.setAttributes(file) { $0.size = 3 }
        let cut = try first.keepWhatIsFlushed()
        let after = try cut()
        #expect(try after.contents(after.lookup("f")) == text("old"))
    }

    @Test("a write over fsynced content is on the disk when it is closed")
    func writtenOver() async throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old content"))
        let handle = try fixture.open(file)
        try await fixture.fs.synchronize(file, handle: handle, dataOnly: false).value()
        #expect(try fixture.write(file, handle, 0, text("new")) == 3)
        #expect(try fixture.write(file, handle, 8, text("new")) == 3)
        try fixture.close(file, handle)
        #expect(try fixture.node(file)?.staged?.isFlushed == true && fixture.store.isSafe)
    }

    @Test("a row does not vouch for flushed bytes that are written over, and is flushed before")
    func writtenOverFlushed() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old content"))
        try fixture.staging.flush()
        #expect(try fixture.node(file)?.staged?.isFlushed == true)
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 11, text(", and more")) == 10)
        #expect(try fixture.node(file)?.staged?.isFlushed == true)
        #expect(try fixture.write(file, handle, 0, text("new")) == 3)
        let row = try #require(try fixture.node(file)?.staged)
        #expect(!row.isFlushed && row.flushed > 0 && fixture.store.isSafe)
        try fixture.close(file, handle)
        try fixture.staging.flush()
        #expect(try fixture.node(file)?.staged?.isFlushed == true)
        #expect(try fixture.contents(file) == text("new content, and more"))
    }

    @Test("an atomic save over a file that was emptied since its fsync is as safe as that fsync")
    func savedOverEmptied() async throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old content"))
        let handle = try fixture.open(file)
        try await fixture.fs.synchronize(file, handle: handle, dataOnly: false).value()
        try fixture.close(file, handle)
        let second = try fixture.open(file, .truncating)
        #expect(try fixture.write(file, second, 0, text("new")) == 3)
        try fixture.close(file, second)
        let saved = try fixture.makeFile("tmp", text("newer"))
        try fixture.rename("tmp", to: "f")
        #expect(try fixture.node(saved)?.staged?.isFlushed == true)
    }

    @Test("a file without a name is emptied in place")
    func emptiedWithoutName() async throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old content"))
        let handle = try fixture.open(file)
        try await fixture.fs.synchronize(file, handle: handle, dataOnly: false).value()
        try fixture.unlink("f")
        try fixture.setAttributes(file) { $0.size = 0 }
        #expect(try fixture.write(file, handle, 0, text("new")) == 3)
        #expect(try fixture.read(file, handle) == text("new"))
        #expect(throws: FileSystemError.self) { try fixture.lookup("f") }
    }

    @Test(
        "an atomic save over a flushed, unsent edit leaves that until the saved content is flushed",
        arguments: [true, false])
    func savedOverUnsent(isOpen: Bool) throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("theirs"))
        let handle = try fixture.open(file, .truncating)
        #expect(try fixture.write(file, handle, 0, text("edited")) == 6)
        _ = try fixture.fs.flush(file, handle: handle).now()
        if !isOpen { try fixture.close(file, handle) }
        try fixture.staging.flush()
        let saved = try fixture.makeFile("tmp", text("saved"))
        try fixture.rename("tmp", to: "f")
        try fixture.store.synchronize()
        if isOpen {
            // Its handle may write to the replaced content.
            #expect(try fixture.node(saved)?.staged?.isFlushed == true)
        } else {
            let fallback = try #require(try fixture.store.read { try $0.fallback(of: saved) })
            let path = fixture.staging.path(of: fallback.file)
            #expect(try Data(contentsOf: URL(filePath: path)) == Data("edited".utf8))
        }
    }

    @Test("an edit of a file that the server has is flushed when it takes another one's place")
    func movedOver() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("a", text("old"))
        try fixture.remoteFile("b", text("other"))
        let handle = try fixture.open(file, .truncating)
        #expect(try fixture.write(file, handle, 0, text("edited")) == 6)
        try fixture.close(file, handle)
        #expect(try fixture.node(file)?.staged?.isFlushed == false)
        try fixture.rename("a", to: "b")
        #expect(try fixture.node(file)?.staged?.isFlushed == true)
    }

    @Test("content over flushed content is flushed when its file takes another one's place")
    func writtenOverThenMoved() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("tmp", text("first"))
        try fixture.staging.flush()
        let handle = try fixture.open(file, .truncating)
        #expect(try fixture.write(file, handle, 0, text("second")) == 6)
        try fixture.close(file, handle)
        #expect(try fixture.store.read { try $0.fallback(of: file) } != nil)
        try fixture.remoteFile("f", text("theirs"))
        try fixture.rename("tmp", to: "f")
        // A power cut must not leave the first content in the place of theirs.
        #expect(try fixture.node(file)?.staged?.isFlushed == true)
    }

    @Test("a flushed edit under an atomic save goes once the saved content is flushed")
    func succeeded() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("theirs"))
        let handle = try fixture.open(file, .truncating)
        #expect(try fixture.write(file, handle, 0, text("edited")) == 6)
        try fixture.close(file, handle)
        try fixture.staging.flush()
        let saved = try fixture.makeFile("tmp", text("saved"))
        try fixture.rename("tmp", to: "f")
        #expect(try fixture.store.read { try $0.fallback(of: saved) } != nil)
        try fixture.staging.flush()
        #expect(try fixture.store.read { try $0.fallback(of: saved) } == nil)
        #expect(try fixture.contents(fixture.lookup("f")) == text("saved"))
    }

    @Test("a power cut after an atomic save leaves the old content or the new one")
    func powerCut() async throws {
        let first = try Fixture()
        for (name, content) in [("f", "old"), ("tmp", "new")] {
            let file = try first.makeFile(name, text(content))
            let handle = try first.open(file)
            try await first.fs.synchronize(file, handle: handle, dataOnly: false).value()
            try first.close(file, handle)
        }
        let cut = try first.keepWhatIsFlushed()
        try first.rename("tmp", to: "f")
        let second = try cut()
        let content = try second.contents(second.lookup("f"))
        #expect(content == text("old") || content == text("new"))
    }
}
