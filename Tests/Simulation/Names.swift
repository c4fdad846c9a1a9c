// The names that each actor has given: a node steps aside only for a name that another actor has
// given. Not responsible for the nodes of these names.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

/// The names that each actor has given, or has tried to give: as they were given, and as the server
/// composes them.
struct Names {
    private var given: [String: Set<[UInt8]>] = [:]
    /// The keys of these names: what another actor stores under another spelling of a name is a
    /// conflict, too.
    private var keys: [String: Set<String>] = [:]
    /// The keys of names that the other client has given or removed: not those of folders that it
    /// has met on the way.
    private var changed: Set<String> = []
    /// How often each name has been given, or named on the way to one.
    private var times: [[UInt8]: Int] = [:]

    mutating func note(_ paths: [String], by actor: String) {
        for name in paths.flatMap({ $0.split(separator: "/").map(String.init) }) {
            given[actor, default: []].formUnion([
                User.bytes(of: name), User.bytes(of: Folding.compose(name)), Array(name.utf8),
            ])
            times[User.bytes(of: name), default: 0] += 1
            keys[actor, default: []].formUnion(Self.keys(of: name))
        }
    }

    /// Where the server has something under the alias of a name, that is the conflict.
    private static func keys(of name: String) -> [String] {
        [name, Alias(of: User.bytes(of: name)).plain].compactMap(\.self).map(Folding.fold)
    }

    /// The other client gives or removes these names, or the server has the mount keep them.
    mutating func noteChange(of names: [String]) {
        changed.formUnion(names.flatMap(Self.keys))
    }

    /// The server keeps the spelling that it has: another client that stores an alias in other case
    /// stores it as it is.
    fileprivate func isGiven(_ name: FileName) -> Bool {
        given.values.contains { $0.contains(name.shown) }
            || keys[Self.otherClient, default: []].contains(Folding.fold(name.text))
    }

    /// Whether no node but one can have had a name.
    fileprivate func isUnique(_ own: OwnName) -> Bool { times[own.bytes, default: 0] <= 1 }

    /// The actor that is no mount.
    static let otherClient = "x"

    /// Notes names to which users move what others may change: it may step aside under them.
    mutating func noteMove(to paths: [String]) { note(paths, by: "moves") }

    fileprivate func isGiven(_ name: String, byOthersThan actor: String) -> Bool {
        let key = Folding.fold(name)
        if changed.contains(key) { return true }
        return keys.contains { other, keys in
            other != actor && other != Self.otherClient && keys.contains(key)
        }
    }

    /// Whether the other client has met a name on the way to another one.
    fileprivate func isMet(_ name: String) -> Bool {
        keys[Self.otherClient, default: []].contains(Folding.fold(name))
    }
}

extension World {
    /// Another client is about to do something.
    func noteNames(of step: OtherStep) {
        names.note(step.targets, by: Names.otherClient)
        var changed: [String] = []
        for path in step.targets {
            let parts = path.split(separator: "/").map(String.init)
            let entries = server.otherClient.snapshot.entries
            let folders = Set(
                entries.filter { $1 == .folder }.keys.map { Folding.fold($0.rawValue) })
            let known = parts.indices.dropLast().prefix { index in
                folders.contains(Folding.fold("/" + parts[...index].joined(separator: "/")))
            }
            changed += parts.dropFirst(known.count)
        }
        switch step {
        case .delete(let path), .move(let path, _):
            changed += path.split(separator: "/").suffix(1).map(String.init)
            // A handle may lead to a file of the folder.
            let folder = Folding.fold(path) + "/"
            changed += server.otherClient.snapshot.entries.keys.filter {
                Folding.fold($0.rawValue).hasPrefix(folder)
            }.compactMap(\.components.last)
        case .put, .putSame, .makeFolder: break
        }
        names.noteChange(of: changed)
    }
}

extension World {
    /// Throws a `Violation` if something has stepped aside although no other actor has given its
    /// name.
    func checkConflicts(in entries: [RemotePath: TreeSnapshot.Entry]) throws {
        // Content that a power cut has taken counts as another client's where it has arrived, and
        // two names may be one to the server.
        guard plan.folding == .scalar, !hasPutAside else { return }
        let copies = entries.keys.filter { $0.rawValue.contains("conflicted copy") }
        for path in copies.sorted(by: { $0.rawValue < $1.rawValue }) {
            let copy = path.components.last ?? ""
            let suffix = String.conflictMark
            guard let mark = copy.firstMatch(of: suffix) else { continue }
            // The copy of a file with an alias is named after that.
            let name = copy.replacing(suffix, with: "")
            let given = [name, Self.withoutAlias(name)]
            if given.contains(where: { names.isGiven($0, byOthersThan: String(mark.1)) }) {
                continue
            }
            if hasUnknownCopy(given, in: entries) { continue }
            // A folder that users have deleted comes back with what others have put in it.
            let beside = given.map { Folding.fold(path.parent.rawValue + "/" + $0) }
            if given.contains(where: names.isMet),
                entries.keys.contains(where: { beside.contains(Folding.fold($0.rawValue)) })
            {
                continue
            }
            throw Violation(rule: "a conflict of nobody", detail: path.rawValue)
        }
    }
}

