// Groups of changes and power cuts, which may keep later writes and take the ones before them.

import Core
import Foundation
import Testing

@testable import MetadataStore

extension ChangeGroupTests {
    @Test(
        "a record is not repeated if a cut has taken a commit that was made before it",
        arguments: [false, true])
    func lostCommit(ofUsers: Bool) throws {
        let store = try Self.store(path)
        try add("a", to: store)
        try store.synchronize()
        let before = try Self.rows(store)
        let cut = try Self.crash(path)
        if ofUsers {
            // More statements than a record has.
            try store.change(due: { _ in .atOnce }) { transaction in
                for number in 0..<5000 {
                    _ = try transaction.insert(
                        .folder, at: place("b\(number)"), local: LocalFacts())
                }
            }
        } else {
            try store.write {
                _ = try $0.insert(.folder, at: place("b"), local: LocalFacts())
            }
        }
        try add("c", to: store)
        // The disk has the record, and not the commit.
        try? FileManager.default.removeItem(atPath: cut + "-changes")
        try FileManager.default.copyItem(atPath: path + "-changes", toPath: cut + "-changes")
        #expect(try Self.rows(afterCrash: cut) == before)
        #expect(try Self.rows(afterCrash: Self.crash(path)) == Self.rows(store))
    }
}
