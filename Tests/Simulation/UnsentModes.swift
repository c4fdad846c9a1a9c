// The modes that users have set and that their mount has not sent: they stay, although other
// machines set other ones. Not responsible for the modes of the server (`Modes.swift`).

import Core
import MetadataStore

/// The modes of nodes since whose change a mount has sent nothing.
struct UnsentModes {
    private struct Key: Hashable {
        var mount: ObjectIdentifier
        var inode: InodeID
    }

    private struct Mode {
        var bits: UInt16
        /// The changes that the mount had sent before.
        var changes: Int
    }

    private var modes: [Key: Mode] = [:]

    /// A user has set a mode; `isShared`: deltas may tell another one, which users of another mount
    /// have set, or will, or this mount itself before.
    mutating func note(
        _ bits: UInt16, of node: Node, _ process: MountProcess, isShared: Bool
    ) {
        let key = Key(mount: ObjectIdentifier(process), inode: node.inode)
        let isOwed = node.flags.contains(.factsOwed) && !isShared
        modes[key] = isOwed ? Mode(bits: bits, changes: process.link.changes) : nil
    }

    /// Forgets the modes of nodes that users have removed: one that comes back has the server's.
    mutating func forgetRemoved(among processes: [MountProcess]) throws {
        for process in processes where !process.isDead.isSet {
            for key in modes.keys where key.mount == ObjectIdentifier(process) {
                if try process.store.read({ try $0.node(key.inode) })?.place == nil {
                    modes[key] = nil
                }
            }
        }
    }

    /// A node that has another mode, although nothing was sent; forgets those of processes that
    /// have ended or have sent something.
    mutating func changed(among processes: [MountProcess]) throws -> Node? {
        let known = Dictionary(processes.map { (ObjectIdentifier($0), $0) }) { $1 }
        modes = modes.filter { key, mode in known[key.mount]?.link.changes == mode.changes }
        for (key, mode) in modes.sorted(by: { $0.key.inode.rawValue < $1.key.inode.rawValue }) {
            guard let store = known[key.mount]?.store,
                let node = try store.read({ try $0.node(key.inode) }), node.place != nil
            else {
                modes[key] = nil
                continue
            }
            if let now = node.local.permissions, now & 0o777 != mode.bits { return node }
            // Another machine has told the same mode.
            if !node.flags.contains(.factsOwed) { modes[key] = nil }
        }
        return nil
    }
}

extension World {
    /// Throws a `Violation` if a mode that users have set is another one before it was sent.
    func checkUnsentModes() throws {
        let running = mounts.compactMap(\.process).filter { !$0.isDead.isSet }
        guard let node = try unsentModes.changed(among: running) else { return }
        throw Violation(
            rule: "an unsent mode is replaced", detail: "\(node.inode) \(node.local)")
    }
}

extension Plan {
    /// Whether users of another mount set a mode.
    func sets(_ bits: UInt16, besides mount: Int) -> Bool {
        steps.contains { step in
            if case .user(let other, .chmod(_, bits)) = step { other != mount } else { false }
        }
    }
}
