// Staging files that a start has decided to put aside: each has a row here, in place of its node's,
// until it lies in lost+found. Not responsible for the reasons, nor for the files, which are
// Staging's.

import GRDB

/// A staging file to be put aside.
package struct AsideFile: Hashable, Sendable {
    /// Number of the staging file.
    package var file: Int64
    /// The facts to be noted beside it, as Staging writes them.
    package var note: String

    /// Takes a file and its note.
    package init(file: Int64, note: String) {
        self.file = file
        self.note = note
    }
}

extension TreeReading {
    /// The staging files to be put aside, which may have been moved already.
    package func filesToPutAside() throws -> [AsideFile] {
        let statement = try database.cachedStatement(
            sql: "SELECT file, note FROM aside ORDER BY file")
        return try AsideFile.fetchEvery(statement)
    }
}

extension Transaction {
    /// Notes that a staging file is to be put aside. The caller ends the row that names it.
    package func announceAside(_ aside: AsideFile) throws {
        try run(
            "INSERT OR REPLACE INTO aside (file, note) VALUES (?, ?)", [aside.file, aside.note])
    }

    /// Drops all announcements, because the files were moved.
    package func forgetAside() throws {
        try run("DELETE FROM aside", [])
    }
}

extension AsideFile: RowReadable {
    static let table = "aside"

    init(_ row: Columns) throws {
        self.init(file: try row.number(0), note: try row.text(1))
    }
}
