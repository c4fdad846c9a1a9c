// Listing folders, and folders whose children are not known yet.

import Core
import MetadataStore
import RemoteStore
import Sync
import Testing

@testable import FileSystem

struct DirectoryTests {
    @Test(
        "every name is delivered once, however the listing is cut", arguments: [1, 2, 3, 50, 1000])
    func paging(_ count: Int) throws {
        let fixture = try Fixture()
        let folder = try fixture.mkdir("d")
        let names = (0..<100).map { "n\($0)" }
        for name in names {
            try fixture.makeFile(name, in: folder)
        }
        for withEntries in [false, true] {
            let entries = try fixture.readFolder(folder, by: count, withEntries: withEntries)
            #expect(entries.prefix(2).map(\.text) == [".", ".."])
            #expect(entries.prefix(2).map(\.inode) == [folder, .root])
            #expect(entries.dropFirst(2).map(\.text).sorted() == names.sorted())
            #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.nextOffset < $1.nextOffset })
            #expect(entries.prefix(2).allSatisfy { $0.entry == nil })
            #expect(entries.dropFirst(2).allSatisfy { ($0.entry != nil) == withEntries })
            #expect(
                entries.dropFirst(2).allSatisfy {
                    $0.entry.map(\.attributes.inode) ?? $0.inode == $0.inode
                })
        }
    }

    @Test("only accepted entries with attributes count lookups")
    func lookupCounts() throws {
        let fixture = try Fixture()
        for name in ["a", "b"] {
            let inode = try fixture.makeFile(name)
            fixture.fs.forget(inode, count: 1)
        }
        let (a, b) = try (fixture.lookup("a"), fixture.lookup("b"))
        fixture.fs.forget(a, count: 1)
        fixture.fs.forget(b, count: 1)
        _ = try fixture.readEntries(of: .root)
        #expect(!fixture.invalidator.inodes.isKnown(a))
        let reply = ListingReply { $0.text == "b" }
        try fixture.fs.readDirectory(.root, .part(true)) { reply.take($0) }.now()
        #expect(fixture.invalidator.inodes.isKnown(a))
        #expect(!fixture.invalidator.inodes.isKnown(b))
    }

    @Test("names made or removed while a folder is read do not disturb the others")
    func concurrentChanges() throws {
        let fixture = try Fixture()
        for index in 0..<60 {
            try fixture.makeFile("k\(index)")
            try fixture.makeFile("x\(index)")
        }
        var number = 0
        let entries = try fixture.readFolder(.root, by: 7, withEntries: true) {
            if number < 60 { try fixture.unlink("x\(number)") }
            for suffix in 0..<3 { try fixture.makeFile("a\(number)-\(suffix)") }
            number += 1
        }
        let kept = entries.map(\.text).filter { $0.hasPrefix("k") }
        #expect(kept.count == 60)
        #expect(Set(kept).count == 60)
        #expect(Set(entries.map(\.text)).count == entries.count)
    }

    @Test("a rewind shows changes")
    func rewind() throws {
        let fixture = try Fixture()
        try fixture.makeFile("a")
        func names() throws -> [String] { try fixture.readEntries(of: .root).map(\.text) }
        #expect(try names() == [".", "..", "a"])
        try fixture.makeFile("b")
        #expect(try names().sorted() == [".", "..", "a", "b"])
    }

    @Test(
        "a reader whose beginning came from another listing meets every name once",
        arguments: [false, true])
    func otherBeginning(withEntries: Bool) throws {
        let fixture = try Fixture()
        let kept = (0..<40).map { "k\($0)" }
        for name in kept + ["gone"] { try fixture.makeFile(name) }
        let early = try fixture.readFolder(.root, by: 1000, withEntries: withEntries)
        try fixture.unlink("gone")
        for number in 0..<40 { try fixture.makeFile("a\(number)") }
        // The kernel has given out some of the first listing, and asks for the rest.
        for cut in stride(from: 2, to: early.count, by: 7) {
            let rest = try fixture.readEntries(
                of: .root, behind: early[cut - 1].nextOffset, withEntries: withEntries)
            let names = (early[..<cut] + rest).map(\.text)
            #expect(Set(names).count == names.count)
            #expect(Set(kept).isSubset(of: names))
        }
    }

    @Test("only folders are opened and read; one that was removed is empty")
    func errors() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        #expect(throws: FileSystemError.notADirectory) { try fixture.fs.openDirectory(file).now() }
        #expect(throws: FileSystemError.notADirectory) { try fixture.readEntries(of: file) }
        #expect(throws: FileSystemError.noEntry) {
            try fixture.fs.openDirectory(InodeID(99)).now()
        }
        #expect(throws: FileSystemError.noEntry) { try fixture.readEntries(of: InodeID(99)) }
        let folder = try fixture.mkdir("d")
        try fixture.rmdir("d")
        #expect(try fixture.readEntries(of: folder, withEntries: true).count == 2)
    }

    @Test("the kernel keeps listings, and need not ask again, when the tree is complete")
    func lastOpening() throws {
        let fixture = try Fixture()
        #expect(
            try fixture.fs.openDirectory(.root).now()
                == OpenedDirectory(cachesListing: true, isLast: true))
        fixture.sync.update { $0.isFeedHealthy = false }
        #expect(
            try fixture.fs.openDirectory(.root).now()
                == OpenedDirectory(cachesListing: true, isLast: true))
    }

    @Test("while folders may have to be listed, the kernel asks for each")
    func earlyOpening() throws {
        let (fixture, _) = try unlisted()
        let made = try fixture.store.write { transaction in
            try transaction.insert(
                .folder, at: Place(parent: .root, name: name("new")), local: LocalFacts())
        }
        #expect(
            try fixture.fs.openDirectory(made).now()
                == OpenedDirectory(cachesListing: false, isLast: false))
    }

    // MARK: Folders that were never listed

    private func unlisted() throws -> (Fixture, InodeID) {
        let fixture = try Fixture()
        fixture.sync.update { $0.isTreeComplete = false }
        let folder = try fixture.remoteFolder("d", isListed: false)
        let facts = fixture.content.add(text("there"))
        fixture.sync.update { $0.unlisted[folder] = [(name("known"), facts)] }
        return (fixture, folder)
    }

    @Test("a name in an unlisted folder is waited for; one that is known answers at once")
    func lookupUnlisted() async throws {
        let (fixture, folder) = try unlisted()
        let early = try fixture.remoteFile("early", in: folder)
        #expect(try fixture.lookup("early", in: folder) == early)
        let answer = fixture.fs.lookup(text("known"), in: folder)
        #expect(answer.isPending)
        guard case .found = try await answer.value() else {
            Issue.record("not found")
            return
        }
        #expect(try !fixture.exists("unknown", in: folder))
        #expect(fixture.sync.current.listed == [folder])
    }

    @Test("an absent name in an unlisted folder is absent after the listing")
    func absentUnlisted() async throws {
        let (fixture, folder) = try unlisted()
        let answer = fixture.fs.lookup(text("absent"), in: folder)
        #expect(try await answer.value() == .absent(timeout: 0))
    }

    @Test("opening an unlisted folder waits for its listing")
    func openUnlisted() async throws {
        let (fixture, folder) = try unlisted()
        let answer = fixture.fs.openDirectory(folder)
        #expect(answer.isPending)
        _ = try await answer.value()
        #expect(try fixture.names(in: folder) == ["known"])
    }

    @Test("reading an unlisted folder waits, too: it may not have been asked whether it opens")
    func readUnlisted() async throws {
        let (fixture, folder) = try unlisted()
        let reply = ListingReply(limit: .max)
        let answer = fixture.fs.readDirectory(folder, .part(true)) { reply.take($0) }
        #expect(answer.isPending)
        #expect(reply.entries.isEmpty)
        try await answer.value()
        #expect(reply.entries.map(\.text) == [".", "..", "known"])
    }

    @Test("a name is not made in an unlisted folder before it is known to be free")
    func createUnlisted() async throws {
        let (fixture, folder) = try unlisted()
        let taken = fixture.fs.makeDirectory(
            text("known"), in: folder, permissions: 0o755, caller: Fixture.user)
        await #expect(throws: FileSystemError.exists) { try await taken.value() }
        try fixture.mkdir("free", in: folder)
    }

    @Test("an unlisted folder is not removed or replaced before it is known to be empty")
    func removeUnlisted() async throws {
        let (fixture, folder) = try unlisted()
        let answer = fixture.fs.removeDirectory(text("d"), in: .root)
        // The root is not listed either, but its child is known.
        #expect(answer.isPending)
        await #expect(throws: FileSystemError.notEmpty) { try await answer.value() }
        #expect(try fixture.lookup("d") == folder)
        let other = try fixture.remoteFolder("e", isListed: false)
        fixture.sync.update { $0.unlisted[other] = [] }
        let rename = fixture.fs.rename(
            text("d"), in: .root, to: text("e"), in: .root, mode: .replace)
        #expect(rename.isPending)
        try await rename.value()
        #expect(try fixture.lookup("e") == folder)
    }

    @Test(
        "when the server cannot be asked, the error says why",
        arguments: [
            (SyncError.remote(.offline("no route")), FileSystemError.offline),
            (.remote(.timedOut), .offline), (.remote(.notFound), .noEntry),
            (.remote(.unauthorized("revoked")), .accessDenied), (.remote(.cancelled), .interrupted),
            (.local(.diskFull), .noSpace),
        ])
    func failure(_ error: SyncError, _ expected: FileSystemError) async throws {
        let (fixture, folder) = try unlisted()
        fixture.sync.update { $0.failure = error }
        await #expect(throws: expected) {
            try await fixture.fs.lookup(text("x"), in: folder).value()
        }
        await #expect(throws: expected) { try await fixture.fs.openDirectory(folder).value() }
        await #expect(throws: expected) {
            try await fixture.fs.readDirectory(folder, .part()) { _ in true }.value()
        }
    }

    @Test("a folder made here needs no listing, even when the server cannot be asked")
    func localFolder() throws {
        let (fixture, _) = try unlisted()
        fixture.sync.update { $0.failure = .remote(.offline("no route")) }
        let folder = try fixture.store.write { transaction in
            try transaction.setFlags(.listed, true, of: .root)
            return try transaction.insert(
                .folder, at: Place(parent: .root, name: name("new")), local: LocalFacts())
        }
        #expect(try !fixture.exists("x", in: folder))
        try fixture.makeFile("x", in: folder)
        #expect(try fixture.names(in: folder) == ["x"])
    }

    @Test("a folder of 10,000 entries is read with their attributes in one pass")
    func large() throws {
        let fixture = try Fixture()
        let facts = fixture.content.folderFacts()
        try fixture.store.write { transaction in
            for index in 0..<10_000 {
                var facts = facts
                facts.id = nil
                _ = try transaction.insertRemote(
                    .file, at: Place(parent: .root, name: name("file-\(index)")), facts: facts)
            }
        }
        let entries = try fixture.readFolder(.root, by: 200, withEntries: true)
        #expect(entries.count == 10_002)
        #expect(Set(entries.map(\.inode)).count == 10_001)
    }
}
