// A power cut between content that the disk has and content that has taken its place: a file that
// was emptied and written anew, and commits that are on their way. A cut is played by the name of
// another system in the settings.

import ContentHashing
import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite struct FallbackTests {
    let folder = TemporaryFolder.make()

    private func open() throws -> LocalParts {
        try LocalParts(in: folder, removalDelay: 0.01)
    }

    private func openAfterCut(_ local: LocalParts) throws -> LocalParts {
        try local.store.forgetSystem()
        return try open()
    }

    private func put(_ text: String, into file: StagedFile, _ transaction: Transaction) throws {
        _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
        try file.persist(in: transaction)
    }

    private func create(_ local: LocalParts) throws -> StagedFile {
        try local.store.write { transaction in
            let place = Place(parent: .root, name: try FileName("f"))
            let inode = try transaction.insert(.file, at: place, local: LocalFacts())
            let file = try local.staging.begin(
                inode, base: nil, size: 0, in: transaction)
            try put("first", into: file, transaction)
            return file
        }
    }

    private func replace(
        _ file: StagedFile, by text: String, _ local: LocalParts
    ) throws -> StagedFile {
        try local.store.write { transaction in
            let next = try local.staging.begin(
                file.inode, base: nil, size: 0, in: transaction)
            try put(text, into: next, transaction)
            return next
        }
    }

    private func content(_ inode: InodeID, _ local: LocalParts) throws -> String? {
        guard let file = try local.staging.existing(inode),
            case .bytes(let bytes) = try file.read(at: 0, count: 100)
        else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func exists(_ file: StagedFile) -> Bool {
        FileManager.default.fileExists(atPath: folder + "/staging/\(file.number)")
    }

    private func fallback(of file: StagedFile, _ local: LocalParts) throws -> StagedContent? {
        try local.store.read { try $0.fallback(of: file.inode) }
    }

    @Test("flushed content comes back when a cut takes its replacement")
    func cut() throws {
        var local = try open()
        let first = try create(local)
        try local.staging.flush()
        let second = try replace(first, by: "second", local)
        #expect(try fallback(of: second, local)?.file == first.number && exists(first))
        local = try openAfterCut(local)
        #expect(try content(first.inode, local) == "first")
        #expect(try local.store.read { try $0.journalEntry(of: first.inode) } != nil)
        #expect(local.staging.found.map(\.reason) == [.notFlushed])
        #expect(try fallback(of: first, local) == nil)
        // It is on the disk, as it was before.
        local = try openAfterCut(local)
        #expect(try content(first.inode, local) == "first" && local.staging.found.isEmpty)
    }

    @Test(
        "the death of the process leaves the last write, and the fallback for a cut after that"
    )
    func death() throws {
        var local = try open()
        let first = try create(local)
        try local.staging.flush()
        _ = try replace(first, by: "second", local)
        local = try open()
        #expect(try content(first.inode, local) == "second" && local.staging.found.isEmpty)
        #expect(try fallback(of: first, local) != nil)
        local = try openAfterCut(local)
        #expect(try content(first.inode, local) == "first")
    }

    @Test("once the disk has its replacement, flushed content goes")
    func flushed() async throws {
        var local = try open()
        let first = try create(local)
        try local.staging.flush()
        let second = try replace(first, by: "second", local)
        try local.staging.flush()
        #expect(try fallback(of: second, local) == nil)
        try await waitWhile { exists(first) }
        local = try openAfterCut(local)
        #expect(try content(first.inode, local) == "second" && local.staging.found.isEmpty)
    }

    @Test(
        "content that replaces fsynced content is flushed with its rows, and so is a write over that"
    )
    func promised() throws {
        var local = try open()
        let first = try create(local)
        try first.synchronize(promising: true)
        try local.store.write { try first.persist(in: $0) }
        let second = try replace(first, by: "second", local)
        try local.store.write { try put("second, longer", into: second, $0) }
        #expect(try local.store.read { try $0.node(second.inode)?.staged?.isFlushed } == true)
        local = try openAfterCut(local)
        #expect(try content(first.inode, local) == "second, longer")
    }

    @Test("an fsync of its replacement ends the fallback, too")
    func synchronized() throws {
        let local = try open()
        let first = try create(local)
        try local.staging.flush()
        let second = try replace(first, by: "second", local)
        try second.synchronize(promising: true)
        try local.store.write { try second.persist(in: $0) }
        #expect(try fallback(of: second, local) == nil)
    }

    @Test(
        "of several versions that no flush has reached, the flushed one before them is the fallback"
    )
    func several() throws {
        var local = try open()
        let first = try create(local)
        try local.staging.flush()
        let second = try replace(first, by: "second", local)
        let third = try replace(second, by: "third", local)
        #expect(try fallback(of: third, local)?.file == first.number)
        local = try openAfterCut(local)
        #expect(try content(first.inode, local) == "first")
    }

    @Test("deleted or never flushed content leaves no fallback")
    func none() throws {
        let local = try open()
        let first = try create(local)
        let second = try replace(first, by: "second", local)
        #expect(try fallback(of: second, local) == nil)
        try local.staging.flush()
        let third = try replace(second, by: "third", local)
        #expect(try fallback(of: third, local)?.file == second.number)
        try local.store.write { try $0.removeStaged(of: third.inode) }
        #expect(try fallback(of: third, local) == nil)
        #expect(
            try local.store.read { try $0.endedFiles() }.isSuperset(of: [
                first.number, second.number,
            ]))
    }

    @Test("a fallback that cannot be vouched for is put aside with its replacement")
    func damaged() throws {
        var local = try open()
        let first = try create(local)
        try local.staging.flush()
        _ = try replace(first, by: "second", local)
        #expect(truncate(folder + "/staging/\(first.number)", 2) == 0)
        local = try openAfterCut(local)
        #expect(try local.store.read { try $0.node(first.inode) } == nil)
        #expect(Set(local.staging.found.map(\.reason)) == [.notFlushed, .unknown])
    }

    @Test("content that consists of parts of a revision alone needs no staging file")
    func withoutFile() throws {
        var local = try open()
        let file = try local.store.write { transaction in
            let inode = try transaction.insertRemote(
                .file, at: Place(parent: .root, name: try FileName("f")),
                facts: RemoteFacts(
                    id: FileID("id:1"), revision: Revision("0123456789"), size: 9 << 20))
            let base = StagedContent.Base(
                revision: Revision("0123456789"), hash: .init(blockDigests: []), size: 9 << 20,
                limit: 9 << 20)
            let file = try local.staging.begin(
                inode, base: base, size: base.size, in: transaction)
            try file.persist(in: transaction)
            return file
        }
        // No flush has brought its name to the disk.
        #expect(unlink(folder + "/staging/\(file.number)") == 0)
        local = try openAfterCut(local)
        #expect(try local.staging.existing(file.inode)?.size == 9 << 20)
    }
}
