// Translates paths of commands to nodes and back, and database errors to command errors.

import Core
import FileSystem
import MetadataStore
import Mounting

/// The tree of a mount, by paths.
struct MountPaths: Sendable {
    let mountpoint: String
    let foldsCase: Bool
    let store: MetadataStore

    /// The node at a path of the mount.
    func inode(at path: String) throws(CommandError) -> InodeID {
        let names = try names(in: path)
        let found = try asking { [foldsCase] snapshot in
            var current = InodeID.root
            for name in names {
                let node =
                    try foldsCase
                    ? snapshot.child(folding: name, of: current)
                    : snapshot.child(name, of: current)
                guard let node else { return InodeID?.none }
                current = node.inode
            }
            return current
        }
        guard let found else { throw .nothingThere("\(mountpoint)\(path)") }
        return found
    }

    /// The components of a path on the mount. Swift takes a slash and a combining character behind
    /// it, with which a name may begin, for one character.
    func names(in path: String) throws(CommandError) -> [FileName] {
        var names: [FileName] = []
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            guard let name = try? FileName(utf8: component) else {
                throw .nothingThere("\(mountpoint)\(path)")
            }
            names.append(name)
        }
        return names
    }

    /// The path on the mount with these components; "" for its root.
    static func path(_ names: some Sequence<FileName>) -> String {
        names.map { "/" + $0.text }.joined()
    }

    /// Reads from the database.
    func asking<Value>(_ body: (Snapshot) throws -> Value) throws(CommandError) -> Value {
        do {
            return try store.read(body)
        } catch {
            throw Self.databaseFailed(error)
        }
    }

    static func databaseFailed(_ error: any Error) -> CommandError {
        .system("the local database failed: \(error)")
    }
}
