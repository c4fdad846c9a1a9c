// The facts (`PosixFacts`) that the server has of each node. Not responsible for what users see: those
// are the local facts, which differ while they are unsent.

package import Core
import GRDB

extension TreeReading {
    /// The facts that the server has of a node; nil for none.
    package func toldFacts(of inode: InodeID) throws -> PosixFacts? {
        // A damaged text counts as none: the server tells the facts again.
        try database.text("SELECT facts FROM told WHERE inode = ?", [inode.column])
            .flatMap { PosixFacts(text: $0) }
    }

    /// Whether the server has facts of any node.
    package func hasToldFacts() throws -> Bool {
        try database.number("SELECT 1 FROM told LIMIT 1") != nil
    }

    /// A node's extended attributes of users, by their names.
    package func attributes(of inode: InodeID) throws -> [(name: String, value: [UInt8])] {
        try attributeNames(of: inode).compactMap { name in
            try attribute(name, of: inode).map { (name, $0) }
        }
    }
}

extension Transaction {
    /// Notes the facts that the server has of a node.
    package func setToldFacts(_ facts: PosixFacts?, of inode: InodeID) throws {
        if let facts {
            try run(
                "INSERT OR REPLACE INTO told (inode, facts) VALUES (?, ?)",
                [inode.column, facts.text])
        } else {
            try run("DELETE FROM told WHERE inode = ?", [inode.column])
        }
    }
}
