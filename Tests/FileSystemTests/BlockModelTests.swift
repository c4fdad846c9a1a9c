// One file at the borders of blocks: random changes against a byte array, with bytes that must be
// fetched, uploads that end in between, and new processes.

import Core
import TestSupport
import Testing

@testable import FileSystem

struct BlockModelTests {
    private static let largest = 3 * block
    private static let stepCount = 40

    @Test("content around block borders has the written bytes", arguments: 1...6)
    func borders(_ seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        var fixture = try Fixture()
        var bytes = pattern(Int(random.next() % UInt64(Self.largest)), seed: UInt8(seed))
        let file = try fixture.remoteFile("f", bytes, isCached: random.next() % 2 == 0)
        var handle = try fixture.open(file)
        for step in 0..<Self.stepCount {
            switch random.next() % 16 {
            case 0...5:
                let offset = Self.offset(&random)
                let new = pattern(Self.count(&random), seed: UInt8(step))
                _ = try await fixture.writeWaiting(file, handle, Int64(offset), new)
                bytes.overwrite(at: offset, with: new)
            case 6...8:
                let size = Self.offset(&random)
                try fixture.setAttributes(file) { $0.size = Int64(size) }
                bytes.resize(size)
            case 9...10:
                let offset = Self.offset(&random)
                let zeros = [UInt8](repeating: 0, count: 1 + Self.count(&random))
                try await fixture.fs.allocate(
                    file, handle: handle, offset: Int64(offset), count: Int64(zeros.count),
                    mode: .zeroRange(keepsSize: false)
                ).value()
                bytes.overwrite(at: offset, with: zeros)
            case 11...12: try fixture.commit(file)
            case 13:
                try fixture.close(file, handle)
                fixture = try fixture.remounted()
                handle = try fixture.open(file)
            case 14:
                try fixture.close(file, handle)
                fixture.content.update { $0.cached = [] }
                handle = try fixture.open(file)
            default: break
            }
            let offset = Self.offset(&random)
            let part = try await fixture.fs.read(
                file, handle: handle, offset: Int64(offset), count: 2 * block
            ).value()
            try #require(
                part.isSame(as: bytes.slice(offset..<offset + 2 * block)),
                "step \(step) at \(offset)")
            try #require(try fixture.attributes(file).size == bytes.count, "step \(step)")
        }
        let all = try await fixture.fs.read(
            file, handle: handle, offset: 0, count: 2 * Self.largest
        ).value()
        #expect(all.isSame(as: bytes))
    }

    /// Near a border of blocks as often as not.
    private static func offset(_ random: inout SeededRandom) -> Int {
        let border = Int(random.next() % 3) * block
        switch random.next() % 4 {
        case 0: return border
        case 1: return max(0, border - 1 - Int(random.next() % 100))
        case 2: return border + Int(random.next() % 100)
        default: return Int(random.next() % UInt64(largest))
        }
    }

    private static func count(_ random: inout SeededRandom) -> Int {
        switch random.next() % 4 {
        case 0: return Int(random.next() % 200)
        case 1: return block
        case 2: return block + Int(random.next() % 200)
        default: return Int(random.next() % UInt64(block))
        }
    }
}
