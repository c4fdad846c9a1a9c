// Big files that are sent while they are still being written.

import ContentHashing
import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Sync

@Suite(.serialized, .timeLimit(.minutes(5))) struct StreamingUploadTests {
    private static let piece = PieceLayout.pieceSize

    /// A file that a user writes to, on a running mount. Nothing else is sent while it is open.
    private final class Writing {
        let harness: Harness
        let inode: InodeID
        let file: StagedFile
        private(set) var bytes: [UInt8] = []

        init() async throws {
            // So long that the file never counts as without a recent write.
            harness = try Harness(openFileInterval: 1e6)
            try await harness.settle()
            await harness.stop()
            inode = try await harness.write("/big", "")
            file = try #require(try harness.staging.existing(inode))
            let inode = inode
            harness.openFiles.writers.withLock { _ = $0.insert(inode) }
            _ = try file.truncate(to: 0, now: now)
            try await harness.start()
            try await waitWhile { !harness.isOnline }
        }

        private var now: WallTime { harness.clock.now() }

        func write(at offset: Int, _ count: Int, _ byte: UInt8) throws {
            let new = [UInt8](repeating: byte, count: count)
            bytes += [UInt8](repeating: 0, count: max(0, offset + count - bytes.count))
            bytes.replaceSubrange(offset..<offset + count, with: new)
            let result = try new.withUnsafeBytes {
                try file.write(at: Int64(offset), $0, now: now)
            }
            #expect(result == .written)
            if StagedFile.endsPiece(from: Int64(offset), count: count) {
                harness.noteGrowth(of: inode)
            }
        }

        /// Appends whole pieces to the file.
        func append(pieces: Int) throws {
            for index in 0..<pieces {
                try write(at: bytes.count, Int(PieceLayout.pieceSize), UInt8(index + 1))
            }
        }

        func truncate(to size: Int) throws {
            bytes.removeLast(bytes.count - size)
            _ = try file.truncate(to: Int64(size), now: now)
        }

        /// Pieces that the session has, as the rows say.
        func arrived() async throws -> Int {
            try await harness.store.read { [inode] in
                try $0.partialUpload(of: inode)?.pieces.count ?? 0
            }
        }

        func wait(forPieces count: Int) async throws {
            try await waitWhile { try await arrived() < count }
        }

        /// The first effects of closing the file.
        func save() async throws {
            try await harness.store.write { [file] in try file.persist(in: $0) }
        }

        /// Closes the file and has it sent; returns how many bytes of it travelled in all.
        func finish() async throws -> Int {
            try await save()
            let inode = inode
            harness.openFiles.writers.withLock { _ = $0.remove(inode) }
            try await harness.drain()
            let entry = try #require(
                try await harness.server.entry(at: RemotePath(rawValue: "/big")))
            guard case .file(let facts) = entry.kind else { throw Refused() }
            #expect(facts.hash == ContentHasher.hash(bytes))
            #expect(facts.size == Int64(bytes.count))
            try await harness.checkInvariants()
            await harness.stop()
            return harness.server.receivedBytes
        }
    }

    @Test("whole pieces are sent while the file is open, and once")
    func ahead() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        #expect(try await writing.harness.serverTree().isEmpty)
        try writing.write(at: writing.bytes.count, 1000, 9)
        #expect(try await writing.finish() == writing.bytes.count)
    }

    @Test("a small file waits until it is closed")
    func small() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 1)
        try writing.write(at: writing.bytes.count, 1000, 9)
        try await writing.harness.finishPass(streaming: writing.inode)
        #expect(!writing.harness.faulty.calls.contains { $0.operation == .startUpload })
        _ = try await writing.finish()
    }

    @Test("a file that is not written in order is not sent ahead")
    func outOfOrder() async throws {
        let writing = try await Writing()
        try writing.write(at: Int(3 * Self.piece), 1000, 9)
        for index in [1, 2] { try writing.write(at: index * Int(Self.piece), Int(Self.piece), 7) }
        try await writing.harness.finishPass(streaming: writing.inode)
        #expect(!writing.harness.faulty.calls.contains { $0.operation == .startUpload })
        _ = try await writing.finish()
    }

    @Test("a beginning that is written again is sent again, and nothing more ahead")
    func rewritten() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        try writing.write(at: 5, 3, 42)
        try writing.append(pieces: 2)
        try await writing.harness.finishPass(streaming: writing.inode)
        #expect(try await writing.arrived() == 2)
        #expect(try await writing.finish() == writing.bytes.count + 2 * Int(Self.piece))
    }

    @Test("bytes that are cut off after they were sent are no part of the file")
    func cut() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        try writing.truncate(to: Int(Self.piece) + 100)
        _ = try await writing.finish()
    }

    @Test("bytes that are cut off and written anew are sent anew")
    func cutAndRewritten() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        try writing.truncate(to: Int(Self.piece) + 100)
        try writing.write(at: writing.bytes.count, 2 * Int(Self.piece), 33)
        _ = try await writing.finish()
    }

    @Test("a file that is deleted is not sent further")
    func deleted() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        try await writing.harness.delete("/big")
        let before = writing.harness.server.receivedBytes
        try writing.append(pieces: 2)
        try await writing.harness.finishPass(streaming: writing.inode)
        #expect(writing.harness.server.receivedBytes == before)
        try await writing.harness.drain()
        #expect(try await writing.harness.serverTree().isEmpty)
        await writing.harness.stop()
    }

    @Test("a piece that is refused is sent with the rest")
    func refused() async throws {
        let writing = try await Writing()
        writing.harness.faulty.inject(.failBefore(.server("test"))) { $0.operation == .append }
        try writing.append(pieces: 4)
        // Growth that is reported while the refused piece is on its way starts nothing: users write
        // on.
        try await waitWhile {
            writing.harness.noteGrowth(of: writing.inode)
            return try await writing.arrived() < 1
        }
        #expect(try await writing.finish() == writing.bytes.count)
    }

    @Test("a session that the server has lost is begun again")
    func lost() async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        writing.harness.server.expireSessions()
        try writing.append(pieces: 1)
        _ = try await writing.finish()
    }

    @Test(
        "after a restart, pieces sent ahead are used if the file was closed, and not otherwise",
        arguments: [true, false])
    func restart(isClosed: Bool) async throws {
        let writing = try await Writing()
        try writing.append(pieces: 3)
        try await writing.wait(forPieces: 2)
        try writing.write(at: writing.bytes.count, 1000, 9)
        if isClosed { try await writing.save() }
        await writing.harness.stop()
        // As the next process finds it.
        let staging = try StagingArea(
            directory: writing.harness.staging.directory, store: writing.harness.store)
        let file = try #require(try staging.existing(writing.inode))
        #expect(file.size == (isClosed ? Int64(writing.bytes.count) : 0))
        #expect(file.nextPieceAhead == nil)
        if isClosed {
            try await writing.harness.start()
            #expect(try await writing.finish() == writing.bytes.count)
        }
    }
}
