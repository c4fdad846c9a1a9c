// The common parts of the tests of this module: a database in a folder of its own, and short
// spellings.

import Core
import Foundation
import Glibc
import MetadataStore
import Testing

enum TemporaryStore {
    static func path() -> String {
        let folder = NSTemporaryDirectory() + "dbxfs-store-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        return folder + "/tree.sqlite"
    }

    static func make() throws -> MetadataStore {
        try MetadataStore(path: path())
    }

    /// Runs `body` while SQLite's descriptor of the log of the database at `path` is another one.
    /// The store's own descriptor, which only reads, stays: the store closes any other than the
    /// log, and another test may get the number.
    static func withLog(
        of path: String, replacedBy other: Int32, _ body: () throws -> Void
    ) throws {
        defer { close(other) }
        let log = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                Int32($0)
            }.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == path + "-wal" && fcntl($0, F_GETFL) & O_ACCMODE == O_RDWR
            })
        let kept = dup(log)
        dup2(other, log)
        defer {
            dup2(kept, log)
            close(kept)
        }
        try body()
    }
}

extension MetadataStore {
    /// Adds a node of this mount's users.
    func insert(
        _ name: String, _ kind: NodeKind = .file, in parent: InodeID = .root, flags: NodeFlags = []
    ) throws -> InodeID {
        try write {
            try $0.insert(
                kind, at: Place(parent: parent, name: try FileName(name)), local: LocalFacts(),
                flags: flags)
        }
    }

    /// Gives a node staged content without bytes.
    func stage(_ inode: InodeID, size: Int64 = 1) throws {
        try write { transaction in
            let staged = StagedContent(
                file: try transaction.nextStagingFile(), size: size, generation: 1, base: nil,
                blocks: [])
            try transaction.setStaged(staged, of: inode)
        }
    }
}

/// A name that is known to be valid; a test that gives another one fails.
func name(_ text: String) -> FileName {
    do {
        return try FileName(text)
    } catch {
        preconditionFailure("not a name: \(text)")
    }
}

/// A place in the root.
func place(_ text: String) -> Place {
    Place(parent: .root, name: name(text))
}

func seconds(_ count: Int64) -> WallTime {
    WallTime(seconds: count)
}
