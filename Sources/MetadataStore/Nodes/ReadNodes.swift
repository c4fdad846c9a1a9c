// The nodes that a transaction has read since it last changed a row: rules that look at one node,
// one after the other, read it once. Not responsible for reading them.

import Core
import GRDB

/// The last nodes that a transaction has read.
package final class ReadNodes {
    /// More than a user's change reads between two of its statements.
    private static let most = 8

    private enum Key {
        case inode(InodeID)
        case place(parent: InodeID, fold: String)

        /// By bytes: names in two compositions are two, but equal strings.
        func isSame(as other: Key) -> Bool {
            switch (self, other) {
            case (.inode(let one), .inode(let two)): one == two
            case (.place(let one, let fold), .place(let two, let key)):
                one == two && fold.utf8.elementsEqual(key.utf8)
            default: false
            }
        }
    }

    private var nodes: [(key: Key, node: Node?)] = []
    /// The count of changed rows when these nodes were read.
    private var changes: Int64 = 0

    /// The node of an inode, or its absence, as it was read; else as `fetch` reads it.
    func node(
        _ inode: InodeID, in database: Database, _ fetch: () throws -> Node?
    ) throws -> Node? {
        try node(.inode(inode), in: database, fetch)
    }

    /// The child that is filed under a key, likewise.
    func child(
        _ fold: String, of parent: InodeID, in database: Database, _ fetch: () throws -> Node?
    ) throws -> Node? {
        try node(.place(parent: parent, fold: fold), in: database, fetch)
    }

    /// Forgets all. A savepoint that is rolled back changes rows without counting them.
    func forget() {
        nodes = []
    }

    private func node(
        _ key: Key, in database: Database, _ fetch: () throws -> Node?
    ) throws -> Node? {
        let now = database.changesSoFar
        if changes != now {
            nodes.removeAll(keepingCapacity: true)
            changes = now
        }
        if let known = nodes.first(where: { $0.key.isSame(as: key) }) {
            assert(isStill(known.node, fetch), "a row has changed without being counted")
            return known.node
        }
        let node = try fetch()
        if nodes.count == Self.most { nodes.removeFirst() }
        nodes.append((key, node))
        return node
    }

    /// Whether a row is as it was read, if it can be read again: the statements of a cancelled task
    /// fail.
    private func isStill(_ node: Node?, _ fetch: () throws -> Node?) -> Bool {
        do { return try fetch() == node } catch { return true }
    }
}
