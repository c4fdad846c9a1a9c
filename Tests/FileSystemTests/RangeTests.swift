// Ranges of files: allocation, copies that move no bytes, and holes.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import FileSystem

struct RangeTests {
    @Test("fallocate extends, reserves, punches and zeroes")
    func allocate() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello world"))
        let handle = try fixture.open(file)
        func allocate(_ offset: Int64, _ count: Int64, _ mode: AllocationMode) throws {
            try fixture.fs.allocate(
                file, handle: handle, offset: offset, count: count, mode: mode
            ).now()
        }
        try allocate(0, 5, .extend)
        #expect(try fixture.node(file)?.staged == nil, "nothing to do")
        try allocate(0, 100, .keepSize)
        #expect(try fixture.attributes(file).size == 11)
        try allocate(2, 3, .punchHole)
        #expect(try fixture.read(file, handle) == text("he\0\0\0 world"))
        try allocate(9, 100, .punchHole)
        #expect(try fixture.read(file, handle) == text("he\0\0\0 wor\0\0"))
        try allocate(10, 4, .zeroRange(keepsSize: true))
        #expect(try fixture.attributes(file).size == 11)
        try allocate(10, 4, .zeroRange(keepsSize: false))
        #expect(try fixture.attributes(file).size == 14)
        try allocate(10, 10, .extend)
        #expect(try fixture.attributes(file).size == 20)
        #expect(
            try fixture.read(file, handle)
                == text("he\0\0\0 wor") + [UInt8](repeating: 0, count: 11))
        #expect(throws: FileSystemError.invalidArgument) { try allocate(0, 0, .extend) }
        #expect(throws: FileSystemError.tooLarge) { try allocate(.max, 1, .extend) }
        let reader = try fixture.open(file, .reading)
        #expect(throws: FileSystemError.badHandle) {
            try fixture.fs.allocate(
                file, handle: reader, offset: 0, count: 1, mode: .extend
            ).now()
        }
    }

    @Test("a copy of a clean file moves no bytes, in one piece or in several")
    func copy() throws {
        let fixture = try Fixture()
        let bytes = pattern(2 * block + 77)
        let source = try fixture.remoteFile("f", bytes)
        let size = Int64(bytes.count)
        let from = try fixture.open(source, .reading)
        for pieces in [[size], [Int64(block), 5, size - Int64(block) - 5], [size + 1000]] {
            let created = try fixture.create("copy")
            let target = created.entry.attributes.inode
            var offset: Int64 = 0
            for piece in pieces {
                let copied = try fixture.fs.copyRange(
                    from: source, handle: from, offset: offset, to: target,
                    targetHandle: created.opened.handle, targetOffset: offset, count: piece
                ).now()
                #expect(Int64(copied) == min(piece, size - offset))
                offset += Int64(copied)
            }
            #expect(offset == size)
            try fixture.close(target, created.opened.handle)
            let staged = try #require(try fixture.node(target)?.staged)
            #expect(staged.blocks.allSatisfy { $0 == 0 })
            #expect(staged.base?.limit == size)
            #expect(try fixture.contents(target).isSame(as: bytes))
            try fixture.unlink("copy")
        }
    }

    @Test("a small file that is not sent yet is copied as a whole, and the copy is another file")
    func copySmall() throws {
        let fixture = try Fixture()
        let bytes = pattern(70_000)
        let source = try fixture.makeFile("f", bytes)
        let from = try fixture.open(source, .reading)
        let created = try fixture.create("g")
        let (target, to) = (created.entry.attributes.inode, created.opened.handle)
        func copy(_ offset: Int64, _ count: Int) throws -> Int {
            try fixture.fs.copyRange(
                from: source, handle: from, offset: offset, to: target, targetHandle: to,
                targetOffset: offset, count: Int64(count)
            ).now()
        }
        #expect(throws: FileSystemError.unsupported) { try copy(0, bytes.count - 1) }
        #expect(throws: FileSystemError.unsupported) { try copy(1, bytes.count) }
        #expect(try copy(0, 1 << 20) == bytes.count)
        #expect(throws: FileSystemError.unsupported) { try copy(0, bytes.count) }
        try fixture.close(target, to)
        let writer = try fixture.open(source)
        #expect(try fixture.write(source, writer, 0, text("other")) == 5)
        #expect(try fixture.contents(target).isSame(as: bytes))
        #expect(try fixture.node(target)?.staged?.size == Int64(bytes.count))
        fixture.sync.update { $0.isQuotaExceeded = true }
        let another = try fixture.create("h")
        #expect(throws: FileSystemError.quotaExceeded) {
            try fixture.fs.copyRange(
                from: source, handle: from, offset: 0, to: another.entry.attributes.inode,
                targetHandle: another.opened.handle, targetOffset: 0, count: 1 << 20
            ).now()
        }
    }

    @Test("the generation of which a copy is made is in its source's row")
    func copyQueued() async throws {
        let fixture = try Fixture()
        let source = try fixture.makeFile("f", pattern(2 * block))
        let from = try fixture.open(source)
        let before = try #require(try fixture.node(source)?.staged).generation
        #expect(try fixture.write(source, from, 0, text("other")) == 5)
        let created = try fixture.create("g")
        let target = created.entry.attributes.inode
        let copied = try await fixture.fs.copyRange(
            from: source, handle: from, offset: 0, to: target,
            targetHandle: created.opened.handle, targetOffset: 0, count: Int64(2 * block)
        ).value()
        #expect(copied == 2 * block)
        let copy = try #require(
            try await fixture.store.read { try $0.pendingCopy(of: target) })
        #expect(copy.sourceGeneration > before)
        #expect(try fixture.node(source)?.staged?.generation == copy.sourceGeneration)
        #expect(try fixture.node(target)?.staged?.generation == copy.generation)
        // A kill right after a change must not leave other bytes under the rows of a copy.
        for (inode, handle) in [(source, from), (target, created.opened.handle)] {
            let row = try #require(try fixture.node(inode)?.staged).generation
            #expect(try fixture.write(inode, handle, Int64(block), text("later")) == 5)
            #expect(try #require(try fixture.node(inode)?.staged).generation > row)
            let saved = try #require(try fixture.node(inode)?.staged).generation
            #expect(try fixture.write(inode, handle, 0, text("again")) == 5)
            #expect(try fixture.node(inode)?.staged?.generation == saved)
        }
    }

    @Test("content that grows behind a pending copy keeps its row: a start cuts it off")
    func appendToCopied() async throws {
        let fixture = try Fixture()
        let source = try fixture.makeFile("f", pattern(2 * block))
        let from = try fixture.open(source)
        let created = try fixture.create("g")
        _ = try await fixture.fs.copyRange(
            from: source, handle: from, offset: 0, to: created.entry.attributes.inode,
            targetHandle: created.opened.handle, targetOffset: 0, count: Int64(2 * block)
        ).value()
        let row = try #require(try fixture.node(source)?.staged).generation
        #expect(try fixture.write(source, from, Int64(2 * block), text("more")) == 4)
        #expect(try fixture.node(source)?.staged?.generation == row)
    }

    @Test("copies that are not of that kind are left to the kernel")
    func copyUnsupported() throws {
        let fixture = try Fixture()
        let source = try fixture.remoteFile("f", text("hello"))
        let from = try fixture.open(source)
        let created = try fixture.create("g")
        let target = created.entry.attributes.inode
        let to = created.opened.handle
        func copy(_ offset: Int64, _ targetOffset: Int64, _ count: Int64) throws -> Int {
            try fixture.fs.copyRange(
                from: source, handle: from, offset: offset, to: target, targetHandle: to,
                targetOffset: targetOffset, count: count
            ).now()
        }
        #expect(throws: FileSystemError.unsupported) { try copy(1, 0, 4) }
        #expect(throws: FileSystemError.unsupported) { try copy(2, 2, 2) }
        #expect(try copy(9, 9, 1) == 0)
        #expect(try fixture.write(target, to, 0, text("xx")) == 2)
        #expect(throws: FileSystemError.unsupported) { try copy(2, 2, 3) }
        #expect(throws: FileSystemError.unsupported) { try copy(0, 0, 5) }
        #expect(try fixture.read(target, to) == text("xx"))
        #expect(try fixture.write(source, from, 0, text("J")) == 1)
        try fixture.setAttributes(target) { $0.size = 0 }
        // A small file that is not sent yet is copied here.
        #expect(try copy(0, 0, 5) == 5)
        #expect(try fixture.read(target, to) == text("Jello"))
    }

    @Test(
        "a copy that continues over blocks which were written and cut off keeps the source's bytes")
    func copyOverCutBlocks() throws {
        let fixture = try Fixture()
        let bytes = pattern(3 * block)
        let source = try fixture.remoteFile("f", bytes)
        let from = try fixture.open(source, .reading)
        let created = try fixture.create("g")
        let (target, to) = (created.entry.attributes.inode, created.opened.handle)
        func copy(_ offset: Int) throws -> Int {
            try fixture.fs.copyRange(
                from: source, handle: from, offset: Int64(offset), to: target, targetHandle: to,
                targetOffset: Int64(offset), count: Int64(bytes.count)
            ).now()
        }
        #expect(try copy(0) == bytes.count)
        #expect(try fixture.write(target, to, Int64(2 * block + 5), text("x")) == 1)
        try fixture.setAttributes(target) { $0.size = Int64(block) }
        #expect(throws: FileSystemError.unsupported) { try copy(block) }
        try fixture.setAttributes(target) { $0.size = 0 }
        #expect(try copy(0) == bytes.count)
        #expect(try fixture.read(target, to).isSame(as: bytes))
    }

    @Test("a file that is not sent yet shows its holes and what it occupies, once it is closed")
    func holes() throws {
        let fixture = try Fixture()
        let created = try fixture.create("f")
        let (file, writer) = (created.entry.attributes.inode, created.opened.handle)
        let (middle, size) = (Int64(4 << 20), Int64(8 << 20))
        _ = try fixture.write(file, writer, middle, [UInt8](repeating: 1, count: 4096))
        try fixture.setAttributes(file) { $0.size = size }
        func seek(_ handle: HandleID, _ offset: Int64, _ target: SeekTarget) throws -> Int64 {
            try fixture.fs.seek(file, handle: handle, offset: offset, target: target).now()
        }
        #expect(try seek(writer, 0, .data) == 0)
        #expect(try fixture.fs.attributes(of: file).now().attributes.blocks == size / 512)
        try fixture.close(file, writer)
        #expect(fixture.kernel.calls.last == .inode(file, content: false))
        let reader = try fixture.open(file, .reading)
        let blocks = try fixture.fs.attributes(of: file).now().attributes.blocks
        #expect(blocks >= 8 && blocks < 2048)
        #expect(try seek(reader, 0, .hole) == 0)
        #expect(try seek(reader, 0, .data) == middle)
        let end = try seek(reader, middle, .hole)
        #expect(end >= middle + 4096 && end < size)
        #expect(throws: FileSystemError.noSuchOffset) { try seek(reader, end, .data) }
        #expect(throws: FileSystemError.noSuchOffset) { try seek(reader, size, .hole) }
    }

    @Test("lseek takes all content for data, and fetches nothing")
    func seek() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("hello"), isCached: false)
        let handle = try fixture.open(file)
        func seek(_ offset: Int64, _ target: SeekTarget) throws -> Int64 {
            try fixture.fs.seek(file, handle: handle, offset: offset, target: target).now()
        }
        #expect(try seek(0, .data) == 0)
        #expect(try seek(3, .data) == 3)
        #expect(try seek(3, .hole) == 5)
        #expect(throws: FileSystemError.noSuchOffset) { try seek(5, .data) }
        #expect(throws: FileSystemError.noSuchOffset) { try seek(5, .hole) }
        #expect(throws: FileSystemError.noSuchOffset) { try seek(-1, .data) }
        #expect(fixture.content.fetched.isEmpty)
    }
}
