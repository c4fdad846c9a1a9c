// Which facts of a node are shared with other machines, and when the server is owed them. Pure but
// for reading rows. Not responsible for sending (`Sync`), nor for the text
// (`PosixFacts+Text.swift`).

import Core
import MetadataStore

/// How a mount shares POSIX facts.
package struct PosixRules: Hashable, Sendable {
    /// Whether facts are kept on Dropbox.
    package var isShared: Bool
    /// Permission bits of files whose permissions were not set.
    package var filePermissions: UInt16
    /// The same of folders.
    package var folderPermissions: UInt16

    /// Facts stay on this machine.
    package static let local = PosixRules(isShared: false)

    package init(
        isShared: Bool, filePermissions: UInt16 = 0o644, folderPermissions: UInt16 = 0o755
    ) {
        self.isShared = isShared
        self.filePermissions = filePermissions & PosixFacts.sharedPermissions
        self.folderPermissions = folderPermissions & PosixFacts.sharedPermissions
    }

    /// The facts to share of a node. `content` is the modification time of content that is sent
    /// with them; nil without.
    func facts(
        of node: Node, content: WallTime? = nil, told: PosixFacts?, in tree: some TreeReading
    ) throws -> PosixFacts {
        var facts = PosixFacts(others: told?.others ?? [])
        guard isShared, hasFacts(node) else { return facts }
        facts.link = Self.sentTarget(of: node)
        facts.ownName = try ownName(of: node, told: told, in: tree)
        if node.kind != .symbolicLink { facts.permissions = permissions(of: node, told: told) }
        if node.kind != .folder, let time = content ?? node.local.modified,
            let stored = (content?.storable ?? node.facts.clientModified)?.seconds,
            time != WallTime(seconds: stored)
        {
            facts.modified = PosixFacts.ExactTime(time, stored: stored)
        }
        // Linux has no such attributes of links.
        if node.kind == .symbolicLink { return facts.fitting(beside: told) }
        for (name, value) in try tree.attributes(of: node.inode, upTo: PosixFacts.longestText)
        where name.hasPrefix(Self.user) {
            facts.attributes[String(name.dropFirst(Self.user.count))] = value
        }
        return facts.fitting(beside: told)
    }

    /// Whether the server is owed facts of a node that it lacks. A time counts if a user has just
    /// set it, or if it is owed already: times by writes and copies go with the content. A name
    /// does not count with `besidesName`.
    func isOwed(
        _ node: Node, timeIsSet: Bool, besidesName: Bool = false, in tree: some TreeReading
    ) throws -> Bool {
        guard isShared, hasFacts(node) else { return false }
        let told = try tree.toldFacts(of: node.inode)
        var ours = try facts(of: node, told: told, in: tree)
        if besidesName { ours.ownName = told?.ownName }
        if ours.differsBesidesTime(from: told) { return true }
        guard timeIsSet || node.flags.contains(.factsOwed), node.kind != .folder,
            node.remote != .absent, node.staged == nil, let stored = node.facts.clientModified,
            let time = node.local.modified
        else { return false }
        // A time without room in the text is not sent.
        guard ours.modified != told?.modified else { return false }
        // Others see whole seconds as long as no exact time was ever shared.
        if told?.modified == nil { return time.seconds != stored.seconds }
        return time != told?.exactTime(stored: stored) ?? stored
    }

    /// Whether a node is local-only wherever it is: Dropbox has nothing of the kind, and a link is
    /// sent only with its target, as a fact.
    func keepsHere(_ kind: NodeKind, target: LinkTarget?) -> Bool {
        switch kind {
        case .folder, .file: false
        case .fifo, .socket: true
        case .symbolicLink: !isShared || target.map { !Self.fits($0) } ?? true
        }
    }

    func keepsHere(_ node: Node) -> Bool { keepsHere(node.kind, target: node.facts.target) }

    private static func fits(_ target: LinkTarget) -> Bool {
        PosixFacts(link: target).text.utf8.count <= PosixFacts.longestText
    }

    /// The target of a link that is sent, or was, as a file with a text; nil for any other node,
    /// also for a link that Dropbox's own client has stored.
    static func sentTarget(of node: Node) -> LinkTarget? {
        guard node.kind == .symbolicLink, let target = node.facts.target,
            node.remote == .absent || node.facts.hash == target.contentHash
        else { return nil }
        return target
    }

    /// The own name to share. If users see the node under its name on the server, the told own name
    /// stays shared, because another node has it here; unless users have renamed the node so.
    private func ownName(
        of node: Node, told: PosixFacts?, in tree: some TreeReading
    ) throws -> OwnName? {
        if let own = node.place?.name.unstored { return own }
        guard told?.ownName != nil, let name = try tree.remotePlace(of: node)?.name else {
            return nil
        }
        guard node.flags.contains(.storedNameGiven), let given = node.place?.name,
            told?.ownName(of: given) != nil
        else { return told?.ownName(of: name) }
        return try OwnName(Array(given.string.utf8))
    }

    /// Whether facts of a node are kept on the server.
    func shares(_ node: Node) -> Bool { isShared && hasFacts(node) }

    /// The permissions of a node once others have set theirs: bits that are not shared stay.
    func permissions(_ told: UInt16?, over node: Node) -> UInt16? {
        let own = (node.local.permissions ?? 0) & ~PosixFacts.sharedPermissions
        guard own != 0 else { return told }
        return (told ?? standard(for: node)) | own
    }

    /// Whether permissions here equal the told permissions, or the default if none are told.
    func isAsTold(_ permissions: UInt16?, _ told: PosixFacts?, of node: Node) -> Bool {
        let standard = standard(for: node)
        return permissions.map { $0 & PosixFacts.sharedPermissions } ?? standard
            == told?.permissions ?? standard
    }

    private func standard(for node: Node) -> UInt16 {
        node.kind == .folder ? folderPermissions : filePermissions
    }

    private func hasFacts(_ node: Node) -> Bool {
        guard node.inode != .root, !node.flags.contains(.localOnly) else { return false }
        return switch node.kind {
        case .file, .folder: true
        case .symbolicLink: Self.sentTarget(of: node) != nil
        case .fifo, .socket: false
        }
    }

    /// The bits to share. Those that the server has stay explicit: the defaults of another machine
    /// may be others.
    private func permissions(of node: Node, told: PosixFacts?) -> UInt16? {
        let bits = node.local.permissions.map { $0 & PosixFacts.sharedPermissions }
        return bits == standard(for: node) && told?.permissions == nil ? nil : bits
    }

    /// The beginning of the names of attributes that are shared.
    static let user = "user."
}

extension PosixFacts {
    /// Whether users of another machine would see another mode, other attributes, another link or
    /// another name.
    func differsBesidesTime(from told: PosixFacts?) -> Bool {
        permissions != told?.permissions || attributes != told?.attributes ?? [:]
            || link != nil && link != told?.link || ownName != nil && ownName != told?.ownName
    }
}
