// Many threads at once: what they see is whole, and nothing is left over. Worth running under the
// thread sanitizer.

import Core
import MetadataStore
import Dispatch
import Foundation
import Glibc
import RemoteStore
import Staging
import Synchronization
import Testing

@testable import FileSystem
@testable import Sync

struct ConcurrencyTests {
    /// Runs the same work on several threads and returns the errors that were not expected.
    private func onThreads(
        _ count: Int, _ work: @escaping @Sendable (Int) throws -> Void
    ) -> [String] {
        let errors = Mutex<[String]>([])
        let ended = DispatchSemaphore(value: 0)
        // Threads of their own: some wait for each other.
        for index in 0..<count {
            Thread.detachNewThread {
                do {
                    try work(index)
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
                ended.signal()
            }
        }
        for _ in 0..<count { ended.wait() }
        return errors.withLock { $0 }
    }

    @Test("writers of one file begin one staging file, and all their bytes are there")
    func sharedFile() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", [UInt8](repeating: 0, count: 800))
        let errors = onThreads(8) { index in
            let handle = try fixture.open(file)
            let bytes = [UInt8](repeating: UInt8(index + 1), count: 100)
            _ = try fixture.write(file, handle, Int64(index * 100), bytes)
            try fixture.close(file, handle)
        }
        #expect(errors.isEmpty)
        #expect(fixture.stagingFileCount == 1)
        let expected = (1...8).flatMap { [UInt8](repeating: UInt8($0), count: 100) }
        #expect(try fixture.contents(file) == expected)
    }

    @Test("appends of several handles do not overlap")
    func appends() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("log")
        let errors = onThreads(4) { index in
            let handle = try fixture.open(file, .appending)
            for _ in 0..<50 {
                _ = try fixture.write(file, handle, 0, [UInt8](repeating: UInt8(index), count: 7))
            }
            try fixture.close(file, handle)
        }
        #expect(errors.isEmpty)
        let bytes = try fixture.contents(file)
        #expect(bytes.count == 4 * 50 * 7)
        for start in stride(from: 0, to: bytes.count, by: 7) {
            #expect(Set(bytes[start..<start + 7]).count == 1)
        }
    }

    @Test("an open during the application of a delta gets the new content, not a mix")
    func openDuringNews() throws {
        let fixture = try Fixture()
        let file = try fixture.remoteFile("f", text("old"))
        _ = try fixture.lookup("f")
        let known = try #require(try fixture.node(file)).facts.id
        let facts = fixture.content.add(text("new"), id: known)
        let isDecided = DispatchSemaphore(value: 0)
        let errors = onThreads(2) { index in
            if index == 0 {
                try fixture.store.write { transaction in
                    #expect(!fixture.openFiles.isOpen(file, in: transaction))
                    isDecided.signal()
                    // The opener has counted its handle, and waits for this transaction.
                    let end = ContinuousClock.now + .seconds(60)
                    while !fixture.openFiles.decide(on: file, { $0 }) {
                        try #require(ContinuousClock.now < end)
                        sched_yield()
                    }
                    try transaction.setFacts(facts, of: file)
                }
            } else {
                isDecided.wait()
                let handle = try fixture.open(file)
                #expect(try fixture.read(file, handle) == text("new"))
                try fixture.close(file, handle)
            }
        }
        #expect(errors.isEmpty)
        // The note ends with the transaction, an undone one too.
        #expect(throws: CancellationError.self) {
            try fixture.store.write { transaction in
                _ = fixture.openFiles.isOpen(file, in: transaction)
                #expect(fixture.openFiles.isClaimed(file))
                throw CancellationError()
            }
        }
        #expect(!fixture.openFiles.isClaimed(file))
    }

    @Test("uploads that end while a file is written lose nothing")
    func commits() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f")
        let errors = onThreads(2) { index in
            if index == 0 {
                let handle = try fixture.open(file)
                for step in 0..<200 {
                    _ = try fixture.write(file, handle, Int64(step), [UInt8(step % 251)])
                }
                try fixture.close(file, handle)
            } else {
                for _ in 0..<50 { try fixture.commitIfUnchanged(file) }
            }
        }
        #expect(errors.isEmpty)
        #expect(try fixture.contents(file) == (0..<200).map { UInt8($0 % 251) })
    }

    @Test("one name is given to one of many who ask for it")
    func exclusiveCreate() throws {
        let fixture = try Fixture()
        let winners = Atomic(0)
        let errors = onThreads(8) { _ in
            do {
                let flags = OpenFlags(writes: true, isExclusive: true)
                let created = try fixture.create("lock", flags)
                winners.add(1, ordering: .relaxed)
                try fixture.close(created.entry.attributes.inode, created.opened.handle)
            } catch FileSystemError.exists {}
        }
        #expect(errors.isEmpty)
        #expect(winners.load(ordering: .relaxed) == 1)
    }

    @Test(
        "a file that is replaced again and again is always whole, and nothing is left of the old ones"
    )
    func replacing() throws {
        let fixture = try Fixture()
        let first = try fixture.makeFile("f", [UInt8](repeating: 0, count: 50))
        fixture.fs.forget(first, count: 1)
        let errors = onThreads(4) { index in
            for step in 0..<40 {
                if index < 2 {
                    let temporary = "t\(index)"
                    let inode = try fixture.makeFile(
                        temporary, [UInt8](repeating: UInt8(step), count: 50))
                    try fixture.rename(temporary, to: "f")
                    fixture.fs.forget(inode, count: 1)
                } else {
                    try fixture.readWhole("f")
                }
            }
        }
        #expect(errors.isEmpty)
        #expect(try fixture.names() == ["f"])
        #expect(fixture.stagingFileCount == 1)
        #expect(try fixture.orphanCount() == 0)
    }
}

