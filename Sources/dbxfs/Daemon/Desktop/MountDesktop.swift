// A mount's answers to plug-ins of file managers. Not responsible for what an entry of their menu
// starts (`DesktopAction`), nor for telling them of changes (`DesktopWatch`).

import BlockCache
import Blocking
import Core
import LocalIO
import MetadataStore
import Mounting
import Saturating
import Synchronization

/// A mount, for plug-ins of file managers.
final class MountDesktop: DesktopService {
    /// Seconds for which the nodes with unsent changes are not read again: a plug-in asks for each
    /// file of a folder.
    private static let freshness = 1.0

    let control: MountControl
    /// Paths whose state a user has changed by the menu.
    let touched = Mutex<[String]>([])
    private let unsent = Mutex<(nodes: UnsentNodes, read: ContinuousClock.Instant)?>(nil)

    init(_ control: MountControl) {
        self.control = control
    }

    /// The path on the mount; nil if it is elsewhere. The disk is not asked: this process must not
    /// use its own mount.
    func place(of path: String) -> String? {
        guard path.utf8.first == UInt8(ascii: "/") else { return nil }
        let path = absolutePath(path)
        for mountpoint in [control.mountpoint, control.plan.requestedMountpoint] {
            if path.utf8.elementsEqual(mountpoint.utf8) { return "" }
            guard path.utf8.starts(with: (mountpoint + "/").utf8) else { continue }
            return String(path.utf8.dropFirst(mountpoint.utf8.count))
        }
        return nil
    }

    func desktopState(of path: String) -> DesktopState? {
        guard let place = place(of: path), let inode = try? control.paths.inode(at: place) else {
            return nil
        }
        let unsent = unsentNodes()
        let read = try? control.store.read {
            snapshot -> (Node, isPinned: Bool, isBelowPin: Bool)? in
            guard let node = try snapshot.node(inode) else { return nil }
            let isPinned = try snapshot.isPinned(inode)
            return (node, isPinned, try isPinned || snapshot.pinnedFolder(above: inode) != nil)
        }
        guard let (node, isPinned, isBelowPin) = read.flatMap({ $0 }) else { return nil }
        return DesktopState(
            progress: progress(of: node, unsent), isFolder: node.kind == .folder,
            isPinned: isBelowPin, hasOwnPin: isPinned, isOnlineOnly: isOnlineOnly(node),
            isShared: node.facts.sharedFolderID != nil)
    }

    var hasWebPages: Bool { DesktopAction.hasWebPages(control.plan) }

    func perform(_ verb: DesktopVerb, on paths: [String]) {
        let places = paths.compactMap(place(of:))
        WorkerThread.start { [self] in
            DesktopAction(control: control).perform(verb, on: places)
            touched.withLock { $0.append(contentsOf: paths) }
        }
    }

    func desktopLink(to path: String) throws(CommandError) -> String {
        guard let place = place(of: path) else { throw .notMounted(path) }
        return try control.link(to: place).url
    }

    var desktopStatus: [String] {
        let backlog = control.backlog()
        let first =
            backlog.operations == 0 && backlog.state == .online ? "Up to date" : backlog.report
        return [first] + (backlog.problem.map { [$0] } ?? [])
    }

    // MARK: Parts

    /// The nodes with unsent changes, as of a second ago.
    private func unsentNodes() -> UnsentNodes {
        let now = ContinuousClock.now
        let known = unsent.withLock { $0 }
        if let known, known.read.duration(to: now) < .seconds(Self.freshness) { return known.nodes }
        guard let nodes = try? control.store.read({ try $0.unsentNodes() }) else {
            return known?.nodes ?? UnsentNodes()
        }
        unsent.withLock { $0 = (nodes, now) }
        return nodes
    }

    private func progress(of node: Node, _ unsent: UnsentNodes) -> DesktopState.Progress {
        switch unsent.state(of: node) {
        case .synced: .upToDate
        case .pending: .syncing
        case .problem: .problem
        case .local: .onlyHere
        }
    }

    /// Whether the first or the last bytes of a file are not cached, which is enough for an emblem.
    private func isOnlineOnly(_ node: Node) -> Bool {
        guard node.kind == .file, node.staged == nil, let hash = node.facts.hash else {
            return false
        }
        let size = node.facts.size
        guard size > 0 else { return false }
        return !control.cache.contains(hash, size: size, range: 0..<1)
            || !control.cache.contains(hash, size: size, range: (size -| 1)..<size)
    }
}
