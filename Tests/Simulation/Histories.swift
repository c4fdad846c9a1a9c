// The revisions of files that users replace by deleting them: a file that is written where the
// mount has not yet deleted one becomes the next revision of that. Not responsible for accounts
// that others change, or whose requests fail.

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

/// The ids that files must have on the server, by tokens of their contents.
struct Histories {
    fileprivate var ids: [String: FileID] = [:]

    /// A user has written a token where users had deleted a file.
    mutating func note(_ token: String, after file: FileID?) {
        if let file { ids[token] = file }
    }

    /// A user does something: a node that is moved or removed has another history.
    mutating func note(_ step: UserStep) {
        switch step {
        case .rename, .exchange, .save, .saveSafely, .unlink, .removeFolder, .removeTree, .restore,
            .link:
            ids = [:]
        default: break
        }
    }
}

extension World {
    /// Throws a `Violation` if a file is not the next revision of the one that users had deleted in
    /// its place.
    func checkHistories() throws {
        let paths = server.otherClient.snapshot.entries.keys.map(\.rawValue).sorted()
        for file in paths.flatMap({ server.otherClient.files(below: $0) }) {
            for token in Ledger.tokens(Self.text(of: file.bytes)).sorted() {
                guard let id = histories.ids[token], id != file.id else { continue }
                throw Violation(rule: "a file has lost its history", detail: "\(token) \(id)")
            }
        }
    }
}

extension Plan {
    /// Whether only one user changes anything, and each request gets its reply.
    var isUndisturbed: Bool {
        mounts == 1 && faults == 0 && folding == .scalar
            && steps.allSatisfy { step in
                switch step {
                case .user, .jobs, .wait, .mount: true
                default: false
                }
            }
    }
}

extension User {
    /// The file that the server still has at a place, where users have deleted it; nil if its
    /// deletion may be on its way.
    func deletedFile(named name: [UInt8], in parent: InodeID) throws -> FileID? {
        guard world.plan.isUndisturbed, process.link.changesOnTheirWay == 0 else { return nil }
        let key = try FileName(shown: name).folded
        return try process.store.read { snapshot in
            // A file that is there is rewritten, and keeps its own history.
            guard try snapshot.child(folded: key, of: parent) == nil,
                let node = try snapshot.remoteChild(folded: key, of: parent), node.isTombstone,
                node.kind == .file, let revision = node.facts.revision,
                try !snapshot.isOwnDeletion(revision)
            else { return nil }
            return node.facts.id
        }
    }
}
