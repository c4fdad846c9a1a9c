// The statements of every migration that ever shipped, kept as they were, from which the tests make
// databases of earlier versions. Never edited: a difference to `Schema` is an edited migration,
// after which two programs of one version have different databases.

import GRDB

@testable import MetadataStore

enum EarlierSchemas {
    /// A database of an earlier version, without content: the statements of the migrations up to
    /// it, with their names.
    static func statements(upTo version: Int) -> [(name: String, sql: String)] {
        let known = Schema.migrator.migrations
        return (1...version).filter { known.contains(String($0)) }
            .map { (String($0), all[$0] ?? "") }
    }

    /// By the number of the migration; 13 and 14 only tell earlier versions to refuse the database.
    private static let all: [Int: String] = [
        1: """
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
        """,
        2: """
        CREATE TABLE pin (
            inode INTEGER PRIMARY KEY
        );
        """,
        3: """
        CREATE INDEX node_local ON node(inode) WHERE flags & 16 <> 0;
        """,
        4: """
        CREATE INDEX node_foreign ON node(parent, name) WHERE flags & 64 <> 0;
        UPDATE setting SET value = '' WHERE key = 'feed.root'
            AND EXISTS (SELECT 1 FROM node WHERE length(fold) <> length(CAST(fold AS BLOB)));
        """,
        5: """
        ALTER TABLE staged ADD COLUMN flushed INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE staged ADD COLUMN promised INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE staged ADD COLUMN stamp INTEGER;
        CREATE TABLE ended (
            file INTEGER PRIMARY KEY
        );
        ALTER TABLE attempt ADD COLUMN sent INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE attempt ADD COLUMN modified INTEGER;
        """,
        6: """
        CREATE TABLE unconfirmed (
            id TEXT PRIMARY KEY
        ) WITHOUT ROWID;
        """,
        7: """
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
        """,
        8: """
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
        """,
        9: """
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
        """,
        10: """
        ALTER TABLE attempt ADD COLUMN age INTEGER NOT NULL DEFAULT 0;
        """,
        11: """
        ALTER TABLE attempt ADD COLUMN folder TEXT;
        DROP INDEX attempt_place;
        CREATE INDEX attempt_name ON attempt(fold);
        """,
        12: """
        CREATE TABLE aside (
            file INTEGER PRIMARY KEY,
            note TEXT NOT NULL
        );
        """,
        15: """
        ALTER TABLE node ADD COLUMN own BLOB;
        ALTER TABLE node ADD COLUMN own_fold TEXT;
        ALTER TABLE displaced ADD COLUMN own BLOB;
        ALTER TABLE eviction ADD COLUMN own BLOB;
        CREATE UNIQUE INDEX node_own ON node(parent, own) WHERE own IS NOT NULL;
        CREATE INDEX node_own_fold ON node(parent, own_fold) WHERE own IS NOT NULL;
        """,
        16: """
        CREATE TABLE told (
            inode INTEGER PRIMARY KEY,
            facts TEXT NOT NULL
        );
        """,
        17: """
        ALTER TABLE journal ADD COLUMN problem_lasts INTEGER NOT NULL DEFAULT 0;
        """,
    ]
}
