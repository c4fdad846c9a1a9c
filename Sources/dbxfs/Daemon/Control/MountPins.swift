// A mount's commands for pins: from paths to nodes, and from totals to messages.

import BlockCache
import Blocking
import Core
import FileSystem
import MetadataStore
import Mounting
import Saturating
import Sync

/// The pins of a mount.
struct MountPins: Sendable {
    let paths: MountPaths
    let pinner: Pinner
    let engine: SyncEngine
    let session: MountSession
    let cache: DiskBlockCache
    let rates: TransferRates
    let listing: MountListing

    func set(_ isPinned: Bool, at paths: [String]) throws(CommandError) {
        let inodes = try paths.map { path throws(CommandError) in
            let inode = try self.paths.inode(at: path)
            if !isPinned { try requirePin(of: inode, at: path) }
            return inode
        }
        let pinner = pinner
        let failure = WorkerThread.waiting { () async -> CommandError? in
            do {
                try await pinner.setPins(isPinned, of: inodes)
                return nil
            } catch {
                return MountPaths.databaseFailed(error)
            }
        }
        if let failure = failure.flatMap({ $0 }) { throw failure }
    }

    func progress(of paths: [String]) throws(CommandError) -> PinProgress {
        let inodes = try paths.map { path throws(CommandError) in try self.paths.inode(at: path) }
        return try progress(below: inodes)
    }

    func reports() throws(CommandError) -> [PinReport] {
        let pins = try paths.asking { snapshot in
            try snapshot.pins().map { ($0, try snapshot.localPath(of: $0) ?? []) }
        }
        var reports: [PinReport] = []
        for (inode, names) in pins {
            let path = MountPaths.path(names)
            reports.append(
                PinReport(path: path, progress: try progress(below: [inode])))
        }
        return reports.sorted { $0.path < $1.path }
    }

    /// The pins in the status.
    func status() -> MountStatus.Pins {
        let summary = pinner.summary
        var status = MountStatus.Pins()
        status.files = summary.totals.files
        status.bytes = summary.totals.bytes
        status.presentFiles = summary.totals.presentFiles
        status.presentBytes = summary.totals.presentBytes
        status.unavailableFiles = summary.totals.unavailableFiles
        status.missingFiles = summary.totals.missingFiles
        status.missingBytes = summary.totals.missingBytes
        status.exceedsCache = summary.exceedsCache
        status.cacheSize = cache.limit
        status.problem = status.missingFiles > 0 ? summary.problem : nil
        let fetches = try? paths.store.read { snapshot in
            try summary.fetches.map { fetch in
                let names = try snapshot.localPath(of: fetch.inode) ?? []
                return MountStatus.Pins.Fetch(
                    path: MountPaths.path(names), bytes: fetch.bytes,
                    fetched: fetch.fetched)
            }
        }
        status.fetches = (fetches ?? []).sorted { $0.path < $1.path }
        return status
    }

    // MARK: Parts

    private func progress(below inodes: [InodeID]) throws(CommandError) -> PinProgress {
        let totals: PinTotals
        do {
            totals = try pinner.totals(below: inodes)
        } catch {
            throw MountPaths.databaseFailed(error)
        }
        let (sync, summary) = (engine.status, pinner.summary)
        var progress = PinProgress(
            files: totals.files, bytes: totals.bytes, presentFiles: totals.presentFiles,
            presentBytes: totals.presentBytes, unavailableFiles: totals.unavailableFiles,
            missingBytes: totals.missingBytes,
            state: MountStatus.State(sync, hasEnded: session.hasEnded),
            isTreeKnown: sync.isTreeComplete)
        progress.fetchedBytes = summary.fetches.reduce(Int64(0)) { $0 +| $1.fetched }
        progress.listing = sync.isTreeComplete ? nil : listing.current
        progress.rate = rates.receiving
        progress.isPaused = sync.isPaused
        progress.isStuck = summary.isStuck
        progress.problem = totals.missingFiles > 0 ? summary.problem : nil
        progress.notice = status().excess
        return progress
    }

    private func requirePin(of inode: InodeID, at path: String) throws(CommandError) {
        let (isPinned, folder) = try paths.asking { snapshot in
            let folder = try snapshot.pinnedFolder(above: inode)
            return (
                try snapshot.isPinned(inode), try folder.flatMap { try snapshot.localPath(of: $0) }
            )
        }
        if isPinned { return }
        let place = "\(paths.mountpoint)\(path)"
        guard let folder else { throw .notPinned(place) }
        throw .pinnedByFolder(path: place, folder: "\(paths.mountpoint)\(MountPaths.path(folder))")
    }
}
