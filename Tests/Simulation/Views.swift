// The trees of the server and of the mounts, as lines that can be compared. Users of an account
// that no other client changes see names, contents and modes as they left them, independent of the
// fate of their requests.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

extension Plan {
    /// Whether only the users of one mount change anything. A late request may be taken for another
    /// client's, and an expired cursor shows some files twice for a while.
    var isOfUsersAlone: Bool {
        mounts == 1 && folding == .scalar && !isLate
            && steps.allSatisfy { step in
                switch step {
                case .user(_, .restore), .other, .powerCut, .powerCutInRequest, .resetCursors,
                    .readOnly, .writable, .disk, .date, .remount:
                    false
                case .user, .jobs, .wait, .kill, .networkCutInRequest, .unmount, .mount, .faults,
                    .network, .deltas:
                    true
                }
            }
    }
}

/// The tree that the users of an account's only mount have seen last.
struct View {
    /// Nil if it is not known: the end of a process takes what no flush followed.
    fileprivate var lines: Set<String>?
    /// A call was interrupted, and may go on.
    fileprivate var isUncertain = false
}

extension World {
    /// Users may see anything from now on; `forEver` if a call of theirs goes on by itself.
    func forgetView(forEver: Bool = false) {
        view.lines = nil
        if forEver { view.isUncertain = true }
    }

    /// Users have done something, and see the outcome.
    func noteView() throws { view.lines = try seenLines() }

    /// Throws a `Violation` if users see something else than the outcome of what they did last.
    func checkView() throws {
        let now = try seenLines()
        defer { view.lines = now }
        guard let now, let before = view.lines, now != before else { return }
        let gone = before.subtracting(now).sorted()
        throw Violation(
            rule: "what users see changes by itself",
            detail: "\(gone) became \(now.subtracting(before).sorted())")
    }

    /// A line for each node that users see; nil if that is not to be compared.
    private func seenLines() throws -> Set<String>? {
        guard plan.isOfUsersAlone, !view.isUncertain, let process = mounts[0].process,
            !process.isDead.isSet
        else { return nil }
        return try lines(of: process, named: { User.path(of: $0.shown) }) { node in
            let isFolder = node.kind == .folder
            let mode = String(node.local.permissions ?? (isFolder ? 0o755 : 0o644), radix: 8)
            return isFolder ? "/ \(mode)" : "=\(text(of: node, process)) \(mode)"
        }
    }

    // MARK: Trees

    /// A line for each node that the server has.
    func tree() -> Set<String> {
        Set(
            server.otherClient.snapshot.entries.map { path, entry in
                guard case .file(let bytes) = entry else { return path.rawValue + "/" }
                let mark = isLink(bytes, at: path.rawValue) ? linkMark : "="
                return path.rawValue + mark + Self.text(of: bytes)
            })
    }

    /// The ids and folded paths of everything that the server has.
    func serverPaths() -> [FileID: RemotePath] {
        let other = server.otherClient
        let tops = other.snapshot.entries.keys.filter { $0.components.count == 1 }
        return tops.reduce(into: [:]) { paths, top in
            paths.merge(other.paths(below: top.rawValue)) { $1 }
        }
    }

    /// A line for each node that a mount has, under its name on the server.
    func tree(of process: MountProcess) throws -> Set<String> {
        try lines(of: process, named: \.string) { node in
            if node.kind == .folder { return "/" }
            let mark = node.kind == .symbolicLink ? linkMark : "="
            return mark + text(of: node, process)
        }
    }

    /// The path of each node of a mount, with a text about the node.
    private func lines(
        of process: MountProcess, named text: (FileName) -> String, _ line: (Node) -> String
    ) throws -> Set<String> {
        var lines: Set<String> = []
        func visit(_ folder: InodeID, _ path: String, _ snapshot: Snapshot) throws {
            for child in try snapshot.children(of: folder) {
                guard let node = try snapshot.node(child.inode), let name = node.place?.name else {
                    continue
                }
                let path = path + "/" + text(name)
                lines.insert(path + line(node))
                if node.kind == .folder { try visit(child.inode, path, snapshot) }
            }
        }
        try process.store.read { try visit(.root, "", $0) }
        return lines
    }
}
