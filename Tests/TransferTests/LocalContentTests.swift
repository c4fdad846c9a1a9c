// Files on this machine while they are sent or received: pieces that are read again, and part files
// with gaps.

import ContentHashing
import Foundation
import TestSupport
import Testing

@testable import DropboxAPI

struct LocalContentTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func read(_ body: any BodySource, at offset: UInt64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try body.read(at: offset, into: $0) }
        return Array(bytes.prefix(read))
    }

    @Test("the digests of a piece are those of its blocks")
    func digests() throws {
        let block = ContentHasher.blockSize
        let bytes = (0..<2 * block + 5).map { UInt8(truncatingIfNeeded: $0 / 999) }
        let piece = try BytesSource(bytes).piece(UInt64(block)..<UInt64(bytes.count))
        #expect(piece is FilePiece)
        #expect(
            ContentHash(blockDigests: try piece.blockDigests())
                == ContentHasher.hash(bytes[block...]))
    }

    @Test(
        "a file in memory is at hand, and one that the kernel makes up is not",
        arguments: [("/dev/shm", true), ("/proc/self/status", false)])
    func atHand(place: String, isAtHand: Bool) throws {
        var path = place
        if isAtHand {
            path += "/dropbox-at-hand-\(UUID().uuidString)"
            try Data([1]).write(to: URL(fileURLWithPath: path))
        }
        defer { if isAtHand { try? FileManager.default.removeItem(atPath: path) } }
        #expect(try OpenedLocalFile(path).isAtHand == isAtHand)
    }

    @Test("a piece is not sent once its file has changed, and ends where a file was cut off")
    func changed() throws {
        let path = folder.path + "/file"
        try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
        let piece = FilePiece(file: try OpenedLocalFile(path), range: 2..<9)
        #expect(try read(piece, at: 0, count: 100) == Array("2345678".utf8))
        #expect(try read(piece, at: 7, count: 100).isEmpty)
        #expect(!piece.hasChanged)
        #expect(truncate(path, 5) == 0)
        #expect(piece.hasChanged)
        #expect(throws: FileUploadError.self) { try read(piece, at: 0, count: 100) }
        #expect(try read(piece, at: 1, count: 100) == Array("34".utf8))
        #expect(throws: FileUploadError.self) { try piece.blockDigests() }
    }

    @Test("a part file counts until its first gap")
    func gap() throws {
        let block = ContentHasher.blockSize
        let part = try PartFile(folder.path + "/part")
        let bytes = [UInt8](repeating: 7, count: block)
        for index in [0, 1, 3] {
            try part.write(bytes, at: UInt64(index * block))
        }
        let digests = try part.wholeBlocks(limit: UInt64(4 * block))
        let digest = bytes.withUnsafeBytes { ContentHasher.blockDigest($0) }
        #expect(digests == [digest, digest])
    }
}
