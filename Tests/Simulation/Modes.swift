// The rule of modes: when all has come to rest, all mounts show the mode that the server has.

import Core
import MetadataStore
import RemoteStoreTesting

extension World {
    /// Throws a `Violation` if a mount shows another mode than the server has.
    func checkModes() throws {
        // A mode that changes alone is not told to the other mounts.
        guard plan.sharesModes, plan.tellsModes || mounts.count == 1 else { return }
        for process in mounts.compactMap(\.process) {
            let nodes = try process.store.read { snapshot in
                try snapshot.everyNode().filter { $0.remote == .inPlace }
                    .map { ($0, try snapshot.remotePath(of: $0.inode)) }
            }
            for case (let node, let path?) in nodes where node.kind == .file || node.kind == .folder
            {
                guard case .ready(let entry) = process.fileSystem.attributes(of: node.inode) else {
                    continue
                }
                let kept = server.facts(at: path)?.permissions
                let expected = kept ?? (node.kind == .folder ? 0o755 : 0o644)
                if kept != nil { count("modes kept") }
                let shown = entry.attributes.permissions & 0o777
                guard shown != expected else { continue }
                throw Violation(
                    rule: "another mode than the server's",
                    detail: "\(process.name) \(path): \(String(shown, radix: 8)), "
                        + "not \(String(expected, radix: 8))")
            }
        }
    }
}
