// The names that open folders keep in memory, and that none is lost where they keep none.

import Core
import MetadataStore
import Testing

@testable import FileSystem

struct DirectoryListingTests {
    /// A folder of files on the server.
    private func folder(_ text: String, of count: Int, in fixture: Fixture) throws -> InodeID {
        let folder = try fixture.mkdir(text)
        for number in 0..<count { try fixture.remoteFile("\(text)-\(number)", in: folder) }
        return folder
    }

    @Test("all readers of a folder share one listing, up to the end", arguments: [false, true])
    func sharing(withEntries: Bool) throws {
        let fixture = try Fixture()
        let listings = fixture.fs.folders.listings
        let folder = try folder("d", of: 100, in: fixture)
        for _ in 0..<50 {
            let read = try fixture.readEntries(of: folder, 3, withEntries: withEntries)
            #expect(read.count == 3)
        }
        #expect(listings.count == 1)
        let bytes = listings.byteCount
        try fixture.makeFile("new", in: folder)
        _ = try fixture.readEntries(of: folder, 3, withEntries: withEntries)
        #expect(listings.count == 1)
        #expect(listings.byteCount > bytes)
        // The other readers have not ended.
        #expect(try fixture.readFolder(folder, by: 10, withEntries: withEntries).count == 103)
        #expect(listings.count == 1)
        for _ in 0..<51 {
            let last = try #require(fixture.readEntries(of: folder, withEntries: false).last)
            #expect(try fixture.readEntries(of: folder, behind: last.nextOffset).isEmpty)
            fixture.fs.folders.listings.noteEnd(of: folder)
        }
        #expect(listings.count == 0)
        #expect(listings.byteCount == 0)
    }

    @Test("names that were read before another reader has begun, or ended, are not kept")
    func late() throws {
        let listings = DirectoryListings(budget: 1 << 20)
        let folder = InodeID(7)
        func names(_ names: [String], behind start: UInt64 = 0) -> DirectoryListing {
            DirectoryListing(in: .root, behind: start, limit: 1 << 16) { take in
                for (index, text) in names.enumerated() {
                    take(name(text), InodeID(UInt64(100 + index)), .file)
                }
            }
        }
        let (old, oldRest) = (names(["a"]), names(["a", "b", "c"], behind: 1000))
        let early = listings.ticket()
        let new = names(["a", "new"])
        listings.keep(new, of: folder, at: 2, listings.ticket())
        listings.keep(old, of: folder, at: 1, early)
        listings.keep(oldRest, of: folder, at: nil, early)
        #expect(listings.first(of: folder, at: 2, longerThan: 0) === new)
        #expect(listings.count == 1)
        #expect(listings.first(of: folder, at: 1, longerThan: 0) == nil)

        let reading = listings.ticket()
        listings.noteEnd(of: folder)
        listings.noteEnd(of: folder)
        #expect(listings.count == 0)
        listings.keep(old, of: folder, at: 1, reading)
        #expect(listings.count == 0)
    }

    @Test("a reader that begins gets new names in each part of a large folder")
    func beginning() throws {
        let fixture = try Fixture { $0.listingBytes = 20_000 }
        let folder = try folder("d", of: 300, in: fixture)
        func read() throws -> [String] {
            // Not to the end, where the listings go.
            var entries: [DirectoryEntry] = []
            while entries.count < 290 {
                entries += try fixture.readEntries(
                    of: folder, behind: entries.last?.nextOffset ?? 0, 10)
            }
            return entries.map(\.text)
        }
        let before = try read()
        #expect(fixture.fs.folders.listings.count > 2)
        for name in before[50..<250] { try fixture.unlink(name, in: folder) }
        let rest = try fixture.readFolder(folder, by: 10, withEntries: false)
        #expect(rest.count == 102)
    }

