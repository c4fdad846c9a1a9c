// Folders that the mounts may not change, because they are another user's: changes that mounts have
// undone, or kept to themselves, for that reason are no fault. Not responsible for the refusals
// (`InMemoryStore`).

import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

/// A change that a mount does not repeat when the server refuses it for want of a right.
enum Restricted {
    /// A deletion, which is undone.
    case removal(RemoteReference)
    /// A move to a path, which is undone.
    case move(RemoteReference, RemotePath)
    /// Modes, times or attributes alone, which stay on the machine.
    case facts(RemoteReference)
    /// A new link, which stays on the machine until the next start.
    case link
}

/// The changes that were refused so far.
struct Rights {
    /// The nodes whose moves were refused.
    fileprivate(set) var unmoved: Set<FileID> = []
    /// The nodes whose facts were refused, by the names of the mounts.
    fileprivate var keptFacts: [String: Set<FileID?>] = [:]
    /// A move or a deletion was refused: nodes come back, and others may step aside for them.
    fileprivate(set) var hasUndone = false
    fileprivate(set) var hasRefusedLink = false

    var hasRefusedFacts: Bool { !keptFacts.isEmpty }

    /// Whether a mount, or any if it is nil, may have kept a mode of a node to itself.
    func hasKeptMode(of id: FileID?, by mount: Mount? = nil) -> Bool {
        keptFacts.contains { name, ids in
            (mount == nil || mount?.name == name) && (ids.contains(id) || ids.contains(nil))
        }
    }
}

extension World {
    /// Another user takes from the account the right to change a folder.
    func setReadOnly(_ path: String) {
        guard server.setReadOnly(path) else { return note("  no folder") }
        count("read-only folders")
    }

    /// The server has refused a change of a mount.
    func noteRefusal(of change: Restricted, to mount: Mount) {
        switch change {
        case .link: rights.hasRefusedLink = true
        case .facts(let node):
            let id = node.id ?? serverPaths().first { $0.value == folded(node.path) }?.key
            rights.keptFacts[mount.name, default: []].insert(id)
        case .removal(let node):
            count("refused deletions")
            noteUndone(node, of: mount)
        case .move(let node, let target):
            count("refused moves")
            if let id = node.id { rights.unmoved.insert(id) }
            noteUndone(node, of: mount)
            noteKept(target.components)
        }
    }

    /// A mount is about to show a node again as the server has it, and the folders above it.
    private func noteUndone(_ node: RemoteReference, of mount: Mount) {
        rights.hasUndone = true
        let paths = serverPaths()
        let path = node.id.flatMap { paths[$0] } ?? folded(node.path)
        // Texts that users have removed or replaced there are back.
        var texts = texts(below: path.rawValue)
        if let shown = text(of: node, of: mount) { texts.append(shown) }
        removals.withdraw(Set(texts.flatMap(Ledger.tokens)))
        // The mount may still know it elsewhere.
        noteKept(path.components + node.path.components)
        noteKept(paths.values.filter { $0.isWithin(path) }.compactMap(\.components.last))
    }

    /// The content that a mount has for a file.
    private func text(of node: RemoteReference, of mount: Mount) -> String? {
        guard let id = node.id, let process = mount.process,
            let known = try? process.store.read({ try $0.node(id: id) }), known.kind != .folder
        else { return nil }
        return text(of: known, process)
    }

    /// Nodes to which users have given these names may step aside for those of the server.
    private func noteKept(_ names: [String]) {
        self.names.noteChange(of: names + names.map(Self.withoutAlias))
    }

    private func folded(_ path: RemotePath) -> RemotePath {
        RemotePath(rawValue: Folding.fold(path.rawValue))
    }
}
