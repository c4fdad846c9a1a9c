// The kernel's copies of listings that it would mix with later ones, or end too early: they are
// dropped. The kernel itself is in the scenario `listing-cache`.

import Core
import Glibc
import MetadataStore
import Testing

@testable import FileSystem

struct KernelListingTests {
    private func fixture() throws -> (Fixture, RecordingKernel) {
        let (fixture, kernel) = (try Fixture(), RecordingKernel())
        fixture.invalidator.attach(kernel)
        return (fixture, kernel)
    }

    private func droppedListings(_ kernel: RecordingKernel) -> [InodeID] {
        kernel.calls.compactMap { call in
            if case .listing(let folder) = call { folder } else { nil }
        }
    }

    @Test("a part of a listing that a reader has left goes when users change a name in the folder")
    func leftPart() throws {
        let (fixture, kernel) = try fixture()
        let folder = try fixture.mkdir("d")
        let other = try fixture.mkdir("e")
        for number in 0..<20 { try fixture.makeFile("f\(number)", in: folder) }
        #expect(droppedListings(kernel).isEmpty)

        _ = try fixture.readEntries(of: folder, 5)
        try fixture.makeFile("elsewhere", in: other)
        #expect(droppedListings(kernel).isEmpty)
        try fixture.makeFile("new", in: folder)
        #expect(droppedListings(kernel) == [folder])
        try fixture.unlink("new", in: folder)
        #expect(droppedListings(kernel) == [folder])
    }

    @Test("each kind of change in a folder drops it")
    func changes() throws {
        let (fixture, kernel) = try fixture()
        let folder = try fixture.mkdir("d")
        try fixture.makeFile("a", in: folder)
        try fixture.makeFile("b")
        let changes: [() throws -> Void] = [
            { try fixture.mkdir("sub", in: folder) }, { try fixture.rmdir("sub", in: folder) },
            { try fixture.symlink("link", to: "a", in: folder) },
            { try fixture.unlink("link", in: folder) },
            { try fixture.rename("a", in: folder, to: "c", into: folder) },
            { try fixture.rename("b", to: "b", into: folder) },
        ]
        for (index, change) in changes.enumerated() {
            _ = try fixture.readEntries(of: folder, 1)
            try change()
            #expect(droppedListings(kernel).filter { $0 == folder }.count == index + 1)
        }
    }

    @Test("a whole listing stays: the kernel knows when it is outdated")
    func whole() throws {
        let (fixture, kernel) = try fixture()
        let folder = try fixture.mkdir("d")
        for number in 0..<20 { try fixture.makeFile("f\(number)", in: folder) }
        #expect(try fixture.readFolder(folder, by: 7, withEntries: true).count == 22)
        try fixture.makeFile("new", in: folder)
        #expect(droppedListings(kernel).isEmpty)
    }

    @Test("a whole listing that fills the kernel's pages goes", arguments: [-1, 0, 1])
    func filledPages(difference: Int) throws {
        let (fixture, kernel) = try fixture()
        let folder = try fixture.mkdir("d")
        // 32 bytes each, as "." and ".." are.
        let count = Int(getpagesize()) / 32 - 2 + difference
        let facts = fixture.content.folderFacts()
        try fixture.store.write { transaction in
            for number in 0..<count {
                var facts = facts
                facts.id = nil
                let text = "f" + String(1_000_000 + number).dropFirst()
                _ = try transaction.insertRemote(
                    .file, at: Place(parent: folder, name: name(text)), facts: facts)
            }
        }
        let read = try fixture.readFolder(folder, by: 50, withEntries: false)
        #expect(read.count == count + 2)
        let dropped = kernel.calls.filter { $0 == .inode(folder, content: true) }
        #expect(dropped.count == (difference == 0 ? 1 : 0))
    }
}
