// Sizes and counts at the borders of what a server can claim, in what reading and pinning make of
// them.

import BlockCache
import ContentHashing
import Core
import MetadataStore
import RemoteStore
import Testing

@testable import FileSystem

@Suite("sizes at the borders")
struct BorderTests {
    private static let largest: Int64 = 1 << 42

    @Test("millions of pinned names of one content of the largest size are counted up to the limit")
    func pins() throws {
        let file = PinnedFile(
            inode: InodeID(2), size: Self.largest, revision: Revision("r"), hash: .empty)
        var scan = PinScan(known: KnownContents(), limit: 10)
        // Together they have 2^63 bytes.
        for _ in 0..<1 << 21 { scan.add(file) }
        #expect(scan.totals.bytes == .max)
        var present = PinWork()
        present.take(scan, found: [.empty])
        #expect(present.totals.presentBytes == .max)
        var refused = PinWork()
        refused.take(scan, found: [])
        let now = WallTime(seconds: 1)
        let next = refused.next(at: now)
        let piece = try #require(next)
        _ = refused.ended(piece, .failed(.notDownloadable), at: now)
        #expect(refused.totals.unavailableBytes == .max)
    }

    @Test("windows of reads at the end of the largest offset there is")
    func windows() {
        for range in [0..<Int64.max, (Int64.max - 1)..<Int64.max, 0..<0] {
            var window = ReadWindow(range)
            for next in [Int64.max..<Int64.max, 0..<Int64.max, (Int64.max - 2)..<Int64.max] {
                _ = window.relation(to: next)
                window.advance(next, readsToOpen: 1)
            }
        }
    }

    @Test("a queue of fetches that claim all bytes there are still lets one go at a time")
    func queue() {
        var queue = FetchQueue(budget: .max, slots: 2)
        for id in 0..<4 { _ = queue.add(id, bytes: .max, isDemanded: true) }
        for id in 4..<6 { _ = queue.addBackgroundFetch(id, bytes: .max) }
        for id in 0..<6 { _ = queue.transferred(id) }
        for id in 0..<6 { _ = queue.arrive(id) }
        #expect(queue.bytes >= 0)
    }
}
