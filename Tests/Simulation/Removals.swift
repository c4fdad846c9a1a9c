// Texts that one actor removed or replaced, and no other one had changed: they must be gone in the
// end, on all sides. Not responsible for those that must be there, which the ledger knows.

import Core
import MetadataStore
import RemoteStore
import Sync

/// The tokens that are to be gone.
struct Removals {
    /// Of files of which the mounts knew no more than what the server had; with the files' ids.
    fileprivate var byOthers: [String: FileID] = [:]
    /// By the users of an account's only mount.
    fileprivate var byUsers: Set<String> = []

    /// Texts that another client has stored as well: a removal here is not one there.
    fileprivate var shared: Set<String> = []

    /// The power was cut, so that the past may come again.
    mutating func withdrawAll() { (byOthers, byUsers) = ([:], []) }

    /// Users want these back.
    mutating func withdraw(_ tokens: Set<String>) {
        for token in tokens { byOthers[token] = nil }
        byUsers.subtract(tokens)
    }

    /// Another client has stored these as well.
    mutating func share(_ tokens: Set<String>) { shared.formUnion(tokens) }

    /// The tokens that are in these texts all the same.
    func back(in texts: [String]) -> [String] {
        byUsers.union(byOthers.keys).subtracting(shared).intersection(texts.flatMap(Ledger.tokens))
            .sorted()
    }
}

extension World {
    /// The unsent changes of a mount.
    private struct Changes {
        var tokens: Set<String>
        var files: Set<FileID>

        func concern(_ token: String, _ file: FileID) -> Bool {
            tokens.contains(token) || files.contains(file)
        }
    }

    /// Another client has removed or replaced a text in a file.
    func noteRemoval(byOthers text: String, of file: FileID) {
        let present = serverTokens()
        let changes = mounts.map { unsentChanges(of: $0) }
        for token in Ledger.tokens(text).subtracting(present)
        where changes.allSatisfy({ $0.map { !$0.concern(token, file) } ?? false }) {
            removals.byOthers[token] = file
        }
    }

    /// A user has removed or replaced a text. Of two mounts the other one may have changed it, and
    /// while an account is listed, a file may be there twice.
    func noteRemoval(byUserOf mount: Mount, _ text: String) {
        guard mounts.count == 1, !plan.steps.contains(.resetCursors),
            mount.process?.engine.isTreeComplete == true, let copies = live(of: mount)
        else { return }
        removals.byUsers.formUnion(Ledger.tokens(text).subtracting(copies))
    }

    /// A text that users change after its removal by another client may stay.
    func withdrawChanged() {
        for mount in mounts where !removals.byOthers.isEmpty {
            let changes = unsentChanges(of: mount)
            removals.byOthers = removals.byOthers.filter { token, file in
                changes.map { !$0.concern(token, file) } ?? false
            }
        }
    }

    /// The files that have unsent changes on a mount, or are open there. Nil if folders that the
    /// server has have any, or if a deleted one is searched: then it is not clear what they
    /// concern.
    private func unsentChanges(of mount: Mount) -> Changes? {
        guard let process = mount.process, belated.count == 0,
            let nodes = unsent(of: process),
            nodes.allSatisfy({ $0.kind != .folder || $0.remote == .absent }),
            (try? process.store.read { snapshot in
                try snapshot.folderSearches().isEmpty && snapshot.intendedMoves().isEmpty
            }) == true
        else { return nil }
        let open = process.user.openFiles.compactMap { file in
            try? process.store.read { try $0.node(file.inode) }
        }
        return Changes(
            tokens: Set((nodes + open).flatMap { Ledger.tokens(text(of: $0, process)) }),
            files: Set((nodes + open).compactMap(\.facts.id)))
    }

    /// The tokens of unsent files that users see.
    func live(of mount: Mount) -> Set<String>? {
        guard let process = mount.process, let nodes = unsent(of: process) else { return nil }
        let visible = nodes.filter { $0.place != nil && $0.kind != .folder }
        return Set(visible.flatMap { Ledger.tokens(text(of: $0, process)) })
    }

    private func unsent(of process: MountProcess) -> [Node]? {
        if process.isDead.isSet { return nil }
        return try? process.store.read { snapshot in
            try snapshot.journalEntries(limit: 1000).compactMap { try snapshot.node($0.inode) }
        }
    }
}

extension World {
    /// The server is about to restore an older revision at a path for a user: its present content
    /// is given up. Returns whether the revision has another one.
    func willRestore(_ path: RemotePath, to revision: Revision) -> Bool {
        let present = texts(below: path.rawValue)
        for text in present {
            ledger.give(up: text)
            moves.withdraw(text)
        }
        ledger.allowCopies(of: text(of: revision))
        removals.withdraw(Ledger.tokens(text(of: revision)))
        return !present.contains(text(of: revision))
    }

    /// The server has restored a revision with another content. The present content would have
    /// stayed as it was, and what users have done to it would still be to be sent.
    func noteRestored(_ revision: Revision) {
        ledger.take(back: text(of: revision))
    }
}
