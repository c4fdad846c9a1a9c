// The rules of modes: when all has come to rest, all mounts show the mode that the server has, and
// that is the last one that users have set.

import Core
import FileSystem
import MetadataStore
import RemoteStore
import RemoteStoreTesting

/// The modes that users have set last, where nothing else may have changed a mode since.
struct SetModes {
    fileprivate var bits: [FileID: UInt16] = [:]
    /// Whether nothing was on its way before the present step.
    fileprivate var isAtRest = false

    /// A step begins: a node that another one takes the place of has another mode.
    mutating func note(_ step: Step, isAtRest: Bool) {
        self.isAtRest = isAtRest
        switch step {
        case .user(_, let step):
            switch step {
            case .write, .append, .overwrite, .truncate, .flush, .flushFolder, .flushOpen, .open,
                .hold,
                .writeOpen, .overwriteOpen, .close, .list, .pin, .makeFolder, .chmod:
                break
            default: bits = [:]
            }
        case .jobs, .wait, .kill, .networkCutInRequest, .unmount, .mount, .faults, .network,
            .deltas, .other(.makeFolder):
            break
        default: bits = [:]
        }
    }

    /// A user has set a mode. One that the user has seen there already is no change, and one of
    /// content that others have replaced goes with its conflicted copy: `isCurrent` is whether the
    /// user's tree was the server's.
    mutating func set(_ mode: UInt16, of node: Node, over before: UInt16, isCurrent: Bool) {
        guard let id = node.facts.id else { return }
        bits[id] = isAtRest && isCurrent && before & 0o777 != mode ? mode : nil
    }
}

extension World {
    /// Throws a `Violation` if a mount shows another mode than the server has, or if the server has
    /// another one than users have set.
    func checkModes() throws {
        if let violation = try modesViolation(counts: true) { throw violation }
        try checkSetModes()
    }

    /// Whether no mount has anything to send.
    var isAtRest: Bool {
        mounts.allSatisfy { mount in
            guard let process = mount.process, process.link.changesOnTheirWay == 0 else {
                return false
            }
            return (try? process.store.read { try $0.pending().operations }) == 0
        }
    }

    private func checkSetModes() throws {
        let losesModes = mounts.indices.contains { plan.cutsPower(of: $0) }
        // Content that another mount sends may take along the mode of before, which it has not been
        // told to be outdated.
        let mayBeOutdated = plan.isLate && plan.mounts > 1
        guard plan.sharesModes, !belated.hasFacts, !losesModes, !mayBeOutdated else { return }
        let paths = serverPaths()
        for (id, bits) in setModes.bits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let path = paths[id]?.rawValue, !rights.hasKeptMode(of: id) else { continue }
            // That of content which turned out to be in conflict goes with the copy.
            if paths.values.contains(where: { $0.rawValue.isConflictedCopy(of: path) }) { continue }
            let isFile = server.otherClient.files(below: path).contains { $0.id == id }
            let mode = server.facts(at: path)?.permissions ?? (isFile ? 0o644 : 0o755)
            guard mode != bits else { continue }
            throw Violation(
                rule: "a mode that users have set is gone",
                detail: "\(path): \(String(mode, radix: 8)), not \(String(bits, radix: 8))")
        }
    }

    /// The first mode of a mount that is another than the server's.
    func modesViolation(counts: Bool = false) throws -> Violation? {
        // A mode that changes alone is not told to the other mounts, nor to this one when it has
        // lost its row by a power cut, or when its own late request has replaced a newer one.
        guard plan.sharesModes,
            plan.tellsModes || mounts.count == 1 && !plan.cutsPower(of: 0) && !belated.hasFacts
        else { return nil }
        let othersMove = plan.steps.contains {
            switch $0 {
            case .other(.move), .other(.delete): true
            case .user(_, let step): mounts.count > 1 && step.isMove
            default: false
            }
        }
        for mount in mounts {
            guard let process = mount.process else { continue }
            let nodes = try process.store.read { snapshot in
                try snapshot.everyNode().filter { $0.remote == .inPlace }
                    .map { (node: $0, path: try snapshot.remotePath(of: $0.inode)) }
            }
            for (node, path) in nodes where node.kind == .file || node.kind == .folder {
                guard let path, !rights.hasKeptMode(of: node.facts.id, by: mount) else { continue }
                guard case .ready(let entry) = process.fileSystem.attributes(of: node.inode) else {
                    continue
                }
                let kept = server.facts(at: path)?.permissions
                let expected = kept ?? (node.kind == .folder ? 0o755 : 0o644)
                if counts, kept != nil { count("modes kept") }
                // A folder that another client, or a request that was sent twice, makes where one
                // was that others have moved or deleted keeps the mode that users see.
                if kept == nil, node.kind == .folder, othersMove { continue }
                let shown = entry.attributes.permissions & 0o777
                guard shown != expected else { continue }
                return Violation(
                    rule: "another mode than the server's",
                    detail: "\(mount.name) \(path): \(String(shown, radix: 8)), "
                        + "not \(String(expected, radix: 8))")
            }
        }
        return nil
    }
}
