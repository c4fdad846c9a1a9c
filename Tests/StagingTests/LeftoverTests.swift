// Staging files whose content has ended, and that a killed process has left: they stay for the
// cache, over further kills.

import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite struct LeftoverTests {
    private let folder = TemporaryFolder.make()
    private var staged: String { folder + "/staging" }

    private func open() throws -> LocalParts {
        // A process that is killed removes nothing.
        try LocalParts(in: folder, removalDelay: 3600)
    }

    /// Writes a file, and ends its content as a recorded response does.
    private func end(_ text: String, as name: String, _ local: LocalParts) throws -> Int64 {
        try local.store.write { transaction in
            let place = Place(parent: .root, name: try FileName(name))
            let inode = try transaction.insert(.file, at: place, local: LocalFacts())
            let file = try local.staging.begin(inode, base: nil, size: 0, in: transaction)
            _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
            try file.persist(in: transaction)
            try transaction.removeStaged(of: inode)
            return file.number
        }
    }

    private func isThere(_ number: Int64) -> Bool {
        FileManager.default.fileExists(atPath: "\(staged)/\(number)")
    }

    @Test("an ended file stays over further kills until it is removed, and is never lost content")
    func stays() throws {
        var local = try open()
        let (one, other) = (try end("text", as: "a", local), try end("longer", as: "b", local))
        for _ in 0..<3 {
            local = try open()
            #expect(
                local.staging.leftovers == [
                    LeftoverFile(number: one, size: 4), LeftoverFile(number: other, size: 6),
                ])
            #expect(local.staging.found.isEmpty)
            #expect(isThere(one) && isThere(other))
        }
        local.staging.removeFile(one)
        local.staging.removeUnneeded()
        #expect(!isThere(one))
        local = try open()
        #expect(local.staging.leftovers.map(\.number) == [other])
        #expect(local.staging.found.isEmpty)
    }

    @Test("a start drops the marks of ended files, besides those that are still there")
    func marks() throws {
        var local = try open()
        let (gone, kept) = (try end("text", as: "a", local), try end("text", as: "b", local))
        #expect(unlink("\(staged)/\(gone)") == 0)
        #expect(try local.ended == [gone, kept])
        local = try open()
        #expect(try local.ended == [kept])
        #expect(unlink("\(staged)/\(kept)") == 0)
        local = try open()
        #expect(try local.ended.isEmpty && local.staging.leftovers.isEmpty)
    }

    @Test("an empty ended file is removed at once")
    func empty() throws {
        var local = try open()
        let number = try end("", as: "a", local)
        #expect(isThere(number))
        local = try open()
        #expect(!isThere(number))
        #expect(local.staging.leftovers.isEmpty && local.staging.found.isEmpty)
        #expect(try local.ended.isEmpty)
    }

    @Test("no new file gets the number of a leftover")
    func numbers() throws {
        var local = try open()
        let number = try end("text", as: "a", local)
        local = try open()
        #expect(try end("text", as: "b", local) > number)
        #expect(local.staging.leftovers.map(\.number) == [number])
    }
}

extension LocalParts {
    /// The numbers of files that were removed on purpose.
    fileprivate var ended: Set<Int64> {
        get throws { try store.read { try $0.endedFiles() } }
    }
}
