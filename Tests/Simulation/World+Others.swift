// The steps of another client, which talks to the server directly, and the facts about them that
// the rules need.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting

extension World {
    /// Does a step of another client.
    func perform(_ step: OtherStep) throws {
        let other = server.otherClient
        do {
            switch step {
            case .putSame(let index, let path): try putSame(as: index, path)
            case .put(let path):
                let token = ledger.issue("x")
                let before = other.files(below: path)
                try other.put(path, Array(token.utf8), modified: timeOfOthers)
                noteFile(path)
                giveUp(before)
                ledger.acknowledge(token, at: scheduler.now)
            case .makeFolder(let path): folders.noteMade(try other.makeFolder(path))
            case .delete(let path):
                let before = other.files(below: path)
                let paths = other.paths(below: path)
                try other.delete(path)
                giveUp(before)
                let texts = before.map { ($0.id, Self.text(of: $0.bytes)) }
                try noteDeletion(of: paths, Dictionary(texts) { $1 })
            case .move(let path, let target):
                // Uploads on their way into a moved folder make it anew.
                let unsent = mounts.compactMap { live(of: $0)?.joined() }
                let moved = texts(below: path) + unsent
                try other.move(path, to: target)
                if other.files(below: target).count > 0 { noteFile(target) }
                // A mount knows its own commit again at the commit's path only.
                moved.filter(ledger.isOfMounts).forEach(ledger.allowCopies)
                moved.forEach { removals.withdraw(Ledger.tokens($0)) }
            }
            count("changes of another client")
            noteFolders()
            try noteUnseen()
        } catch let error as RemoteError {
            note("  refused: \(error)")
        }
    }

    private func noteFile(_ path: String) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        namesOfFiles.insert(Folding.fold(name))
    }

    /// Another client stores the content that users of a mount have at a path.
    private func putSame(as index: Int, _ path: String) throws {
        guard let process = mounts[index].process, !process.isDead.isSet else { return }
        var hasAlias = false
        let node = try process.store.read { snapshot -> Node? in
            var node = try snapshot.node(.root)
            for name in path.split(separator: "/") {
                guard let parent = node?.inode else { return nil }
                node = try snapshot.child(FileName(shown: User.bytes(of: name)), of: parent)
                if node?.place?.name.own != nil { hasAlias = true }
            }
            return node
        }
        guard let node, node.kind == .file else { return }
        let text = text(of: node, process)
        if text.isEmpty { return }
        let tokens = Ledger.tokens(text)
        // Elsewhere it is a copy, also if users move theirs before both are seen to be the same, if
        // theirs arrives under the name of before a save (row M7), or if it or a folder above it
        // has an alias there. A full disk cannot keep the hash that tells it.
        let before = server.otherClient.files(below: path)
        // The next revision of a known file is one file (row E2), wherever users move it. That of
        // another file may be told after the revision before, with which theirs is in conflict.
        let isOneFile = node.remote != .absent && before.first?.id == node.facts.id
        let mayBeInConflict = !before.isEmpty && !isOneFile
        if try mayBeInConflict || plan.hasMoves && !isOneFile || !plan.flushes(index) || hasAlias
            || plan.folding != .scalar
            || !tokens.isDisjoint(with: serverTokens()) || isSentElsewhere(node, text, process)
        {
            ledger.allowCopies(of: text)
        }
        // The same content again changes nothing there.
        if before.contains(where: { $0.bytes == Array(text.utf8) }) { return }
        try server.otherClient.put(path, Array(text.utf8), modified: timeOfOthers)
        noteFile(path)
        giveUp(before)
        // Row D2: a mount whose users have deleted these bytes deletes this revision of them, too.
        if try !isDeletionPending(of: text) { ledger.take(back: text) }
        removals.share(tokens)
        count("equal contents by another client")
    }

    /// Whether a file's bytes are on their way to another name than it has now.
    private func isSentElsewhere(
        _ node: Node, _ text: String, _ process: MountProcess
    ) throws -> Bool {
        guard let place = node.place else { return false }
        let hash = ContentHasher.hash(text.utf8)
        return try process.store.read { snapshot in
            try snapshot.hasIntent(withHash: hash, for: node.inode)
                && snapshot.intent(at: place, hash: hash, modified: node.modified) == nil
        }
    }

    /// Whether users of a mount have deleted a file with this content that the server still has. Of
    /// a mount without a process it is not known.
    private func isDeletionPending(of text: String) throws -> Bool {
        for mount in mounts {
            guard let process = mount.process, !process.isDead.isSet else { return true }
            let nodes = try process.store.read { try $0.everyNode() }
            let isDeleted = nodes.contains { node in
                node.kind == .file && node.place == nil && node.remote != .absent
                    && self.text(of: node, process) == text
            }
            if isDeleted { return true }
        }
        return false
    }

    /// The modification time that another client stores now.
    private var timeOfOthers: WallTime {
        WallTime(seconds: 1_000_000_000 + scheduler.now / 1_000_000_000)
    }

    /// Another client has removed or replaced these files.
    private func giveUp(_ files: [(id: FileID, bytes: [UInt8])]) {
        for file in files {
            let text = Self.text(of: file.bytes)
            ledger.give(up: text)
            moves.withdraw(text)
            noteRemoval(byOthers: text, of: file.id)
        }
    }
}
