// Changes that survive the process, and when they are sent. Not responsible for a power cut between
// two versions of a content (`FlushedContentTests`).

import Blocking
import Core
import Foundation
import MetadataStore
import RemoteStore
import Staging
import Sync
import Synchronization
import Testing

@testable import FileSystem

struct DurabilityTests {
    @Test("a closed file survives the process: names, bytes, times, modes and attributes")
    func survival() throws {
        let first = try Fixture()
        let folder = try first.mkdir("d")
        let file = try first.makeFile("f", in: folder, text("hello"))
        let base = try first.remoteFile("g", pattern(2 * block))
        let handle = try first.open(base)
        #expect(try first.write(base, handle, 10, text("changed")) == 7)
        try first.close(base, handle)
        try first.setAttributes(file) { changes in
            changes.permissions = 0o750
            changes.modificationTime = .time(WallTime(seconds: 5, nanoseconds: 7))
        }
        try first.fs.setExtendedAttribute("user.a", of: file, to: [1, 2], mode: .any).now()
        try first.symlink("l", to: "t")
        var expected = pattern(2 * block)
        expected.replaceSubrange(10..<17, with: text("changed"))

        let second = try first.remounted()
        #expect(try second.lookup("d") == folder)
        #expect(try second.lookup("f", in: folder) == file)
        #expect(try second.contents(file) == text("hello"))
        #expect(try second.contents(base).isSame(as: expected))
        #expect(try second.attributes(file).permissions == 0o750)
        #expect(
            try second.attributes(file).modificationTime == WallTime(seconds: 5, nanoseconds: 7))
        #expect(try second.fs.extendedAttribute("user.a", of: file).now() == [1, 2])
        #expect(try second.fs.readSymbolicLink(second.lookup("l")).now() == text("t"))
        for inode in [folder, file, base] {
            #expect(try second.isQueued(inode))
        }
        #expect(try second.attributes(.root).modificationTime > WallTime(seconds: 1))
    }

    @Test("changes of files that are still open survive an orderly end")
    func heldOpen() throws {
        let first = try Fixture()
        let file = try first.makeFile("f", text("hello"))
        let base = try first.remoteFile("g", text("theirs"))
        for inode in [file, base] {
            let handle = try first.open(inode)
            #expect(try first.write(inode, handle, 3, text("longer")) == 6)
        }
        first.fs.saveOpenFiles()
        first.staging.end()
        #expect(try first.node(file)?.staged?.isFlushed == true)
        let second = try first.remounted()
        #expect(try second.contents(file) == text("hellonger"))
        #expect(try second.contents(base) == text("thelonger"))
        #expect(try second.isQueued(file) && second.isQueued(base))
    }

    @Test("changes of files that stay open are saved after a while, each time")
    func savedWhileOpen() throws {
        let queue = LateQueue()
        let first = try Fixture(queue: queue)
        let file = try first.makeFile("f", text("a"))
        let handle = try first.open(file)
        for (offset, letters) in [(1, "bc"), (3, "de")] {
            for (index, letter) in letters.enumerated() {
                let place = Int64(offset + index)
                #expect(try first.write(file, handle, place, text(String(letter))) == 1)
            }
            #expect(queue.count == 1)
            queue.runAll()
        }
        let second = try first.remounted()
        #expect(try second.contents(file) == text("abcde"))
    }

    @Test("a cut survives at once, without a close")
    func truncation() throws {
        let first = try Fixture()
        let file = try first.makeFile("f", text("hello"))
        _ = try first.open(file, .truncating)
        let other = try first.remoteFile("g", text("world"))
        try first.setAttributes(other) { $0.size = 2 }
        let second = try first.remounted()
        #expect(try second.contents(file).isEmpty)
        #expect(try second.contents(other) == text("wo"))
    }

    @Test("what a failed close has not kept leaves the kernel's cache, too")
    func failedClose() throws {
        let isFull = Mutex(false)
        let store = try MetadataStore(MemoryDatabase()) { access in
            if access == .commit, isFull.withLock({ $0 }) { throw FileSystemError.noSpace }
        }
        let fixture = try Fixture(over: store)
        let file = try fixture.makeFile("f", text("hello"))
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 5, text(" world")) == 6)
        isFull.withLock { $0 = true }
        #expect(throws: FileSystemError.noSpace) {
            try fixture.fs.flush(file, handle: handle).now()
        }
        let told = fixture.kernel.calls.count
        fixture.fs.release(file, handle: handle)
        #expect(fixture.kernel.calls[told...] == [.inode(file, content: true)])
        isFull.withLock { $0 = false }
        let opened = try fixture.fs.open(file, flags: .reading).now()
        #expect(!opened.keepsCache)
        #expect(try fixture.read(file, opened.handle) == text("hello"))
        #expect(try fixture.attributes(file).size == 5)
    }

    @Test("unsent content is EIO while the state folder is elsewhere, and is there afterwards")
    func movedStateFolder() throws {
        func isInputOutput(_ error: any Error) -> Bool {
            if case .inputOutput? = error as? FileSystemError { true } else { false }
        }
        let fixture = try Fixture()
        let unsent = try fixture.makeFile("unsent", text("hello"))
        let sent = try fixture.remoteFile("sent", text("theirs"))
        let (place, elsewhere) = (fixture.staging.directory, fixture.folder + "/elsewhere")
        try FileManager.default.moveItem(atPath: place, toPath: elsewhere)
        for flags in [OpenFlags.reading, .both, .truncating] {
            #expect(performing: { try fixture.open(unsent, flags) }, throws: isInputOutput)
        }
        let handle = try fixture.open(sent)
        #expect(
            performing: { try fixture.write(sent, handle, 0, text("ours")) }, throws: isInputOutput)
        try fixture.close(sent, handle)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: place)
        #expect(try fixture.contents(unsent) == text("hello"))
        #expect(try fixture.contents(sent) == text("theirs"))
    }

    @Test("a flush without a change writes nothing and queues nothing")
    func idleFlush() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("x"))
        let handle = try fixture.open(file)
        try fixture.close(file, handle)
        #expect(try !fixture.isQueued(file))
        #expect(fixture.sync.current.noteCount == 0)
    }

    @Test("pages written after the last flush are kept at release")
    func lateWrite() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("x"))
        let handle = try fixture.open(file)
        try fixture.fs.flush(file, handle: handle).now()
        #expect(try fixture.write(file, handle, 1, text("yz")) == 2)
        fixture.fs.release(file, handle: handle)
        #expect(try fixture.node(file)?.size == 3)
        #expect(try fixture.contents(file) == text("xyz"))
    }

    @Test("fsync commits writes; with fsync=remote it waits for the server")
    func synchronize() async throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let handle = try fixture.open(file)
        #expect(try await fixture.writeWaiting(file, handle, 0, text("hello")) == 5)
        let answer = fixture.fs.synchronize(file, handle: handle, dataOnly: true)
        #expect(answer.isPending, "a slow disk holds no worker")
        try await answer.value()
        #expect(try fixture.node(file)?.size == 5)
        #expect(fixture.sync.current.drained.isEmpty)
        try await fixture.fs.synchronizeDirectory(.root).value()

        let remote = try Fixture { $0.synchronizesRemotely = true }
        let other = try remote.makeFile("f", text("x"))
        let open = try remote.open(other)
        try await remote.fs.synchronize(other, handle: open, dataOnly: false).value()
        #expect(remote.sync.current.drained == [other])
        remote.sync.update { $0.failure = .remote(.insufficientSpace) }
        await #expect(throws: FileSystemError.quotaExceeded) {
            try await remote.fs.synchronize(other, handle: open, dataOnly: false).value()
        }
    }

    @Test("with fsync=remote, an fsync of a folder waits for the changes of its names alone")
    func synchronizeNames() async throws {
        let fixture = try Fixture { $0.synchronizesRemotely = true }
        func drained(by folder: InodeID) async throws -> Set<InodeID> {
            fixture.sync.update { $0.drained = [] }
            try await fixture.fs.synchronizeDirectory(folder).value()
            #expect(fixture.sync.current.drained.first == folder)
            return Set(fixture.sync.current.drained.dropFirst())
        }
        let (folder, other) = (try fixture.remoteFolder("d"), try fixture.remoteFolder("e"))
        let new = try fixture.makeFile("new", in: folder, text("1"))
        try fixture.makeFile("elsewhere", text("1"))
        let gone = try fixture.remoteFile("gone", in: folder)
        try fixture.unlink("gone", in: folder)
        // Over a file that Dropbox has, which goes first.
        let moved = try fixture.remoteFile("moved", in: folder)
        let replaced = try fixture.remoteFile("replaced", in: other)
        try fixture.rename("moved", in: folder, to: "replaced", into: other)
        let inner = try fixture.remoteFolder("inner", in: folder)
        let deep = try fixture.remoteFile("deep", in: inner)
        try fixture.unlink("deep", in: inner)
        try fixture.rmdir("inner", in: folder)
        let edited = try fixture.remoteFile("edited", in: folder, text("1"))
        let handle = try fixture.open(edited)
        #expect(try fixture.write(edited, handle, 0, text("2")) == 1)
        try fixture.close(edited, handle)
        #expect(try await drained(by: folder) == [new, gone, moved, replaced, inner, deep])
        #expect(try await drained(by: other) == [moved, replaced])
        fixture.sync.update { $0.failure = .remote(.insufficientSpace) }
        await #expect(throws: FileSystemError.quotaExceeded) {
            try await fixture.fs.synchronizeDirectory(.root).value()
        }
    }

    @Test("an fsync of a folder acknowledges the content of its files, as one of each would")
    func synchronizeFolder() async throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("x"))
        let handle = try fixture.open(file)
        try fixture.fs.flush(file, handle: handle).now()
        #expect(try fixture.node(file)?.staged?.promised == 0)
        try await fixture.fs.synchronizeDirectory(.root).value()
        let promised = try #require(try fixture.node(file)?.staged)
        #expect(promised.isFlushed && promised.promised == promised.generation)
        // Only content that is as safe may take its place.
        #expect(try fixture.write(file, handle, 1, text("yz")) == 2)
        try fixture.fs.flush(file, handle: handle).now()
        let later = try #require(try fixture.node(file)?.staged)
        #expect(later.isFlushed && later.generation > promised.generation)
    }

    @Test("an empty file that no handle could write to is flushed, however it was made")
    func emptyFiles() async throws {
        let fixture = try Fixture()
        let node = try fixture.fs.makeNode(
            .regular, text("node"), in: .root, permissions: 0o644, caller: Fixture.user
        ).now().attributes.inode
        let created = try fixture.create("opened", .reading)
        let opened = created.entry.attributes.inode
        fixture.fs.release(opened, handle: created.opened.handle)
        try await fixture.fs.synchronizeDirectory(.root).value()
        for file in [node, opened] {
            #expect(try fixture.node(file)?.staged?.isFlushed == true)
        }
    }

    @Test("a write through O_SYNC is committed when it returns")
    func synchronousWrite() async throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let handle = try fixture.open(file, OpenFlags(writes: true, isSynchronous: true))
        #expect(try await fixture.writeWaiting(file, handle, 0, text("hello")) == 5)
        #expect(try fixture.node(file)?.size == 5)
    }

    // MARK: When it is sent

    @Test("closing a changed file is a change of its place, wherever the file comes from")
    func changedPlaces() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("x"))
        let place = ChangedPlace.name("f", in: .root)
        #expect(fixture.sync.current.changed.last == place)
        let before = fixture.sync.current.changed.count
        let handle = try fixture.open(file)
        #expect(try fixture.write(file, handle, 0, text("y")) == 1)
        try fixture.close(file, handle)
        #expect(fixture.sync.current.changed.dropFirst(before).last == place)
        // An atomic save.
        try fixture.makeFile("f.tmp", text("z"))
        try fixture.rename("f.tmp", to: "f")
        #expect(fixture.sync.current.changed.last == place)
    }
}

/// A queue whose work runs when a test says so.
private final class LateQueue: BackgroundQueue {
    private let waiting = Mutex<[@Sendable () -> Void]>([])

    var count: Int { waiting.withLock { $0.count } }

    func run(after seconds: Double, _ work: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(work) }
    }

    func run<Value>(_ work: () throws -> Value) rethrows -> Value { try work() }

    func runAll() {
        let works = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        for work in works { work() }
    }
}
