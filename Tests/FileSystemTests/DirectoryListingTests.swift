// The names that open folders keep in memory, and that none is lost where they keep none.

import Core
import Testing

@testable import FileSystem

struct DirectoryListingTests {
    private func open(_ folder: InodeID, in fixture: Fixture) throws -> HandleID {
        try fixture.fs.openDirectory(folder).now().handle
    }

    /// A folder of files on the server.
    private func folder(_ text: String, of count: Int, in fixture: Fixture) throws -> InodeID {
        let folder = try fixture.mkdir(text)
        for number in 0..<count { try fixture.remoteFile("\(text)-\(number)", in: folder) }
        return folder
    }

    @Test("handles that read the same names share one listing", arguments: [false, true])
    func sharing(withEntries: Bool) throws {
        let fixture = try Fixture()
        let listings = fixture.fs.folders.listings
        let folder = try folder("d", of: 100, in: fixture)
        var handles: [HandleID] = []
        func openAndRead() throws {
            let handle = try open(folder, in: fixture)
            #expect(fixture.readEntries(of: folder, handle, 3, withEntries: withEntries).count == 3)
            handles.append(handle)
        }
        for _ in 0..<50 { try openAndRead() }
        #expect(listings.count == 1)
        let bytes = listings.byteCount
        // The names of this folder are the same after a change of another one.
        try fixture.makeFile("other")
        for _ in 0..<50 { try openAndRead() }
        #expect(listings.count == 1)
        #expect(listings.byteCount == bytes)
        try fixture.makeFile("new", in: folder)
        for _ in 0..<50 { try openAndRead() }
        #expect(listings.count == 2)
        for handle in handles { fixture.fs.releaseDirectory(folder, handle: handle) }
        #expect(listings.count == 0)
        #expect(listings.byteCount == 0)
    }

    @Test("a handle that is rewound gives its listing back")
    func rewinding() throws {
        let fixture = try Fixture()
        let folder = try folder("d", of: 5, in: fixture)
        let handle = try open(folder, in: fixture)
        for number in 0..<20 {
            try fixture.makeFile("n\(number)", in: folder)
            #expect(fixture.readEntries(of: folder, handle).count == 8 + number)
            #expect(fixture.fs.folders.listings.count == 1)
        }
    }

    @Test("an open folder shows the names that it had, while there is room for them")
    func stays() throws {
        let fixture = try Fixture()
        let folder = try folder("d", of: 20, in: fixture)
        let handle = try open(folder, in: fixture)
        let first = fixture.readEntries(of: folder, handle, 4)
        let expected = Set((0..<20).map { "d-\($0)" })
        for number in 0..<20 { try fixture.makeFile("n\(number)", in: folder) }
        let rest = fixture.readEntries(of: folder, handle, behind: first.last?.nextOffset ?? 0)
        #expect(Set((first + rest).dropFirst(2).map(\.text)) == expected)
    }

    @Test("all listings together keep within the budget, and every handle gets all names")
    func budget() throws {
        let budget = 20_000
        let fixture = try Fixture { $0.listingBytes = budget }
        let listings = fixture.fs.folders.listings
        let opened = try (0..<40).map { number in
            let folder = try folder("d\(number)", of: 20, in: fixture)
            return (folder, try open(folder, in: fixture))
        }
        let first = opened.map { fixture.readEntries(of: $0, $1, 5) }
        #expect(listings.count > 5)
        #expect(listings.count < 40)
        #expect(listings.byteCount <= budget)
        for ((folder, handle), first) in zip(opened, first) {
            let rest = fixture.readEntries(of: folder, handle, behind: first.last?.nextOffset ?? 0)
            #expect((first + rest).count == 22)
            #expect(Set((first + rest).map(\.text)).count == 22)
            #expect(listings.byteCount <= budget)
            fixture.fs.releaseDirectory(folder, handle: handle)
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
        let handle = try open(folder, in: fixture)
        let all = fixture.readEntries(of: folder, handle)
        #expect(all.count == 42)
        for index in all.indices.reversed() {
            let rest = fixture.readEntries(of: folder, handle, behind: all[index].nextOffset)
            #expect(rest.map(\.text) == all[(index + 1)...].map(\.text))
        }
        try fixture.makeFile("new", in: folder)
        #expect(fixture.readEntries(of: folder, handle).map(\.text).contains("new"))
    }

    @Test("the end is not told before names that follow removed ones")
    func removedPart() throws {
        // Three names fit into a listing.
        let fixture = try Fixture { $0.listingBytes = 600 }
        let folder = try folder("d", of: 30, in: fixture)
        let handle = try open(folder, in: fixture)
        let all = fixture.readEntries(of: folder, handle)
        let read = fixture.readEntries(of: folder, handle, 10, withEntries: true)
        for entry in all[10..<20] { try fixture.unlink(entry.text, in: folder) }
        let rest = fixture.readEntries(
            of: folder, handle, behind: read.last?.nextOffset ?? 0, withEntries: true)
        #expect(rest.map(\.text) == all[20...].map(\.text))
    }
}
