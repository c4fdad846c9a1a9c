// Rules about single requests of mounts: which ones a mount may not send, and which ones the server
// may not get. Not responsible for their number (`World+End.swift`), nor for what they lead to.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

/// A request of a mount.
enum Request {
    /// Content is on its way.
    case upload(RemoteCommit, [UInt8])
    /// Modes, times or attributes are on their way alone.
    case facts(RemoteReference)
    /// The server has shown these nodes in a listing of a folder, with all levels or only one.
    case listing(RemotePath, Set<FileID>, isWhole: Bool)
    /// The server is about to delete something.
    case deletion(RemoteReference)
    /// A node is asked for while a change is on its way.
    case outdatedRead(String)
}

/// The earlier requests that the rules remember.
struct Requests {
    /// The nodes in the last listing of each folder, by the mount's name and the folder's path.
    fileprivate var shown: [String: [RemotePath: (nodes: Set<FileID>, isWhole: Bool)]] = [:]
}

extension World {
    /// Notes a `Violation` if a mount's request breaks a rule.
    func check(_ request: Request, of mount: Mount) {
        let broken: (rule: String, path: RemotePath)?
        switch request {
        case .upload(let commit, let bytes):
            broken = rule(brokenBy: commit, bytes, of: mount).map { ($0, commit.path) }
        case .facts(let node):
            // A mount also sends the modes that others have set, for what it makes again: not one
            // whose users do nothing.
            let mayBe =
                plan.hasAliases
                || plan.changesFiles(ofMount: mount.name)
                    && (0..<plan.mounts).contains(where: plan.changesNamesOrModes)
            broken = mayBe ? nil : ("modes are sent that no user has set", node.path)
        case .listing(let folder, let nodes, let isWhole):
            requests.shown[mount.name, default: [:]][folder] = (nodes, isWhole)
            broken = nil
        case .deletion(let node):
            broken = rule(brokenByDeletionOf: node, by: mount).map { ($0, node.path) }
        case .outdatedRead(let node):
            broken = ("a read runs beside a change", RemotePath(rawValue: node))
        }
        guard violation == nil, let broken else { return }
        violation = Violation(rule: broken.rule, detail: "\(mount.name) \(broken.path)")
    }

    private func rule(
        brokenBy commit: RemoteCommit, _ bytes: [UInt8], of mount: Mount
    ) -> String? {
        if case .revision(let revision) = commit.expectation, !plan.mayRepeat(mount.machine.index),
            server.content(of: revision) == bytes, !mayBeReplaced(revision, bytes, of: mount)
        {
            return "content is sent over itself"
        }
        if case .revision(let revision) = commit.expectation,
            mount.process?.link.deleting.contains(revision) == true
        {
            return "content is sent over a file that is being deleted"
        }
        if commit.expectation != .absent(strict: false), !isName(commit.path, of: mount) {
            return "a file is sent to a name that users do not see"
        }
        let text = Self.text(of: bytes)
        if ledger.flaw(of: [text]) != nil { return "torn content is sent" }
        let tokens = Ledger.tokens(text)
        let isWritten =
            mount.process?.user.openFiles.contains { file in
                guard let last = file.lastWrite, tokens.contains(last.token),
                    !ledger.mayBeCopied(last.token)
                else { return false }
                return Self.pausesOfWriters.contains(scheduler.now - last.time)
            } ?? false
        guard isWritten, plan.flushes(mount.machine.index) else { return nil }
        return "a file is sent while it is written"
    }

    /// Whether a mount has sent other content over a revision without getting a response.
    private func mayBeReplaced(
        _ revision: Revision, _ bytes: [UInt8], of mount: Mount
    ) -> Bool {
        let isSent = try? mount.process?.store.read { snapshot in
            guard let node = try snapshot.remoteFile(revision: revision) else { return false }
            return try snapshot.hasIntent(
                withOtherHashThan: ContentHasher.hash(bytes), for: node.inode)
        }
        return isSent == true
    }

    /// Nanoseconds since the last write through a handle in which a file is not sent: a request may
    /// have begun before, and 30 seconds are enough.
    private static let pausesOfWriters: Range<Int64> = 5_000_000_000..<25_000_000_000

    /// Whether something has the last name of a path. A call of users that is not over may be
    /// changing that.
    private func isName(_ path: RemotePath, of mount: Mount) -> Bool {
        guard let end = mount.endOfStep, scheduler.now > end, let store = mount.process?.store,
            let nodes = try? store.read({ try $0.everyNode() })
        else { return true }
        return nodes.contains { $0.place?.name.string == path.components.last }
    }

    /// A folder is deleted only once a listing has shown that it is there, and no file in it.
    private func rule(brokenByDeletionOf folder: RemoteReference, by mount: Mount) -> String? {
        let path = folder.path
        let shown = requests.shown[mount.name, default: [:]]
        guard let id = folder.id,
            let node = try? mount.process?.store.read({ try $0.node(id: id) }),
            node.kind == .folder
        else { return nil }
        if let listing = shown[path], listing.isWhole, !listing.nodes.contains(id) {
            return "a folder is deleted that its listing has not shown"
        }
        guard server.otherClient.paths(below: path.rawValue)[id] == path else { return nil }
        let inside = shown.filter { $0.key.isWithin(path) }.values
        let hasShown = server.otherClient.files(below: path.rawValue).contains { file in
            inside.contains { $0.nodes.contains(file.id) }
        }
        return hasShown ? "a folder is deleted with a file that its listing has shown" : nil
    }
}

extension Plan {
    /// Whether users of a mount may give a node another name or mode, or another node its name.
    fileprivate func changesNamesOrModes(_ mount: Int) -> Bool {
        moveLimit < 10_000
            || steps.contains { step in
                switch step {
                case .user(mount, let step):
                    switch step {
                    case .append, .flush, .flushFolder, .flushOpen, .overwrite, .open, .hold,
                        .writeOpen,
                        .overwriteOpen, .close, .list, .pin:
                        false
                    default: true
                    }
                case .remount(mount, _), .date(mount, _): true
                default: false
                }
            }
    }

    /// Whether some name may get an alias.
    fileprivate var hasAliases: Bool {
        folding != .scalar
            || steps.contains { step in
                let names: [String] =
                    switch step {
                    case .user(_, let step): step.targets
                    case .other(let step): step.targets
                    default: []
                    }
                let letters = "/.abcdefghijklmnopqrstuvwxyz"
                return names.contains { name in !name.allSatisfy { letters.contains($0) } }
            }
    }

    /// Whether a mount may have content without knowing that it is its base's: a user may have cut
    /// it back to that, a process may have died before it had written more, or the file may have
    /// been local-only in between.
    fileprivate func mayRepeat(_ mount: Int) -> Bool {
        hasEqualContents || !flushes(mount)
            || steps.contains { step in
                switch step {
                case .kill(mount, _), .powerCut(mount, _), .powerCutInRequest(mount, _),
                    .user(_, .restore), .remount(mount, _):
                    true
                default: false
                }
            }
    }
}
