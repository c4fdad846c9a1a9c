// The folders that another client has made: one that no client and no user has moved or removed
// since is there in the end. Not responsible for their contents, which the ledger knows.

import Core
import RemoteStore
import RemoteStoreTesting

/// The folders that must be there.
struct Folders {
    /// Their paths, by their ids.
    fileprivate var made: [FileID: RemotePath] = [:]
    /// The first names of the paths that users have removed.
    private var removed: Set<String> = []

    /// Another client has made a folder. One in a folder that is just being removed may go with it:
    /// only files are looked for.
    mutating func noteMade(_ entry: RemoteEntry) {
        let path = entry.foldedPath
        guard let id = entry.id, let first = path.components.first else { return }
        if path.components.count == 1 || !removed.contains(first) { made[id] = path }
    }

    /// A step begins: from now on, nothing is known of folders that it may move or remove.
    mutating func note(_ step: Step) {
        let paths: [String] =
            switch step {
            case .user(_, let step): step.removedPaths
            case .other(.delete(let path)): [path]
            case .other(.move(let path, let target)): [path, target]
            default: []
            }
        for name in paths.compactMap(Self.first) {
            removed.insert(name)
            made = made.filter { Self.first($0.value.rawValue) != name }
        }
    }

    /// The key of the first name of a path.
    private static func first(_ path: String) -> String? {
        path.split(separator: "/").first.map { Folding.fold(String($0)) }
    }
}

extension World {
    /// Throws a `Violation` if a folder of another client is gone. A mount whose own creation at
    /// the path may have arrived cannot tell the two apart.
    func checkFolders() throws {
        let mayTakeOthers =
            plan.refusesIDs || plan.isLate || plan.moveLimit < 10_000 || plan.folding != .scalar
            || mounts.indices.contains { plan.cutsPower(of: $0) }
        if mayTakeOthers { return }
        let uncertain = mounts.reduce(into: Set<RemotePath>()) {
            $0.formUnion($1.uncertainFolders)
        }
        let present = serverPaths()
        for (id, path) in folders.made.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if present[id] != nil { continue }
            let name = path.components.last
            if uncertain.contains(where: { $0.components.last == name }) { continue }
            throw Violation(rule: "a folder of another client is gone", detail: path.rawValue)
        }
    }
}

extension UserStep {
    /// The paths at which something may be gone after it, or another node there.
    fileprivate var removedPaths: [String] {
        switch self {
        case .unlink(let path), .removeFolder(let path), .removeTree(let path), .restore(let path),
            .save(let path), .saveSafely(let path):
            [path]
        case .rename(let path, let target), .exchange(let path, let target): [path, target]
        case .write, .append, .flush, .flushFolder, .flushOpen, .overwrite, .truncate, .makeFolder,
            .open, .hold, .writeOpen, .overwriteOpen, .close, .list, .pin, .chmod, .link,
            .copy:
            []
        }
    }
}
