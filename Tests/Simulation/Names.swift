// The names that each actor has given: a node steps aside only for a name that another actor has given. Not responsible for
// the nodes of these names.

import Core
import RemoteStore
import RemoteStoreTesting

/// The keys of the names that each actor has given, or has tried to give.
struct Names {
    private var given: [String: Set<String>] = [:]

    mutating func note(_ paths: [String], by actor: String) {
        let names = paths.flatMap { $0.split(separator: "/").map { Folding.fold(String($0)) } }
        given[actor, default: []].formUnion(names)
    }

    /// Notes names to which users move what others may change: it may step aside under them.
    mutating func noteMove(to paths: [String]) { note(paths, by: "moves") }

    fileprivate func isGiven(_ name: String, byOthersThan actor: String) -> Bool {
        given.contains { $0.key != actor && $0.value.contains(Folding.fold(name)) }
    }
}

extension World {
    /// Throws a `Violation` if something has stepped aside although no other actor has given its name.
    func checkConflicts(in entries: [RemotePath: TreeSnapshot.Entry]) throws {
        // Content that a power cut has taken counts as another client's where it has arrived, and two names may be one to the
        // server.
        guard plan.folding == .scalar, !hasPutAside else { return }
        let copies = entries.keys.filter { $0.rawValue.contains("conflicted copy") }
        for path in copies.sorted(by: { $0.rawValue < $1.rawValue }) {
            let copy = path.components.last ?? ""
            let suffix = #/ \((m\d)'s conflicted copy [^)]*\)( \(\d+\))?/#
            guard let mark = copy.firstMatch(of: suffix) else { continue }
            let name = copy.replacing(suffix, with: "")
            if names.isGiven(name, byOthersThan: String(mark.1)) { continue }
            throw Violation(rule: "a conflict of nobody", detail: path.rawValue)
        }
    }
}

extension UserStep {
    /// The paths at which something may be after it.
    var targets: [String] {
        switch self {
        case .write(let path), .makeFolder(let path), .restore(let path): [path]
        case .save(let path), .saveSafely(let path): [path, path + ".new"]
        case .rename(_, let target): [target]
        case .exchange(let path, let target): [path, target]
        case .append, .flush, .flushFolder, .flushOpen, .overwrite, .truncate, .unlink,
            .removeFolder, .removeTree, .open, .writeOpen, .overwriteOpen, .close, .list, .pin,
            .chmod:
            []
        }
    }
}

extension UserStep {
    /// Whether it moves nodes that may be another client's.
    var isMove: Bool {
        switch self {
        case .rename, .exchange: true
        default: false
        }
    }
}

extension OtherStep {
    /// The paths at which something may be after it.
    var targets: [String] {
        switch self {
        case .put(let path), .putSame(_, let path), .makeFolder(let path): [path]
        case .move(_, let target): [target]
        case .delete: []
        }
    }
}
