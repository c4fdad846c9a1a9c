// When files that are read one after the other are taken for a walk, and how far it is trusted.

import Core
import Testing

@testable import FileSystem

@Suite struct FolderPatternTests {
    private static let size: Int64 = 1000
    private let start = WallTime(seconds: 1_000_000)

    private func location(_ folder: UInt64, in parent: UInt64? = 1) -> FolderPattern.Location {
        .init(folder: InodeID(folder), parent: parent.map { InodeID($0) })
    }

    /// Reads files of a folder; returns what came of the last one.
    private func read(
        _ count: Int, in folder: UInt64, size: Int64 = Self.size, _ pattern: inout FolderPattern,
        at time: WallTime? = nil
    ) -> [FolderPattern.Candidate] {
        var candidates: [FolderPattern.Candidate] = []
        for number in 0..<count {
            candidates = pattern.note(
                InodeID(folder * 1000 + UInt64(number)), size, at: location(folder),
                now: time ?? start)
        }
        return candidates
    }

    @Test("the third file of a folder makes it a candidate, for little")
    func evidence() {
        var pattern = FolderPattern()
        #expect(read(2, in: 10, &pattern).isEmpty)
        let candidates = read(3, in: 10, &pattern)
        #expect(candidates == [.init(folder: InodeID(10), budget: 4 << 20)])
    }

    @Test("one file read again and again is none")
    func same() {
        var pattern = FolderPattern()
        for _ in 0..<10 {
            let candidates = pattern.note(
                InodeID(5), Self.size, at: location(10), now: start)
            #expect(candidates.isEmpty)
        }
    }

    @Test("files here and there are none")
    func scattered() {
        var pattern = FolderPattern()
        for folder: UInt64 in 10..<200 {
            #expect(read(2, in: folder, &pattern).isEmpty)
        }
    }

    @Test("files read with long pauses are none")
    func slow() {
        var pattern = FolderPattern()
        for number: Int64 in 0..<10 {
            let candidates = pattern.note(
                InodeID(UInt64(number)), Self.size, at: location(10),
                now: WallTime(seconds: start.seconds + 11 * number))
            #expect(candidates.isEmpty)
        }
    }

    @Test(
        "after one folder, its neighbour's first file is enough; after two, the folder above is tried"
    )
    func siblings() {
        var pattern = FolderPattern()
        _ = read(3, in: 10, &pattern)
        pattern.noteFetched(location(10), bytes: 50_000)
        #expect(read(1, in: 11, &pattern).map(\.folder) == [InodeID(11)])
        pattern.noteFetched(location(11), bytes: 50_000)
        #expect(read(1, in: 12, &pattern).map(\.folder) == [InodeID(1), InodeID(12)])
    }

    @Test("the allowed fetch grows with the bytes read, not with those only fetched")
    func budget() {
        var pattern = FolderPattern()
        _ = read(3, in: 10, size: 1 << 20, &pattern)
        pattern.noteFetched(location(10), bytes: 4 << 20)
        let expected: Int64 = 28 << 20
        #expect(read(1, in: 11, size: 0, &pattern).first?.budget == expected)
    }

    @Test("the memory of folders is bounded")
    func memory() {
        var pattern = FolderPattern()
        _ = read(2, in: 10, &pattern)
        for folder: UInt64 in 100..<200 { _ = read(1, in: folder, &pattern) }
        #expect(read(2, in: 10, &pattern).isEmpty)
    }
}
