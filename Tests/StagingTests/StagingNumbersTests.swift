// The numbers of staging files: none is used twice, after any end of transactions and processes.

import Core
import Foundation
import MetadataStore
import TestSupport
import Testing

@testable import Staging

@Suite struct StagingNumbersTests {
    private struct Refused: Error {}

    private let folder = TemporaryFolder.make()
    private let database: MemoryDatabase

    init() throws {
        database = try MemoryDatabase()
    }

    private func open() throws -> (store: MetadataStore, staging: StagingArea) {
        let store = try MetadataStore(database) { _ in }
        let staging = try StagingArea(directory: folder + "/staging", store: store)
        return (store, staging)
    }

    /// Begins a file, and returns its number.
    private func begin(
        _ name: String, _ parts: (store: MetadataStore, staging: StagingArea), fails: Bool = false
    ) throws -> Int64 {
        var number: Int64 = 0
        do {
            try parts.store.write { transaction in
                let place = Place(parent: .root, name: try FileName(name))
                var node = try transaction.insertNode(.file, at: place, local: LocalFacts())
                number = try parts.staging.beginNew(&node, in: transaction).number
                #expect(try transaction.node(node.inode) == node)
                if fails { throw Refused() }
            }
        } catch is Refused {}
        return number
    }

    @Test("every file has a number of its own, also after a start")
    func distinct() throws {
        var numbers: [Int64] = []
        for round in 0..<3 {
            let parts = try open()
            for number in 0..<100 { numbers.append(try begin("\(round) \(number)", parts)) }
        }
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers == numbers.sorted())
    }

    @Test(
        "a transaction that is rolled back gives its numbers back, because its files are there",
        arguments: [0, 1, 63, 64])
    func rolledBack(before: Int) throws {
        let parts = try open()
        var numbers = try (0..<before).map { try begin("a\($0)", parts) }
        let refused = try begin("b", parts, fails: true)
        numbers.append(try begin("c", parts))
        #expect(numbers.last == refused)
        #expect(Set(numbers).count == numbers.count)
        // The reservation was rolled back with the transaction that made it, or stays.
        for number in 0..<70 { numbers.append(try begin("d\(number)", parts)) }
        #expect(Set(numbers).count == numbers.count)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder + "/staging")
        #expect(files.count == numbers.count)
    }
}