extension World {
    /// Throws a `Violation` if users see a name that no user has given, or an alias that is not
    /// needed.
    func checkOwnNames() throws {
        guard plan.folding == .scalar, !rights.hasUndone else { return }
        let hasCopies = serverPaths().values.contains { $0.rawValue.contains("conflicted copy") }
        for process in mounts.compactMap(\.process) {
            let nodes = try process.store.read { try $0.everyNode() }
            for node in nodes {
                guard let place = node.place else { continue }
                if place.name.own != nil { count("own names") }
                let isMade = place.name.own?.isGiven == false
                if isMade, try !process.store.read({ try isStoredNameTaken(node, in: $0) }) {
                    throw Violation(
                        rule: "a name that is made without need", detail: "\(node.inode) \(place)")
                }
                if isLostName(place.name), try !process.store.read({ try showsOwn(place, in: $0) })
                {
                    throw Violation(
                        rule: "a name that no user has given", detail: "\(node.inode) \(place)")
                }
                // A late server stores a file under an alias that no mount remembers. Where the
                // response to the move of an edited file was lost, and its deltas come in parts,
                // the moved one is another's, whose own name has not changed with the name.
                let isNeeded =
                    try plan.isLate || hasCopies && names.isGiven(FileName(place.name.string))
                    || process.store.read { try needsAlias(place, in: $0) }
                if !isNeeded {
                    throw Violation(rule: "an alias without need", detail: "\(node.inode) \(place)")
                }
            }
        }
    }

    /// Throws a `Violation` if a mount shows the alias of a node whose own name the server keeps.
    /// Where another node had that name when it was told, it is not shown later.
    func checkToldNames() throws {
        guard plan.sharesModes, plan.tellsModes, plan.folding == .scalar, !rights.hasUndone
        else { return }
        for process in mounts.compactMap(\.process) {
            try process.store.read { snapshot in
                for node in try snapshot.everyNode() where node.remote == .inPlace {
                    guard let place = node.place, place.name.own == nil,
                        let own = try snapshot.toldFacts(of: node.inode)?.ownName(of: place.name),
                        place.name.shown != own.bytes, !names.isGiven(place.name),
                        names.isUnique(own)
                    else { continue }
                    throw Violation(
                        rule: "an own name that is not shown", detail: "\(node.inode) \(place)")
                }
            }
        }
    }

    /// Whether users see another node under the name that the server has of this one.
    private func isStoredNameTaken(_ node: Node, in snapshot: Snapshot) throws -> Bool {
        guard let place = node.place else { return false }
        let stored = try place.name.shown(as: nil)
        return try snapshot.children(of: place.parent).contains { child in
            child.inode != node.inode && child.name.shown == stored.shown
        }
    }

    /// Another mount sees aliases. So does a mount that has lost its rows by a power cut, or
    /// restores a deleted file, or to which its own late request comes as another client's, or that
    /// sends content twice: the server makes the folder anew that others have deleted in between.
    private func isLostName(_ name: FileName) -> Bool {
        if mounts.count > 1 || plan.cutsPower(of: 0) || name.text.contains("conflicted copy")
            || belated.isUsed
        {
            return false
        }
        let comesBack = plan.steps.contains {
            switch $0 {
            case .user(_, .restore): true
            case .other(.delete): plan.faults > 0
            default: false
            }
        }
        return !comesBack && name.own?.isGiven != false && !names.isGiven(name)
    }

    /// Whether another node beside an alias shows the own name: it came with the folder to which
    /// others have moved this one.
    private func showsOwn(_ alias: Place, in snapshot: Snapshot) throws -> Bool {
        let own = Self.withoutAlias(alias.name.string)
        guard own != alias.name.string else { return false }
        let other = try snapshot.child(folded: Folding.fold(own), of: alias.parent)
        return other?.place?.name.shown == Array(own.utf8)
    }

    static func withoutAlias(_ name: String) -> String {
        name.replacing(#/ \((Case|Unicode Encoding|Whitespace|Name) Conflict( \d+)?\)/#, with: "")
    }

    /// Whether users exchange nodes: one with an alias may keep it longer than it is needed
    /// (docs/semantics.md).
    private var exchangesNames: Bool {
        plan.steps.contains { if case .user(_, .exchange) = $0 { true } else { false } }
    }

    private func needsAlias(_ place: Place, in snapshot: Snapshot) throws -> Bool {
        if exchangesNames { return true }
        guard let own = place.name.own, own.isGiven, Alias(of: own.bytes).fault == nil else {
            return true
        }
        return try snapshot.child(folded: Folding.fold(place.name.text), of: place.parent) != nil
    }
}

extension UserStep {
    /// The paths at which something may be after it.
    var targets: [String] {
        switch self {
        case .write(let path), .makeFolder(let path), .restore(let path), .link(let path): [path]
        case .save(let path), .saveSafely(let path): [path, path + ".new"]
        case .rename(_, let target), .copy(_, let target): [target]
        case .exchange(let path, let target): [path, target]
        // An edit is another content under the name.
        case .append(let path), .overwrite(let path), .truncate(let path): [path]
        case .flush, .flushFolder, .flushOpen, .unlink, .removeFolder, .removeTree,
            .open, .hold, .writeOpen, .overwriteOpen, .close, .list, .pin,
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

extension String {
    /// The part of a conflicted copy's name that names the mount.
    fileprivate static var conflictMark: Regex<(Substring, Substring, Substring?)> {
        #/ \((m\d)'s conflicted copy [^)]*\)( \(\d+\))?/#
    }

    /// Whether this is the path of a conflicted copy of a file that is at a path.
    func isConflictedCopy(of path: String) -> Bool {
        contains(Self.conflictMark) && Folding.fold(replacing(Self.conflictMark, with: "")) == path
    }
}
