// The rule of modes: when all has come to rest, all mounts show the mode that the server has.

import Core
import FileSystem
import MetadataStore
import RemoteStoreTesting

extension World {
    /// Throws a `Violation` if a mount shows another mode than the server has.
    func checkModes() throws {
        if let violation = try modesViolation(counts: true) { throw violation }
    }

    /// The first mode of a mount that is another than the server's.
    func modesViolation(counts: Bool = false) throws -> Violation? {
        // A mode that changes alone is not told to the other mounts, nor to this one when it has lost its row by a power cut, or
        // when its own late request has replaced a newer one.
        guard plan.sharesModes,
            plan.tellsModes || mounts.count == 1 && !plan.cutsPower(of: 0) && !belated.hasFacts
        else { return nil }
        let othersMove = plan.steps.contains {
            switch $0 {
            case .other(.move), .other(.delete): true
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
                guard let path else { continue }
                guard case .ready(let entry) = process.fileSystem.attributes(of: node.inode) else {
                    continue
                }
                let kept = server.facts(at: path)?.permissions
                let expected = kept ?? (node.kind == .folder ? 0o755 : 0o644)
                if counts, kept != nil { count("modes kept") }
                // A folder that another client makes where one was that it has moved or deleted keeps the mode that users see.
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
