// The facts (`PosixFacts`) that the server has of each node. Not responsible for what users see:
// those are the local facts, which differ while they are unsent.

package import Core
import Foundation
import GRDB

extension TreeReading {
    /// The facts that the server has of a node; nil for none.
    package func toldFacts(of inode: InodeID) throws -> PosixFacts? {
        // A damaged text counts as none: the server tells the facts again.
        try database.text("SELECT facts FROM told WHERE inode = ?", [inode.column])
            .flatMap { PosixFacts(text: $0) }
    }

    /// Whether a delta has once told of other facts of a file and of nothing else. That the feed
    /// does so is not documented.
    package func feedTellsFacts() throws -> Bool {
        try setting(StoredSetting.feedTellsFacts) != nil
    }

    /// The files whose facts may name the target of a link.
    package func filesToldAsLinks() throws -> [Node] {
        try nodes(toldWord: "l=", "node.kind = ?", [NodeKind.file.rawValue])
    }

    /// The nodes of a folder that are seen under the names that the server has, although another
    /// machine has told own names. With `onlyMarked`, only those whose names have a mark of
    /// `Alias`, which costs less in a large folder.
    package func nodesWithoutToldNames(
        of parent: InodeID, onlyMarked: Bool
    ) throws -> [Node] {
        // A name that equals its key has a row without it.
        let mark =
            onlyMarked
            ? " AND coalesce(node.name, node.fold) LIKE '%\(Alias.Mark.word)%'" : ""
        return try nodes(
            toldWord: "n=", "node.parent = ? AND node.own IS NULL" + mark, [parent.column])
    }

    /// The nodes that meet a condition and whose facts have a word that begins so
    /// (`PosixFacts.text`).
    private func nodes(
        toldWord word: String, _ condition: String, _ arguments: Arguments
    ) throws -> [Node] {
        try nodes(
            """
            WHERE \(condition) AND EXISTS
                (SELECT 1 FROM told WHERE told.inode = node.inode AND facts LIKE '% \(word)%')
            """, arguments)
    }

    /// Whether the server has facts of any node.
    package func hasToldFacts() throws -> Bool {
        try database.number("SELECT 1 FROM told LIMIT 1") != nil
    }

    /// A node's extended attributes with values of at most as many bytes, by their names.
    package func attributes(
        of inode: InodeID, upTo limit: Int = .max
    ) throws -> [(name: String, value: [UInt8])] {
        let statement = try database.cachedStatement(
            sql:
                "SELECT name, value FROM attribute WHERE inode = ? AND length(value) <= ? ORDER BY name"
        )
        return try Row.fetchAll(statement, arguments: [inode.column, limit]).map { row in
            (row[0] as String, Array(row[1] as Data))
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