extension Fixture {
    /// Reads a file of 50 equal bytes by name, as a process does that may lose a race for the name.
    fileprivate func readWhole(_ text: String) throws {
        let inode = try lookup(text)
        defer { fs.forget(inode, count: 1) }
        do {
            let bytes = try contents(inode)
            #expect(bytes.count == 50)
            #expect(Set(bytes).count == 1)
        } catch FileSystemError.staleHandle, FileSystemError.noEntry {
            // The kernel sends another lookup of the name.
        }
    }

    /// Plays an upload, unless the file changes during it.
    fileprivate func commitIfUnchanged(_ inode: InodeID) throws {
        struct Changed: Error {}
        let number = try? store.write { transaction -> Int64? in
            guard let node = try transaction.node(inode), let staged = try staging.file(of: node),
                let row = node.staged
            else { return nil }
            let bytes = try content.bytes(of: staged)
            let facts = content.add(bytes, id: node.facts.id)
            guard let revision = FileVersion(facts),
                bytes.count == row.size, staged.retire(generation: row.generation, as: revision)
            else { throw Changed() }
            try transaction.setFacts(facts, of: inode)
            try transaction.removeStaged(of: inode)
            if let place = node.place { try transaction.setRemotePlace(inode, place) }
            return row.file
        }
        if let number = number ?? nil { staging.removeFile(number) }
    }

    @Test("content whose end was undone goes on taking writes")
    func revived() throws {
        let fixture = try Fixture()
        let file = try fixture.makeFile("f", text("old"))
        let handle = try fixture.open(file)
        let node = try #require(try fixture.node(file))
        let staged = try #require(try fixture.staging.file(of: node))
        let content = try #require(FileVersion(fixture.content.add(text("old"))))
        #expect(staged.retire(generation: staged.generation, as: content))
        #expect(try fixture.read(file, handle) == text("old"))
        staged.revive()
        #expect(try fixture.write(file, handle, 3, text("er")) == 2)
        #expect(try fixture.read(file, handle) == text("older"))
        try fixture.close(file, handle)
        #expect(try fixture.node(file)?.size == 5)
    }
}
