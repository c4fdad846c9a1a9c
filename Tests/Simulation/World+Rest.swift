// The end of a history: all is healed, and the mounts and the server must come to the same tree.
// Not responsible for the rules that hold then (`World+End.swift`).

import MetadataStore
import RemoteStoreTesting
import Sync

extension World {
    /// Nanoseconds of virtual time after which everything must have come to rest.
    private static let settleTime: Int64 = 4 * 3600 * 1_000_000_000

    /// The same for modes, once all trees are equal.
    private static let modesTime: Int64 = 600 * 1_000_000_000

    /// Heals everything and waits until nothing is queued and all show the same.
    func settle() throws {
        note("settling")
        server.liftReadOnly()
        for mount in mounts {
            mount.faults = 0
            mount.isCut = false
            mount.lacksDeltas = false
            mount.setNetwork()
            mount.spare()
            mount.machine.disk.isFull = false
        }
        for mount in mounts {
            try mount.reap()
            // Then nothing stays local, and all views are to be equal: a new process sends refused
            // links again.
            if !mount.ignored.isEmpty || rights.hasRefusedLink { try mount.remount(ignoring: "") }
            try mount.start()
            mount.process?.user.closeAll()
        }
        let end = scheduler.now + Self.settleTime
        let jobs = scheduler.jobs + 3_000_000
        while try difference() != nil {
            guard scheduler.now < end, scheduler.jobs < jobs else {
                throw Violation(rule: "does not settle", detail: try difference() ?? "")
            }
            try scheduler.run(nanoseconds: 5_000_000_000, check: reap)
            server.expireWaits()
            try liftMoveLimit()
            if let violation { throw violation }
            try checkView()
        }
        // Modes are not in the trees: a mount that has just started may still be without the last
        // delta.
        let last = min(end, scheduler.now + Self.modesTime)
        while try modesViolation() != nil || unknownFolder() != nil, scheduler.now < last,
            scheduler.jobs < jobs
        {
            try scheduler.run(nanoseconds: 5_000_000_000, check: reap)
            server.expireWaits()
        }
    }

    /// A folder of many entries keeps its case until the server moves them at once. Every other
    /// move is made in parts.
    private func liftMoveLimit() throws {
        for process in mounts.compactMap(\.process) {
            let isWaiting = try process.store.read { snapshot in
                try snapshot.journalEntries(limit: 1000).contains { entry in
                    guard entry.problem?.contains("only in case") == true,
                        let node = try snapshot.node(entry.inode), let place = node.place
                    else { return false }
                    return try snapshot.remotePlace(of: node)?.isSameThere(as: place) == true
                }
            }
            guard isWaiting else { continue }
            count("limits lifted")
            server.setMoveLimit(.max)
        }
    }

    /// Why not all is at rest; nil if it is.
    private func difference() throws -> String? {
        if belated.count > 0 { return "\(belated.count) requests are on their way" }
        let wanted = tree()
        for mount in mounts {
            guard let process = mount.process else { return "\(mount.name) does not run" }
            let rest = try process.store.read { try $0.pending().operations }
            if rest > 0 { return "\(mount.name) has \(rest) in its queue" }
            let searches = try process.store.read { try $0.folderSearches() }
            // A search that cannot succeed stays for the next process, and `status` names its
            // folder.
            let reported = process.engine.status.unsearchedFolders
            let running = searches.map(\.place).filter { !reported.contains($0) }
            if !running.isEmpty { return "\(mount.name) searches \(running)" }
            guard process.engine.isTreeComplete else { return "\(mount.name) is not listed" }
            let shown = try tree(of: process)
            if shown != wanted {
                return "\(mount.name) shows \(shown.sorted()), the server has \(wanted.sorted())"
            }
        }
        return nil
    }
}
