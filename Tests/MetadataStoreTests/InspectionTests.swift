// Inspection of a database from outside: with a mount, after one, and when the file is none.

import Core
import Foundation
import MetadataStore
import Testing

@Suite struct InspectionTests {
    let path = TemporaryStore.path()

    private func pending() throws -> Int {
        try DatabaseInspection(path: path).read { try $0.pending().operations }
    }

    @Test("the queue shows while a mount has the database open, and after its end")
    func queue() throws {
        let store = try MetadataStore(path: path)
        #expect(try pending() == 0)
        try store.write { transaction in
            _ = try transaction.insert(.file, at: place("a"), local: LocalFacts())
        }
        #expect(try pending() == 1)
        try store.close()
        #expect(try pending() == 1)
        #expect(try DatabaseInspection(path: path).damage() == nil)
    }

    @Test("unsent changes in a shared folder are found by its ID, at any depth")
    func sharedFolder() throws {
        let store = try MetadataStore(path: path)
        let (inner, other) = try store.write { transaction in
            let facts = { RemoteFacts(id: FileID($0), sharedFolderID: $0) }
            let team = try transaction.insertRemote(.folder, at: place("t"), facts: facts("77"))
            let inner = try transaction.insertRemote(
                .folder, at: Place(parent: team, name: name("i")), facts: RemoteFacts())
            let other = try transaction.insertRemote(.folder, at: place("o"), facts: facts("78"))
            return (inner, other)
        }
        func unsent() throws -> [Bool] {
            try DatabaseInspection(path: path).read { snapshot in
                try ["77", "78", "79"].map { try snapshot.hasUnsent(inSharedFolder: $0) }
            }
        }
        #expect(try unsent() == [false, false, false])
        _ = try store.insert("new", in: inner)
        #expect(try unsent() == [true, false, false])
        _ = try store.insert("new", in: other)
        #expect(try unsent() == [true, true, false])
        try store.close()
    }

    @Test("an inspection leaves the rows that the next mount would clean up")
    func harmless() throws {
        let store = try MetadataStore(path: path)
        try store.write { transaction in
            let file = try transaction.insert(.file, at: place("a"), local: LocalFacts())
            try transaction.move(file, to: nil)
        }
        try store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        _ = try pending()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    }

    @Test("no file, and a file that is no database, are errors; damage is described")
    func damage() throws {
        #expect(throws: (any Error).self) { try pending() }
        #expect(!FileManager.default.fileExists(atPath: path))
        let store = try MetadataStore(path: path)
        try store.write { transaction in
            for number in 0..<2000 {
                _ = try transaction.insert(
                    .file, at: place("file \(number)"), local: LocalFacts())
            }
        }
        try store.close()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in bytes.indices.dropFirst(4096) where index % 4096 < 200 { bytes[index] = 0xaa }
        try bytes.write(to: URL(fileURLWithPath: path))
        var found: String?
        do { found = try DatabaseInspection(path: path).damage() } catch { found = "\(error)" }
        #expect(found != nil)
        try Data("nonsense, and more of it".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: (any Error).self) { try pending() }
    }
}
