// A mount's command that takes content from a folder of this machine: files at the same places as
// on Dropbox, compared by size and content hash. Nothing in that folder is changed.

import BlockCache
import Core
import Glibc
import LocalFiles
import LocalIO
import Logging
import MetadataStore
import Mounting
import Saturating
import Sync
import Synchronization

/// Takes content over from folders, one at a time.
final class ContentImport: Sendable {
    private let paths: MountPaths
    private let cache: DiskBlockCache
    private let engine: SyncEngine
    private let listing: MountListing
    private let log: Logger
    private let isRunning = Atomic(false)

    init(
        paths: MountPaths, cache: DiskBlockCache, engine: SyncEngine, listing: MountListing,
        log: Logger
    ) {
        self.paths = paths
        self.cache = cache
        self.engine = engine
        self.listing = listing
        self.log = log
    }

    func run(
        of folder: String, report: (ImportReport) -> Bool
    ) throws(CommandError) -> ImportReport {
        guard !isPath(folder, within: paths.mountpoint) else {
            throw .noImport(path: folder, reason: "it is on the mount itself")
        }
        var status = stat()
        guard folder.utf8.first == UInt8(ascii: "/"), lstat(folder, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR
        else { throw .noImport(path: folder, reason: "it is no folder") }
        guard isRunning.exchange(true, ordering: .acquiring) == false else {
            throw .noImport(path: folder, reason: "another import is running")
        }
        defer { isRunning.store(false, ordering: .releasing) }
        var walk = ImportWalk(
            paths: paths, cache: cache, device: status.st_dev, isTreeKnown: engine.isTreeComplete)
        try walk.run(from: folder, report)
        walk.report.listing = listing.current
        log.notice("content imported", metadata: ["files": "\(walk.report.imported)"])
        return walk.report
    }
}

/// One walk through a folder of this machine and the tree at the same time.
private struct ImportWalk {
    /// Seconds between two reports.
    private static let interval = 0.3

    let paths: MountPaths
    let cache: DiskBlockCache
    /// The filesystem of the folder. The walk stays on it, so it never enters a mount, not even its
    /// own.
    let device: dev_t
    var report = ImportReport()
    private var lastReport = ContinuousClock.now

    init(paths: MountPaths, cache: DiskBlockCache, device: dev_t, isTreeKnown: Bool) {
        self.paths = paths
        self.cache = cache
        self.device = device
        report.isTreeKnown = isTreeKnown
    }

    mutating func run(
        from folder: String, _ send: (ImportReport) -> Bool
    ) throws(CommandError) {
        var folders = [(path: folder, inode: InodeID.root)]
        while let folder = folders.popLast() {
            for name in folderNames(in: folder.path).sorted() {
                let path = "\(folder.path)/\(name)"
                var status = stat()
                guard lstat(path, &status) == 0, status.st_dev == device else { continue }
                let isFolder = status.st_mode & S_IFMT == S_IFDIR
                guard isFolder || status.st_mode & S_IFMT == S_IFREG else { continue }
                let node = try node(name, in: folder.inode)
                if isFolder {
                    if let node, node.kind == .folder { folders.append((path, node.inode)) }
                } else {
                    take(path, Int64(clamping: status.st_size), for: node)
                }
                if report.isFull { return }
                if lastReport.duration(to: .now) >= .seconds(Self.interval) {
                    lastReport = .now
                    guard send(report) else { return }
                }
            }
        }
    }

    private func node(_ name: String, in folder: InodeID) throws(CommandError) -> Node? {
        guard let name = try? FileName(name) else { return nil }
        // Dropbox's own client may have written the name in another case.
        return try paths.asking { snapshot in
            try snapshot.child(name, of: folder) ?? snapshot.child(like: name, of: folder)
        }
    }

    private mutating func take(_ path: String, _ size: Int64, for node: Node?) {
        guard let node, node.kind == .file, let hash = node.facts.hash else {
            return report.unknown +|= 1
        }
        guard node.facts.size == size else { return report.different +|= 1 }
        guard size > 0, !cache.contains(hash, size: size, range: 0..<size) else {
            return report.present +|= 1
        }
        guard cache.usedBytes +| size <= cache.limit else { return report.isFull = true }
        switch cache.importContent(of: path, hash: hash, size: size) {
        case .cached:
            report.imported +|= 1
            report.bytes +|= size
        case .different: report.different +|= 1
        case .notWritten: report.isFull = true
        }
    }
}
