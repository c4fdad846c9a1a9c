// Rows that the database of a mount may not have once all has come to rest: traces of changes that
// are long over. Each would be taken for the trace of a later one. Not responsible for rows that
// contradict each other, which are broken invariants.

import Core
import FileSystem
import GRDB
import MetadataStore
import RemoteStoreTesting

extension World {
    /// A commit without an answer is remembered for as long as the server may take for it, twice.
    private static let longestMemory: Int64 = 3600 * 1_000_000_000

    /// Lets time pass until old rows have gone. Throws a `Violation` if they stay.
    func checkLeftovers() throws {
        var hours = 0
        while let left = try leftovers() {
            guard hours < 3 else { throw Violation(rule: "rows stay", detail: left) }
            hours += 1
            count("hours for old rows")
            scheduler.run(nanoseconds: Self.longestMemory) {}
            // The next deltas tell that nothing is missing.
            server.expireWaits()
            scheduler.run(nanoseconds: 60_000_000_000) {}
        }
    }

    private func leftovers() throws -> String? {
        for mount in mounts where plan.flushes(mount.machine.index) {
            guard let process = mount.process else { continue }
            let found = try process.store.read { snapshot in
                let statement = try snapshot.database.cachedStatement(sql: Self.counts)
                return try Row.fetchOne(statement).flatMap { row in
                    row.first { $0.1.databaseValue != 0.databaseValue }.map { "\($0.0): \($0.1)" }
                }
            }
            if let found { return "\(mount.name) \(found)" }
        }
        return nil
    }

    /// Revisions that users have deleted are kept as long as a deleted folder is searched.
    private static let counts = """
        SELECT
            (SELECT COUNT(*) FROM node WHERE parent IS NULL AND inode <> 1) AS nowhere,
            (SELECT COUNT(*) FROM displaced) AS displaced,
            (SELECT COUNT(*) FROM twin) AS twins,
            (SELECT COUNT(*) FROM upload) AS uploads,
            (SELECT COUNT(*) FROM piece) AS pieces,
            (SELECT COUNT(*) FROM attempt) AS intents,
            (SELECT COUNT(*) FROM departure) AS previous_paths,
            (SELECT COUNT(*) FROM eviction) AS detached,
            (SELECT COUNT(*) FROM fallback) AS fallbacks,
            (SELECT COUNT(*) FROM unconfirmed WHERE id IN (SELECT id FROM node)) AS unconfirmed,
            (SELECT COUNT(*) FROM own_deletion WHERE NOT EXISTS (SELECT 1 FROM search))
                AS own_deletions
        """

    /// Throws a `Violation` if a mount shows another time for a file than the server has. An empty
    /// file may have been emptied again, which is not sent; a restored one may have the bytes of an
    /// upload whose response was lost.
    func checkTimes() throws {
        if plan.hasEqualContents || plan.losesReplies && plan.restoresFiles { return }
        for (index, mount) in mounts.enumerated() {
            // A power cut may take the bytes that a program has written, and leave their time
            // beside the server's content.
            guard let process = mount.process, !plan.cutsPower(of: index) else { continue }
            let files = try process.store.read { snapshot in
                try snapshot.fileNodes(below: .root)
            }
            for file in files where file.facts.size > 0 {
                guard case .ready(let entry) = process.fileSystem.attributes(of: file.inode),
                    let known = file.facts.clientModified,
                    entry.attributes.modificationTime.seconds != known.seconds
                else { continue }
                throw Violation(
                    rule: "another time than the server's",
                    detail: "\(file.inode): \(entry.attributes.modificationTime), not \(known)")
            }
        }
    }
}

extension Snapshot {
    fileprivate func fileNodes(below folder: InodeID) throws -> [Node] {
        try children(of: folder).flatMap { child -> [Node] in
            guard let node = try node(child.inode) else { return [] }
            return node.kind == .folder ? try fileNodes(below: node.inode) : [node]
        }
    }
}