    @Test("a reader that continues gets the names that there were, while there is room for them")
    func stays() throws {
        let fixture = try Fixture()
        let folder = try folder("d", of: 20, in: fixture)
        let first = try fixture.readEntries(of: folder, 4)
        let expected = Set((0..<20).map { "d-\($0)" })
        for number in 0..<20 { try fixture.makeFile("n\(number)", in: folder) }
        let rest = try fixture.readEntries(of: folder, behind: first.last?.nextOffset ?? 0)
        #expect(Set((first + rest).dropFirst(2).map(\.text)) == expected)
    }

    @Test("all listings together keep within the budget, and every reader gets all names")
    func budget() throws {
        let budget = 20_000
        let fixture = try Fixture { $0.listingBytes = budget }
        let listings = fixture.fs.folders.listings
        let folders = try (0..<40).map { try folder("d\($0)", of: 20, in: fixture) }
        let first = try folders.map { try fixture.readEntries(of: $0, 5) }
        #expect(listings.count > 5)
        #expect(listings.count < 40)
        #expect(listings.byteCount <= budget)
        for (folder, first) in zip(folders, first) {
            let rest = try fixture.readEntries(of: folder, behind: first.last?.nextOffset ?? 0)
            #expect((first + rest).count == 22)
            #expect(Set((first + rest).map(\.text)).count == 22)
            #expect(listings.byteCount <= budget)
            let end = rest.last?.nextOffset ?? 0
            #expect(try fixture.readEntries(of: folder, behind: end).isEmpty)
        }
        #expect(listings.byteCount == 0)
    }

    @Test(
        "without room, names made or removed between the calls do not disturb the others",
        arguments: [0, 2000, 8000], [false, true])
    func concurrentChanges(_ bytes: Int, withEntries: Bool) throws {
        let fixture = try Fixture { $0.listingBytes = bytes }
        for index in 0..<60 {
            try fixture.makeFile("k\(index)")
            try fixture.makeFile("x\(index)")
        }
        var number = 0
        let entries = try fixture.readFolder(.root, by: 7, withEntries: withEntries) {
            if number < 60 { try fixture.unlink("x\(number)") }
            for suffix in 0..<3 { try fixture.makeFile("a\(number)-\(suffix)") }
            number += 1
            #expect(fixture.fs.folders.listings.byteCount <= bytes)
        }
        let kept = entries.map(\.text).filter { $0.hasPrefix("k") }
        #expect(kept.count == 60)
        #expect(Set(kept).count == 60)
        #expect(Set(entries.map(\.text)).count == entries.count)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.nextOffset < $1.nextOffset })
    }

    @Test(
        "a reader can go back to any offset, and to the beginning, where it gets new names",
        arguments: [0, 2000, 8000, 32 << 20])
    func seeking(_ bytes: Int) throws {
        let fixture = try Fixture { $0.listingBytes = bytes }
        let folder = try folder("d", of: 40, in: fixture)
        let all = try fixture.readEntries(of: folder)
        #expect(all.count == 42)
        for index in all.indices.reversed() {
            let rest = try fixture.readEntries(of: folder, behind: all[index].nextOffset)
            #expect(rest.map(\.text) == all[(index + 1)...].map(\.text))
        }
        try fixture.makeFile("new", in: folder)
        #expect(try fixture.readEntries(of: folder).map(\.text).contains("new"))
    }

    @Test("the end is not told before names that follow removed ones")
    func removedPart() throws {
        // Three names fit into a listing.
        let fixture = try Fixture { $0.listingBytes = 600 }
        let folder = try folder("d", of: 30, in: fixture)
        let all = try fixture.readEntries(of: folder)
        let read = try fixture.readEntries(of: folder, 10, withEntries: true)
        for entry in all[10..<20] { try fixture.unlink(entry.text, in: folder) }
        let rest = try fixture.readEntries(
            of: folder, behind: read.last?.nextOffset ?? 0, withEntries: true)
        #expect(rest.map(\.text) == all[20...].map(\.text))
    }
}
