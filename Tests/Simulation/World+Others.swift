// The steps of another client, which talks to the server directly, and the facts about them that the rules need.

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
                try other.put(path, token)
                noteFile(path)
                giveUp(before)
                ledger.acknowledge(token, at: scheduler.now)
            case .makeFolder(let path): try other.makeFolder(path)
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
                moved.forEach {
                    ledger.allowCopies(of: $0)
                    removals.withdraw(Ledger.tokens($0))
                }
            }
            count("changes of another client")
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
        let node = try process.store.read { snapshot -> Node? in
            var node = try snapshot.node(.root)
            for name in path.split(separator: "/") {
                guard let parent = node?.inode else { return nil }
                node = try snapshot.child(FileName(shown: User.bytes(of: name)), of: parent)
            }
            return node
        }
        guard let node, node.kind == .file else { return }
        let text = text(of: node, process)
        if text.isEmpty { return }
        let tokens = Ledger.tokens(text)
        // Elsewhere it is a copy, also if users move theirs before both are seen to be the same, or theirs has an alias there. A
        // full disk cannot keep the hash that tells it.
        if plan.hasMoves || !plan.flushes(index) || node.place?.name.own != nil
            || !tokens.isDisjoint(with: serverTokens())
        {
            ledger.allowCopies(of: text)
        }
        let before = server.otherClient.files(below: path)
        // The same content again changes nothing there.
        if before.contains(where: { $0.bytes == Array(text.utf8) }) { return }
        try server.otherClient.put(path, text)
        noteFile(path)
        giveUp(before)
        ledger.take(back: text)
        removals.share(tokens)
        count("equal contents by another client")
    }

    /// Another client has removed or replaced these files.
    private func giveUp(_ files: [(id: FileID, bytes: [UInt8])]) {
        for file in files {
            let text = Self.text(of: file.bytes)
            ledger.give(up: text)
            noteRemoval(byOthers: text, of: file.id)
        }
    }
}
