// Reading and writing: staged content, what must be fetched, and what the kernel keeps. What
// changes under a file that is open is in RevisionTests.swift.

import Core
import MetadataStore
import RemoteStore
import Sync
import Testing

@testable import FileSystem

/// One block of staged content.
let block = 4 << 20

/// Bytes that differ from place to place: the period is prime, so that no block is like another.
func pattern(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
    var value = UInt32(seed) &* 2_654_435_761
    let period = (0..<4099).map { _ -> UInt8 in
        value = value &* 1_664_525 &+ 1_013_904_223
        return UInt8(truncatingIfNeeded: value >> 24)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count {
        bytes.append(contentsOf: period)
    }
    return Array(bytes.prefix(count))
}

struct ContentTests {
    // MARK: Reading

    @Test("a clean file is read from the cache at once, in any range, and ends where it ends")
    func readClean() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello world"))
        let handle = try fixture.open(file, .reading)
        #expect(try fixture.read(file, handle, 0, 5) == text("hello"))
        #expect(try fixture.read(file, handle, 6, 100) == text("world"))
        #expect(try fixture.read(file, handle, 11, 1).isEmpty)
        #expect(try fixture.read(file, handle, .max, 10).isEmpty)
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.read(file, handle, -1, 1)
        }
    }

    @Test("bytes that are not here are waited for, exactly the range that was asked for")
    func readUncached() async throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello world"), isCached: false)
        let handle = try fixture.open(file, .reading)
        let answer = fixture.fs.read(file, handle: handle, offset: 6, count: 100)
        #expect(answer.isPending)
        #expect(try await answer.value() == text("world"))
        #expect(fixture.content.fetched == [6..<11])
    }

    @Test("offline, a read of uncached content is ENETDOWN, never a short read")
    func readOffline() async throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"), isCached: false)
        let handle = try fixture.open(file, .reading)
        fixture.content.update { $0.failure = .offline("no route") }
        await #expect(throws: FileSystemError.offline) {
            try await fixture.fs.read(file, handle: handle, offset: 0, count: 5).value()
        }
    }

    @Test("a waiting read that is cancelled ends as interrupted")
    func readInterrupted() async throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"), isCached: false)
        let handle = try fixture.open(file, .reading)
        let answer = fixture.fs.read(file, handle: handle, offset: 0, count: 5)
        let task = Task { () async throws -> [UInt8] in
            while !Task.isCancelled { await Task.yield() }
            return try await answer.value()
        }
        task.cancel()
        await #expect(throws: FileSystemError.interrupted) { try await task.value }
    }

    @Test("a cloud document is listed with its size, and opening it is refused")
    func cloudDocument() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("d.gdoc", text("x"), flags: .notDownloadable)
        #expect(try fixture.attributes(file).size == 1)
        #expect(throws: FileSystemError.unsupported) { try fixture.open(file, .reading) }
        #expect(throws: FileSystemError.unsupported) { try fixture.open(file, .truncating) }
        #expect(throws: FileSystemError.unsupported) {
            try fixture.setAttributes(file) { $0.size = 0 }
        }
    }

    @Test("handles that do not exist are EBADF")
    func badHandle() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        #expect(throws: FileSystemError.badHandle) { try fixture.read(file, HandleID(9)) }
        #expect(throws: FileSystemError.badHandle) {
            try fixture.write(file, HandleID(9), 0, [1])
        }
    }

    // MARK: Writing

    @Test("a write into a cached file needs no waiting and keeps the rest")
    func writeClean() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello world"))
        let handle = try fixture.open(file)
        #expect(try !fixture.isQueued(file))
        #expect(try fixture.write(file, handle, 6, text("there, you")) == 10)
        #expect(try fixture.read(file, handle) == text("hello there, you"))
        #expect(try fixture.attributes(file).size == 16)
        #expect(try fixture.isQueued(file))
        let base = try #require(try fixture.node(file)?.staged?.base)
        #expect(base.revision == Revision("rev1"))
        #expect(base.size == 11)
    }

    @Test("a write into blocks that are not here waits for them, and for no others")
    func writeUncached() async throws {
        let fixture = try Fixture()
        var bytes = pattern(3 * block)
        let file = try fixture.remoteFile("f", bytes, isCached: false)
        let handle = try fixture.open(file)
        let offset = Int64(block + 100)
        #expect(try await fixture.writeWaiting(file, handle, offset, text("middle")) == 6)
        #expect(fixture.content.fetched == [Int64(block)..<Int64(2 * block)])
        bytes.replaceSubrange(block + 100..<block + 106, with: text("middle"))
        let answer = fixture.fs.read(file, handle: handle, offset: 0, count: 3 * block)
        #expect(answer.isPending)
        #expect(try await answer.value().isSame(as: bytes))
    }

    @Test("overwriting whole blocks, or cutting everything, fetches nothing")
    func overwrite() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", pattern(2 * block), isCached: false)
        let handle = try fixture.open(file)
        let new = pattern(2 * block, seed: 2)
        #expect(try fixture.write(file, handle, 0, new) == 2 * block)
        #expect(try fixture.read(file, handle) == new)
        let other = try fixture.remoteFile("g", pattern(10), isCached: false)
        let cut = try fixture.open(other, .truncating)
        #expect(try fixture.write(other, cut, 0, text("x")) == 1)
        #expect(try fixture.node(other)?.staged?.base == nil)
        #expect(fixture.content.fetched.isEmpty)
    }

    @Test("appends go to the end, not to the offset that the kernel believes in")
    func append() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("log", text("1"))
        let one = try fixture.open(file, .appending)
        let two = try fixture.open(file, .appending)
        #expect(try fixture.write(file, one, 1, text("2")) == 1)
        #expect(try fixture.write(file, two, 1, text("3")) == 1)
        #expect(try fixture.contents(file) == text("123"))
    }

    @Test("the pieces of an appending write with O_DIRECT may come in any order")
    func directAppend() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("log", text("1"))
        let handle = try fixture.open(file, OpenFlags(writes: true, appends: true, isDirect: true))
        #expect(try fixture.write(file, handle, 2, text("3")) == 1)
        #expect(try fixture.write(file, handle, 1, text("2")) == 1)
        #expect(try fixture.contents(file) == text("123"))
    }

    @Test("a write obeys the flags that its descriptor has by then, not those of its open")
    func changedFlags() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("log", text("1"))
        let handle = try fixture.open(file, .appending)
        func write(_ offset: Int64, _ string: String, _ flags: OpenFlags) throws {
            _ = try text(string).withUnsafeBytes {
                try fixture.fs.write(
                    file, handle: handle, offset: offset, bytes: $0, from: .call(flags)
                ).now()
            }
        }
        try write(0, "4", .writing)
        let direct = OpenFlags(writes: true, appends: true, isDirect: true)
        try write(2, "3", direct)
        try write(1, "2", direct)
        #expect(try fixture.contents(file) == text("423"))
    }

    @Test("a file that was opened exclusively or truncated is not fetched; size limits hold")
    func limits() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let handle = try fixture.open(file)
        #expect(throws: FileSystemError.tooLarge) {
            try fixture.write(file, handle, FileContents.maximumSize, [1])
        }
        #expect(throws: FileSystemError.tooLarge) { try fixture.write(file, handle, .max, [1]) }
        #expect(throws: FileSystemError.invalidArgument) {
            try fixture.write(file, handle, -1, [1])
        }
        #expect(throws: FileSystemError.tooLarge) {
            try fixture.setAttributes(file) { $0.size = .max }
        }
        #expect(try fixture.write(file, handle, 5, []) == 0)
        #expect(try fixture.attributes(file).size == 0)
    }

    @Test("a full account refuses new content; queued and local-only changes go on")
    func quota() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("queued"))
        fixture.sync.update { $0.isQuotaExceeded = true }
        let handle = try fixture.open(file)
        #expect(throws: FileSystemError.quotaExceeded) {
            try fixture.write(file, handle, 0, text("x"))
        }
        #expect(throws: FileSystemError.quotaExceeded) {
            try fixture.setAttributes(file) { $0.size = 100 }
        }
        #expect(try fixture.setAttributes(file) { $0.size = 3 }.size == 3)
        #expect(try fixture.isQueued(file))
        try fixture.makeFile(".~lock", text("me"))
        try fixture.unlink("f")
    }

    @Test("growth by a piece of an upload is announced, unless the file is local-only")
    func growth() throws {
        let fixture = try Fixture()
        let piece: Int64 = 16 << 20
        for (name, isTold) in [("big", true), (".~lock.big#", false)] {
            let created = try fixture.create(name)
            let inode = created.entry.attributes.inode
            _ = try fixture.write(inode, created.opened.handle, piece - 3, text("ab"))
            #expect(fixture.sync.current.grown.isEmpty)
            _ = try fixture.write(inode, created.opened.handle, piece - 1, text("c"))
            #expect(fixture.sync.current.grown == (isTold ? [inode] : []))
            fixture.sync.update { $0.grown = [] }
        }
    }

    // MARK: The kernel's pages

    @Test("the kernel keeps pages only of the content that it had opened before")
    func keepsCache() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("1"))
        func open() throws -> Bool {
            let opened = try fixture.fs.open(file, flags: .reading).now()
            fixture.fs.release(file, handle: opened.handle)
            return opened.keepsCache
        }
        _ = try fixture.lookup("f")
        #expect(try !open())
        #expect(try open())
        let facts = fixture.content.add(text("2"), id: try fixture.node(file)?.facts.id)
        try fixture.store.write { try $0.setFacts(facts, of: file) }
        #expect(try !open())
        #expect(try open())
        fixture.fs.forget(file, count: 1)
        _ = try fixture.lookup("f")
        #expect(try !open())
    }

    @Test(
        "the kernel drops pages of which it has parts, because it would ask for each alone",
        arguments: [(0, true), (4096, true), (4000, false)])
    func ragged(second: Int, isKept: Bool) throws {
        let fixture = try Fixture()
        let created = try fixture.create("f")
        let (file, writer) = (created.entry.attributes.inode, created.opened.handle)
        _ = try fixture.write(file, writer, 0, pattern(second))
        _ = try fixture.write(file, writer, Int64(second), pattern(5000))
        try fixture.close(file, writer)
        for expected in [isKept, true] {
            let opened = try fixture.fs.open(file, flags: .reading).now()
            fixture.fs.release(file, handle: opened.handle)
            #expect(opened.keepsCache == expected)
        }
    }

    @Test("few parts of pages do not cost the kernel a large file's pages")
    func raggedLarge() throws {
        let fixture = try Fixture()
        let created = try fixture.create("f")
        let (file, writer) = (created.entry.attributes.inode, created.opened.handle)
        _ = try fixture.write(file, writer, 0, pattern(300_000))
        _ = try fixture.write(file, writer, 300_000, pattern(10))
        try fixture.close(file, writer)
        let opened = try fixture.fs.open(file, flags: .reading).now()
        fixture.fs.release(file, handle: opened.handle)
        #expect(opened.keepsCache)
    }

    @Test("a mapping's page goes where it says, also through a handle that appends")
    func mappedPage() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("0123456789"))
        let handle = try fixture.open(file, OpenFlags(reads: true, writes: true, appends: true))
        #expect(try fixture.write(file, handle, 0, text("first"), isPage: true) == 5)
        #expect(try fixture.write(file, handle, 0, text("last")) == 4)
        try fixture.close(file, handle)
        #expect(try fixture.contents(file) == text("first56789last"))
    }
}
