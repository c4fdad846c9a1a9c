// The database's tables and their migrations. One database per account; it holds the tree, the
// journal, and the cursors.
//
// Some names are older than the glossary's terms: `twin`, `attempt`, `departure`, `eviction` and
// `node.met`. They stay, because `DatabaseInspection` reads the files of earlier versions as they
// are, with the statements of this one, and because a version before the renaming would refuse the
// database. docs/glossary.md has both names. New tables and columns have the terms.

import GRDB

enum Schema {
    /// Every migration that ever shipped, in order. A migration is never edited once released.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(sql: version1)
        }
        migrator.registerMigration("2") { database in
            try database.execute(sql: version2)
        }
        migrator.registerMigration("3") { database in
            try database.execute(sql: version3)
        }
        migrator.registerMigration("4") { database in
            try database.execute(sql: version4)
        }
        migrator.registerMigration("5") { database in
            try database.execute(sql: version5)
        }
        migrator.registerMigration("6") { database in
            try database.execute(sql: version6)
        }
        migrator.registerMigration("7") { database in
            try database.execute(sql: version7)
        }
        migrator.registerMigration("8") { database in
            try database.execute(sql: version8)
        }
        migrator.registerMigration("9") { database in
            try database.execute(sql: version9)
        }
        migrator.registerMigration("10") { database in
            try database.execute(sql: version10)
        }
        migrator.registerMigration("11") { database in
            try database.execute(sql: version11)
        }
        migrator.registerMigration("12") { database in
            try database.execute(sql: version12)
        }
        // `node.kind` may be a FIFO or a socket, which earlier versions take for damage. So they
        // refuse the database with a sentence.
        migrator.registerMigration("13") { _ in }
        // The last changes may be in the change log, of which earlier versions know nothing.
        migrator.registerMigration("14") { _ in }
        migrator.registerMigration("15") { database in
            try database.execute(sql: version15)
        }
        migrator.registerMigration("16") { database in
            try database.execute(sql: version16)
        }
        migrator.registerMigration("17") { database in
            try database.execute(sql: version17)
        }
        return migrator
    }

    /// `node`: one row per inode.
    /// - `parent`, `fold`, `name`: its place in the local tree. `parent` is NULL for none. `fold`
    ///   is the key under which the server files the name, or is predicted to. `name` is NULL if it
    ///   equals `fold`, as most names do.
    /// - `remote`: its place on the server: 0 none, 1 the same place, 2 the place in `displaced`.
    ///   So renaming a folder changes one row here and one for the server, and a clean tree stores
    ///   each place once.
    /// - `id` … `shared` are the server's facts, `permissions` … `changed` the local ones. A delta
    ///   replaces the first and leaves the second.
    /// - `met`: seen, by the number of the last full listing that contained the node. The number of
    ///   the current listing is a setting.
    ///
    /// `journal`: the nodes with unsent changes. `staged`: their staged content, and the blocks
    /// that it has. `twin`: pending copies. `upload` and `piece`: upload sessions and their pieces.
    /// `attempt`: upload intents. `departure`: previous paths of folders. `eviction`: detached open
    /// files.
    private static let version1 = """
        CREATE TABLE node (
            inode INTEGER PRIMARY KEY AUTOINCREMENT,
            kind INTEGER NOT NULL,
            parent INTEGER,
            fold TEXT,
            name TEXT,
            remote INTEGER NOT NULL DEFAULT 0,
            flags INTEGER NOT NULL DEFAULT 0,
            met INTEGER NOT NULL DEFAULT 0,
            id TEXT,
            revision TEXT,
            size INTEGER NOT NULL DEFAULT 0,
            hash BLOB,
            client_modified INTEGER,
            server_modified INTEGER,
            target TEXT,
            shared TEXT,
            permissions INTEGER,
            user INTEGER,
            "group" INTEGER,
            accessed INTEGER,
            modified INTEGER,
            changed INTEGER
        );
        CREATE UNIQUE INDEX node_place ON node(parent, fold) WHERE parent IS NOT NULL;
        CREATE UNIQUE INDEX node_id ON node(id) WHERE id IS NOT NULL;
        CREATE INDEX node_nowhere ON node(inode) WHERE parent IS NULL;
        CREATE TABLE displaced (
            inode INTEGER PRIMARY KEY,
            parent INTEGER NOT NULL,
            fold TEXT NOT NULL,
            name TEXT NOT NULL
        );
        CREATE UNIQUE INDEX displaced_place ON displaced(parent, fold);
        CREATE TABLE journal (
            inode INTEGER PRIMARY KEY,
            sequence INTEGER NOT NULL,
            due INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            problem TEXT
        );
        CREATE INDEX journal_due ON journal(due, sequence);
        CREATE INDEX journal_sequence ON journal(sequence);
        CREATE TABLE staged (
            inode INTEGER PRIMARY KEY,
            file INTEGER NOT NULL UNIQUE,
            size INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            base_revision TEXT,
            base_hash BLOB,
            base_size INTEGER NOT NULL DEFAULT 0,
            base_limit INTEGER NOT NULL DEFAULT 0,
            blocks BLOB NOT NULL,
            hash BLOB
        );
        CREATE TABLE twin (
            inode INTEGER PRIMARY KEY,
            source INTEGER NOT NULL,
            source_generation INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            revision TEXT
        );
        CREATE INDEX twin_source ON twin(source);
        CREATE TABLE upload (
            inode INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            file INTEGER NOT NULL,
            size INTEGER,
            begun INTEGER NOT NULL
        );
        CREATE TABLE piece (
            inode INTEGER NOT NULL,
            start INTEGER NOT NULL,
            digests BLOB NOT NULL,
            PRIMARY KEY (inode, start)
        ) WITHOUT ROWID;
        CREATE TABLE attempt (
            id INTEGER PRIMARY KEY,
            inode INTEGER NOT NULL,
            parent INTEGER,
            fold TEXT,
            hash BLOB,
            target TEXT
        );
        CREATE INDEX attempt_move ON attempt(id) WHERE target IS NOT NULL;
        CREATE INDEX attempt_inode ON attempt(inode);
        CREATE INDEX attempt_place ON attempt(parent, fold);
        CREATE TABLE departure (
            inode INTEGER NOT NULL,
            parent INTEGER NOT NULL,
            fold TEXT NOT NULL
        );
        CREATE INDEX departure_place ON departure(parent, fold);
        CREATE TABLE eviction (
            inode INTEGER PRIMARY KEY,
            parent INTEGER NOT NULL,
            name TEXT NOT NULL
        );
        CREATE TABLE attribute (
            inode INTEGER NOT NULL,
            name TEXT NOT NULL,
            value BLOB NOT NULL,
            PRIMARY KEY (inode, name)
        ) WITHOUT ROWID;
        CREATE TABLE setting (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) WITHOUT ROWID;
        INSERT INTO node (inode, kind, parent, remote) VALUES (1, 0, NULL, 1);
        """
    /// `pin`: the nodes whose content, and that of everything below them, is kept on this disk.
    private static let version2 = """
        CREATE TABLE pin (
            inode INTEGER PRIMARY KEY
        );
        """
    /// Local-only nodes are counted often, and are few as a rule.
    private static let version3 = """
        CREATE INDEX node_local ON node(inode) WHERE flags & 16 <> 0;
        """
    /// `fold` is the server's key of a name. If that differs from the predicted key, `name` is not
    /// NULL and a flag is set, so that an index finds the row by the exact name. Earlier versions
    /// stored the predicted key for the server, too. So a tree with a name that is not ASCII is
    /// compared with the server once.
    private static let version4 = """
        CREATE INDEX node_foreign ON node(parent, name) WHERE flags & 64 <> 0;
        UPDATE setting SET value = '' WHERE key = 'feed.root'
            AND EXISTS (SELECT 1 FROM node WHERE length(fold) <> length(CAST(fold AS BLOB)));
        """
    /// - `staged.flushed`: the newest generation that was flushed.
    /// - `staged.promised`: the newest generation that an fsync has acknowledged.
    /// - `staged.stamp`: the modification time of the staging file when the row was written. If the
    ///   file has a later one, it has bytes that the row does not describe.
    /// - `ended`: staging files whose row was removed on purpose. Any other file without a row is
    ///   lost content.
    /// - `attempt.sent`, `attempt.modified`: when a commit was sent, and the modification time that
    ///   was sent with it.
    private static let version5 = """
        ALTER TABLE staged ADD COLUMN flushed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE staged ADD COLUMN promised INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE staged ADD COLUMN stamp INTEGER;
        CREATE TABLE ended (
            file INTEGER PRIMARY KEY
        );
        ALTER TABLE attempt ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE attempt ADD COLUMN modified INTEGER;
        """
    /// `unconfirmed`: nodes that this mount has created or moved and that no delta has contained
    /// yet.
    private static let version6 = """
        CREATE TABLE unconfirmed (
            id TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        """
    /// `fallback`: flushed rows of `staged` whose successors may not be flushed yet. Same columns,
    /// in the same order.
    private static let version7 = """
        CREATE TABLE fallback (
            inode INTEGER PRIMARY KEY,
            file INTEGER NOT NULL UNIQUE,
            size INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            base_revision TEXT,
            base_hash BLOB,
            base_size INTEGER NOT NULL,
            base_limit INTEGER NOT NULL,
            blocks BLOB NOT NULL,
            hash BLOB,
            flushed INTEGER NOT NULL,
            promised INTEGER NOT NULL,
            stamp INTEGER
        );
        """
    /// From here on the journal is derived from the rows; it is rebuilt. Folders that were deleted
    /// on the server and are not in the journal are kept for their local-only contents. A link that
    /// the server no longer has cannot be sent.
    private static let version8 = """
        CREATE INDEX node_kept ON node(parent) WHERE flags & 256 <> 0;
        UPDATE node SET flags = flags | 16
            WHERE kind = 2 AND remote = 0 AND parent IS NOT NULL AND flags & 16 = 0;
        UPDATE node SET flags = flags | 256
            WHERE kind = 0 AND remote = 0 AND parent IS NOT NULL AND flags & 16 = 0
                AND inode NOT IN (SELECT inode FROM journal);
        CREATE TEMPORARY TABLE owed AS SELECT inode FROM node
            WHERE inode <> 1 AND flags & 16 = 0 AND CASE
                WHEN parent IS NULL THEN remote = 2
                WHEN remote = 0 THEN flags & 256 = 0
                WHEN remote = 2 THEN 1
                ELSE EXISTS (SELECT 1 FROM staged WHERE staged.inode = node.inode) END;
        DELETE FROM journal WHERE inode NOT IN (SELECT inode FROM owed);
        INSERT INTO journal (inode, sequence, due)
            SELECT inode, (SELECT coalesce(max(sequence), 0) FROM journal)
                + row_number() OVER (ORDER BY inode), 0
            FROM owed WHERE inode NOT IN (SELECT inode FROM journal);
        DROP TABLE owed;
        """
    /// `search`: deleted folders whose last moment is not examined yet. `own_deletion`: revisions
    /// of files that users have deleted since the first of them.
    private static let version9 = """
        CREATE TABLE search (
            number INTEGER PRIMARY KEY,
            folder TEXT,
            place TEXT NOT NULL,
            folders BLOB NOT NULL,
            cursor TEXT NOT NULL,
            sent INTEGER NOT NULL,
            confirmed INTEGER NOT NULL
        );
        CREATE TABLE own_deletion (
            revision TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        """
    /// `attempt.age`: how many times it was found unanswered, a quarter of an hour apart at least,
    /// counted anew by each process.
    private static let version10 = """
        ALTER TABLE attempt ADD COLUMN age INTEGER NOT NULL DEFAULT 0;
        """
    /// `attempt.folder`: the path of keys by which a new node's folder was named to the server. If
    /// others had moved the folder, the server made another one of that path.
    private static let version11 = """
        ALTER TABLE attempt ADD COLUMN folder TEXT;
        DROP INDEX attempt_place;
        CREATE INDEX attempt_name ON attempt(fold);
        """
    /// `aside`: staging files that no row names and that are to be moved to lost+found, each
    /// with its note. A row that is left after the move is dropped by the next start.
    private static let version12 = """
        CREATE TABLE aside (
            file INTEGER PRIMARY KEY,
            note TEXT NOT NULL
        );
        """
    /// `own`: the bytes under which users see a node whose name is an alias. NULL if the name is
    /// what they see. A node keeps it while the server has it elsewhere, or an open file while it
    /// is detached. `own_fold`: the key that the server would have for it.
    private static let version15 = """
        ALTER TABLE node ADD COLUMN own BLOB;
        ALTER TABLE node ADD COLUMN own_fold TEXT;
        ALTER TABLE displaced ADD COLUMN own BLOB;
        ALTER TABLE eviction ADD COLUMN own BLOB;
        CREATE UNIQUE INDEX node_own ON node(parent, own) WHERE own IS NOT NULL;
        CREATE INDEX node_own_fold ON node(parent, own_fold) WHERE own IS NOT NULL;
        """
    /// `told`: the facts that the server has of a node, as their text; no row for none.
    private static let version16 = """
        CREATE TABLE told (
            inode INTEGER PRIMARY KEY,
            facts TEXT NOT NULL
        );
        """
    /// `problem_lasts`: whether the problem stays until something changes. Those that an earlier
    /// version has noted count as passing until the next try, which notes them anew.
    private static let version17 = """
        ALTER TABLE journal ADD COLUMN problem_lasts INTEGER NOT NULL DEFAULT 0;
        """
}
