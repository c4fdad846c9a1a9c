// Which nodes are local-only (by name, by pattern, or by their folder), and how they become synced
// when that ends. Not responsible for the patterns themselves (`IgnoreRules`).

import Core
import MetadataStore

extension LocalChanges {
    /// Whether a node of this name in this folder is local-only. Callers also ask about existing
    /// nodes, so a rule for new names alone belongs to `+Creating` and `+Renaming`.
    func isLocal(_ name: FileName, in folder: Node, isFolder: Bool) throws -> Bool {
        switch NamePolicy(name) {
        case .localOnly: return true
        case .synced, .unstorable:
            if folder.flags.contains(.localOnly) { return true }
            return try isIgnored(name, in: folder.inode, isFolder: isFolder)
        }
    }

    /// Whether an ignore pattern matches this name in this folder.
    private func isIgnored(_ name: FileName, in folder: InodeID, isFolder: Bool) throws -> Bool {
        let rules = context.rules
        guard !rules.ignored.isEmpty, let path = try transaction.localPath(of: folder) else {
            return false
        }
        return rules.ignored.isIgnored(rules.rootPath + path + [name], isFolder: isFolder)
    }

    /// Makes a local-only node and its contents synced, except nodes whose own name keeps them
    /// local.
    func makeSynced(_ node: Node) throws {
        try transaction.makeSynced(node.inode)
        guard node.kind == .folder else { return }
        let folder = try transaction.existing(node.inode)
        for child in try transaction.children(of: node.inode) {
            let node = try transaction.existing(child.inode)
            let isLocal = try isLocal(child.name, in: folder, isFolder: node.kind == .folder)
            if !keepsHere(node), !isLocal { try makeSynced(node) }
        }
    }

    /// Whether a node stays local-only under any name.
    func keepsHere(_ node: Node) -> Bool { context.rules.posix.keepsHere(node) }

    /// Makes those local-only nodes synced that this mount would send by its present rules: if the
    /// patterns have changed, all that no pattern matches; if links are sent from now on, links.
    /// Nodes on the server stay there, even if a pattern matches them.
    ///
    /// Must be called before the kernel knows any inode: files may become links.
    package func adoptRules() throws {
        let patterns = context.rules.ignored.text
        let links = context.rules.posix.isShared ? StoredSetting.linksAreSent : nil
        let hasNewPatterns =
            try transaction.setting(StoredSetting.ignoredPatterns) ?? "" != patterns
        let hasNewLinks = try transaction.setting(StoredSetting.links) != links
        guard hasNewPatterns || hasNewLinks else { return }
        if hasNewLinks, links != nil {
            try adoptToldLinks()
            for inode in try transaction.aliasedNodes() {
                try transaction.settleFacts(of: inode, by: context.rules.posix)
            }
        }
        for inode in try transaction.topmostLocalNodes() {
            guard let node = try transaction.node(inode), !keepsHere(node),
                hasNewPatterns || node.kind == .symbolicLink,
                let place = node.place, let folder = try transaction.node(place.parent)
            else { continue }
            let isLocal = try isLocal(place.name, in: folder, isFolder: node.kind == .folder)
            if !isLocal { try makeSynced(node) }
        }
        try transaction.setSetting(StoredSetting.ignoredPatterns, to: patterns)
        try transaction.setSetting(StoredSetting.links, to: links)
    }

    /// Makes links of the texts that the server has told to be links while this machine took them
    /// for files: its cursor is past them. Those that users have changed stay files until the
    /// change is sent.
    private func adoptToldLinks() throws {
        for node in try transaction.filesToldAsLinks() {
            let told = try transaction.toldFacts(of: node.inode)
            guard node.remote == .inPlace, node.staged == nil,
                let target = told?.link(ofContent: node.facts.hash)
            else { continue }
            try transaction.makeLink(node.inode, to: target)
        }
    }
}
