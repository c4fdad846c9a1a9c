// Requests that no mount sends, although the server's refusal, or a later request, would repair
// their effect; and deltas and responses that no mount takes for contradictory, because the
// server's are not.

import Core
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Sync

extension World {
    /// A mount asks the server to put something at a path: something new, or the node at `source`.
    func check(place path: RemotePath, from source: RemotePath?, of mount: Mount) {
        if let source {
            guard path != source, path.isWithin(source) else { return }
            violation = Violation(
                rule: "a node is to move into itself", detail: "\(mount.name) \(source) \(path)")
        } else if path.rawValue.contains(".dbxfs-") {
            // The folder has another name soon, and then the server makes a second one.
            violation = Violation(
                rule: "something is made below a temporary name", detail: "\(mount.name) \(path)")
        }
    }

    /// Throws a `Violation` if a mount shows a folder that the server has, and does not know which
    /// one it is: where requests take no time, no folder can move between two of them. A move of
    /// users into a folder that others have moved makes a new one, of which no reply tells. A
    /// restored file may come into a folder whose delta or listing has failed.
    func checkPlaceholders(_ process: MountProcess) throws {
        // Its delta comes once the feed is back.
        if process.engine.status.isFeedFailing { return }
        guard let unknown = try unknownFolder(of: process) else { return }
        throw Violation(
            rule: "a folder of the server is not known",
            detail: "\(process.mount.name) \(unknown.inode)")
    }

    /// Such a folder of any mount: until its delta comes, a reply may have told of a node in it.
    func unknownFolder() throws -> Node? {
        for process in mounts.compactMap(\.process) {
            if let folder = try unknownFolder(of: process) { return folder }
        }
        return nil
    }

    private func unknownFolder(of process: MountProcess) throws -> Node? {
        guard plan.distance == 0 else { return nil }
        let isExempt = plan.steps.contains { step in
            switch step {
            case .user(_, .restore): true
            case .user(_, let step): step.isMove
            default: false
            }
        }
        if isExempt { return nil }
        let nodes = try process.store.read { try $0.everyNode() }
        return nodes.first { node in
            node.kind == .folder && node.remote != .absent && node.inode != .root
                && node.facts.id == nil
        }
    }

    /// A mount has logged something.
    func check(_ event: LogEvent, of name: String) {
        if "\(event.message)".hasPrefix("conflicted copies made"), plan.folding == .scalar,
            !plan.changesFiles(ofMount: name)
        {
            violation = Violation(
                rule: "a conflict of nobody", detail: "\(name) \(event.metadata ?? [:])")
        }
        let rules = ["deltas contradict the tree", "a response contradicts the tree"]
        guard let rule = rules.first(where: "\(event.message)".hasPrefix) else { return }
        violation = Violation(rule: rule, detail: "\(name) \(event.metadata ?? [:])")
    }
}

extension Plan {
    /// Whether users of a mount change anything.
    func changesFiles(ofMount name: String) -> Bool {
        steps.contains { step in
            guard case .user(let mount, let step) = step, "m\(mount)" == name else { return false }
            switch step {
            case .list, .open, .hold, .close, .pin, .flush, .flushFolder, .flushOpen: return false
            default: return true
            }
        }
    }
}
