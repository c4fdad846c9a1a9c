// Requests that no mount sends, although the server's refusal, or a later request, would repair
// their effect; and deltas that no mount takes for contradictory, because the server's are not.

import Core
import Logging
import RemoteStore

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

    /// A mount has logged something.
    func check(_ event: LogEvent, of name: String) {
        guard "\(event.message)".hasPrefix("deltas contradict the tree") else { return }
        violation = Violation(
            rule: "deltas contradict the tree", detail: "\(name) \(event.metadata ?? [:])")
    }
}
