// Users of the mount who give any name that POSIX allows, also one that the server cannot have. Not
// responsible for the rules of `LocalChanges`, which FileSystemTests test.

import Core
import MetadataStore
import Staging

@testable import Sync
@testable import Tree

extension Harness {
    /// A user makes a file in the root.
    @discardableResult
    func make(_ name: String, _ text: String) async throws -> InodeID {
        let inode = try await store.write { [staging, posix] transaction in
            let name = try transaction.name(shownAs: FileName(name), in: .root, for: nil)
            let inode = try transaction.insert(
                .file, at: Place(parent: .root, name: name), local: LocalFacts(modified: .now()))
            let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
            _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
            try file.persist(in: transaction)
            try transaction.settleFacts(of: inode, by: posix)
            return inode
        }
        noteChange()
        return inode
    }

    /// A user renames a node of the root.
    func rename(_ name: String, to new: String) async throws {
        try await store.write { [posix] transaction in
            let node = try transaction.existing(
                Place(parent: .root, name: FileName(shown: Array(name.utf8))))
            let name = try transaction.name(shownAs: FileName(new), in: .root, for: node.inode)
            try transaction.move(node.inode, to: Place(parent: .root, name: name))
            try transaction.shareName(of: transaction.existing(node.inode), by: posix)
        }
        noteChange()
    }

    /// The names that users see in the root, and those of the server for them.
    func names() async throws -> [String: String] {
        let children = try await store.read { try $0.children(of: .root) }
        return Dictionary(uniqueKeysWithValues: children.map { ($0.name.text, $0.name.string) })
    }
}
