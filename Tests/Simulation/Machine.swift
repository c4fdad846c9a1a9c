// The machine of a mount: its disk, and its database, of which a power cut leaves all that was
// flushed and a beginning of the later transactions. Not responsible for the mount's process.

import GRDB
import MetadataStore

/// The state that outlives the processes of a mount.
///
/// `unchecked`: used on the scheduler's thread only.
final class Machine: @unchecked Sendable {
    let disk: Disk
    let database: MemoryDatabase
    let index: Int
    /// Where the mount keeps its files.
    let folder: String
    private let scheduler: Scheduler
    /// The state that a power cut leaves; nil while that is the present one.
    private var kept: MemoryDatabaseImage?
    /// The database has changed since the rules were last checked.
    var hasChanged = true
    /// Transactions since the last flush.
    private var commits = 0

    init(_ index: Int, database: MemoryDatabase, scheduler: Scheduler) throws {
        self.index = index
        self.database = database
        self.scheduler = scheduler
        folder = Disks.path(of: index)
        disk = Disk(scheduler, root: folder)
        try database.reset()
    }

    /// The process of this machine takes a step of an access to the database.
    func access(_ access: StoreAccess) throws {
        guard access != .read else { return }
        hasChanged = true
        if access == .commit, disk.isFull, scheduler.draw(2) == 0 {
            disk.count("transactions that a full disk refused")
            throw DatabaseError(resultCode: .SQLITE_FULL)
        }
        guard disk.admits() else { throw MountProcess.Dead() }
        guard disk.remembers else { return }
        switch access {
        case .read, .commit: break
        case .write: try drawKept()
        case .flush: (kept, commits) = (nil, 0)
        }
    }

    /// Decides whether the state after the transaction that begins takes the place of the one that
    /// a power cut leaves. The later ones have the greater chance, because fewer others follow.
    private func drawKept() throws {
        commits += 1
        if scheduler.draw(min(commits + 1, 4)) == 0 {
            kept = nil
        } else if kept == nil {
            kept = try database.image()
        }
    }

    /// Loses unflushed bytes. The process is dead.
    func cutPower() throws {
        disk.cutPower()
        hasChanged = true
        if let kept {
            disk.count("databases that lost transactions")
            try database.restore(kept)
        }
        (kept, commits) = (nil, 0)
    }
}
