// Mounts that share modes, times and attributes, and their users who change these. Not responsible
// for the rules of sharing, which are of Tree.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

@testable import Sync
@testable import Tree

extension Harness {
    /// A mount that shares facts, of an account that keeps them.
    static func sharing(_ rules: PosixRules = PosixRules(isShared: true)) throws -> Harness {
        try Harness(server: InMemoryStore(keepsFacts: true), posix: rules)
    }

    /// A user changes a node's facts.
    func change(
        _ path: String, timeIsSet: Bool = false,
        _ body: @escaping @Sendable (inout LocalFacts) -> Void
    ) async throws {
        try await store.write { [posix] transaction in
            let node = try transaction.existing(transaction.place(path))
            var local = node.local
            body(&local)
            try transaction.setLocal(local, of: node.inode)
            try transaction.settleFacts(of: node.inode, by: posix, timeIsSet: timeIsSet)
        }
        noteChange()
    }

    func chmod(_ path: String, _ bits: UInt16) async throws {
        history.note("user chmod \(path) \(String(bits, radix: 8))")
        try await change(path) { $0.permissions = bits }
    }

    func setAttribute(_ path: String, _ name: String, _ value: [UInt8]?) async throws {
        try await store.write { [posix] transaction in
            let inode = try transaction.existing(transaction.place(path)).inode
            if let value {
                try transaction.setAttribute("user." + name, of: inode, to: value)
            } else {
                try transaction.removeAttribute("user." + name, of: inode)
            }
            try transaction.settleFacts(of: inode, by: posix)
        }
        noteChange()
    }

    func node(_ path: String) async throws -> Node {
        try await store.read { try $0.existing($0.place(path)) }
    }

    func attributes(_ path: String) async throws -> [String: [UInt8]] {
        try await store.read { snapshot in
            let inode = try snapshot.existing(snapshot.place(path)).inode
            return Dictionary(
                uniqueKeysWithValues: try snapshot.attributes(of: inode).map { ($0.name, $0.value) }
            )
        }
    }

    func calls(_ operation: RemoteOperation) -> Int {
        faulty.calls.filter { $0.operation == operation }.count
    }

    /// Settles, and waits for the deltas of all that happened.
    func settleFully() async throws {
        try await settle()
        try await finishDeltas()
    }
}
