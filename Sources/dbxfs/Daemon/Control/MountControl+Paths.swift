// Translates paths of commands to nodes and back, and database errors to command errors.

import Core
import FileSystem
import MetadataStore
import Mounting

extension MountControl {
    /// The node at a path of the mount.
    func inode(at path: String) throws(CommandError) -> InodeID {
        let foldsCase = plan.settings.names == .fold
        let found = try asking { snapshot in
            var current = InodeID.root
            for component in path.split(separator: "/") {
                guard let name = try? FileName(String(component)),
                    let node = try foldsCase
                        ? snapshot.child(folding: name, of: current)
                        : snapshot.child(name, of: current)
                else { return InodeID?.none }
                current = node.inode
            }
            return current
        }
        guard let found else { throw .nothingThere("\(mountpoint)\(path)") }
        return found
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
