// Adds the nodes of a listing, nearly all of which are new. Not responsible for the changes of
// those that the tree knows.

package import Core
import GRDB

extension Transaction {
    /// Adds a node that the server has, in the same local place, if neither the place nor the ID is
    /// known, and returns its inode. Otherwise changes nothing, and returns nil.
    ///
    /// Most entries of a listing are such nodes: one statement for each, instead of a dozen
    /// queries.
    package func insertIfUnknown(
        _ kind: NodeKind, at place: Place, facts: RemoteFacts, seenBy listing: Int64
    ) throws -> InodeID? {
        if place.name.own != nil { return nil }
        let fold = place.name.folded
        if try mayHaveClaims(), try isClaimed(place, fold: fold) { return nil }
        try run(
            """
            INSERT OR IGNORE INTO node (kind, parent, fold, name, remote, flags, met, id, revision,
                size, hash, client_modified, server_modified, target, shared)
            VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, row(kind, place, fold: fold, facts, listing))
        guard database.changesCount == 1 else { return nil }
        if end.unclaimed != nil { end.unclaimed = database.changesSoFar }
        return InodeID(column: database.lastInsertedRowID)
    }

    /// The values as they are: an array of `any ColumnConvertible` takes a tenth of all the time.
    private func row(
        _ kind: NodeKind, _ place: Place, fold: String, _ facts: RemoteFacts, _ listing: Int64
    ) -> Arguments {
        let flags = facts.flags.intersection(.remoteFacts).union(place.name.keyFlags)
        return Arguments([
            kind.rawValue.columnValue, place.parent.column.columnValue, .text(fold),
            .text(ifAny: nameColumn(place.name, fold: fold)), flags.rawValue.columnValue,
            .integer(listing), .text(ifAny: facts.id?.rawValue),
            .text(ifAny: facts.revision?.rawValue), facts.size.columnValue,
            facts.hash?.column ?? .null, facts.clientModified?.column ?? .null,
            facts.serverModified?.column ?? .null, facts.target?.columnValue ?? .null,
            .text(ifAny: facts.sharedFolderID),
        ])
    }

    /// Whether any place may be taken by what the index of places does not have. Asked again once
    /// another row has changed: a first listing adds all nodes while there is nothing of that.
    private func mayHaveClaims() throws -> Bool {
        if end.unclaimed == database.changesSoFar { return false }
        let mayHave =
            try database.number(
                """
                SELECT EXISTS (SELECT 1 FROM displaced)
                    OR EXISTS (SELECT 1 FROM attempt WHERE fold IS NOT NULL)
                    OR EXISTS (SELECT 1 FROM node WHERE own IS NOT NULL)
                """) != 0
        end.unclaimed = mayHave ? nil : database.changesSoFar
        return mayHave
    }

    /// Whether a node that is elsewhere for users has the place on the server, an intent may have
    /// put one there, or users see another node by the name.
    private func isClaimed(_ place: Place, fold: String) throws -> Bool {
        let predicted = place.name.key == nil ? fold : Folding.fold(place.name.string)
        return try database.number(
            """
            SELECT EXISTS (SELECT 1 FROM displaced WHERE parent = ?1 AND fold = ?2)
                OR EXISTS (SELECT 1 FROM attempt WHERE fold = ?2)
                OR EXISTS (SELECT 1 FROM attempt WHERE fold = ?3)
                OR EXISTS (SELECT 1 FROM node WHERE parent = ?1 AND own = ?4)
            """, [place.parent.column, fold, predicted, blob(place.name.shown)]) != 0
    }
}
