// Changes of rows by facts that users set or the server tells. `PosixRules` decides.

import Core
import MetadataStore

extension Transaction {
    /// Decides anew whether the server is owed a node's facts. Returns whether it is.
    ///
    /// Facts that were sent may be on their way, or have arrived although the response was lost. Then a
    /// change back is owed, too, until a response tells what the server has (`isAnswered`).
    @discardableResult
    func settleFacts(
        of inode: InodeID, by rules: PosixRules, timeIsSet: Bool = false, isAnswered: Bool = false
    ) throws -> Bool {
        guard let node = try node(inode) else { return false }
        var owes = try rules.isOwed(node, timeIsSet: timeIsSet, in: self)
        if !owes, !isAnswered, rules.shares(node), node.flags.contains(.factsOwed) {
            owes = try hasIntent(for: inode)
        }
        // Set again, it is another change, whose burst begins now.
        if owes || node.flags.contains(.factsOwed) {
            try setFlags(.factsOwed, owes, of: inode)
        }
        return owes
    }

    /// Takes over the facts that the server has of a node, unless users here have changed theirs
    /// since: those are still to be sent. Returns whether users see a change.
    ///
    /// Facts that the server has lost, as by a client that stores the file anew or by the removal of
    /// all facts, stay here.
    func takeFacts(_ told: PosixFacts?, of node: Node, by rules: PosixRules) throws -> Bool {
        let known = try toldFacts(of: node.inode)
        guard told != known else { return false }
        try setToldFacts(told, of: node.inode)
        if node.flags.contains(.factsOwed) {
            try settleFacts(of: node.inode, by: rules)
            return false
        }
        guard let told else { return false }
        var local = node.local
        let isLink = node.kind == .symbolicLink
        if !isLink { local.permissions = rules.permissions(told.permissions, over: node) }
        if node.kind != .folder, node.staged == nil,
            let time = told.exactTime(stored: node.facts.clientModified)
        {
            local.modified = time
        }
        try setLocal(local, of: node.inode)
        // Linux has neither modes nor attributes of links.
        if isLink { return true }
        for name in (known?.attributes ?? [:]).keys where told.attributes[name] == nil {
            try removeAttribute("user." + name, of: node.inode)
        }
        for (name, value) in told.attributes {
            try setAttribute("user." + name, of: node.inode, to: value)
        }
        return true
    }
}
