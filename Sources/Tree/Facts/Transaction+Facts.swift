// Changes of rows by facts that users set or the server tells. `PosixRules` decides.

import Core
import MetadataStore

extension Transaction {
    /// Decides anew whether the server is owed a node's facts. Returns whether it is.
    ///
    /// Facts that were sent may be on their way, or have arrived although the response was lost.
    /// Then a change back is owed, too, until a response tells what the server has (`isAnswered`);
    /// and so is a time that is set while content with another one is on its way.
    @discardableResult
    func settleFacts(
        of inode: InodeID, by rules: PosixRules, timeIsSet: Bool = false, isAnswered: Bool = false,
        besidesName: Bool = false
    ) throws -> Bool {
        guard var node = try node(inode) else { return false }
        return try settleFacts(
            of: &node, by: rules, timeIsSet: timeIsSet, isAnswered: isAnswered,
            besidesName: besidesName)
    }

    /// The same for a node as it is in this transaction.
    @discardableResult
    func settleFacts(
        of node: inout Node, by rules: PosixRules, timeIsSet: Bool = false,
        isAnswered: Bool = false, besidesName: Bool = false
    ) throws -> Bool {
        let inode = node.inode
        var owes = try rules.isOwed(
            node, timeIsSet: timeIsSet, besidesName: besidesName, in: self)
        let wasOwed = node.flags.contains(.factsOwed)
        if !owes, !isAnswered, rules.shares(node), timeIsSet || wasOwed {
            // The time of a node is compared once its content is settled.
            let isWaiting = wasOwed && node.staged != nil && node.remote != .absent
            owes = try isWaiting || hasIntent(for: inode)
        }
        // Set again, it is another change, whose burst begins now.
        if owes || wasOwed {
            try setFlags(.factsOwed, owes, of: inode)
            if owes { node.flags.insert(.factsOwed) } else { node.flags.remove(.factsOwed) }
        }
        return owes
    }

    /// Marks the name of a node that users have renamed as owed to the server, if the server cannot
    /// have that name itself, or if others would see one that was told before.
    func shareName(of node: Node, by rules: PosixRules) throws {
        try noteStoredName(of: node, by: rules)
        let flags = try self.node(node.inode)?.flags ?? []
        if node.place?.name.unstored != nil
            || !flags.isDisjoint(with: [.factsOwed, .storedNameGiven])
        {
            try settleFacts(of: node.inode, by: rules)
        }
    }

    /// Notes whether users have given a node the name that the server has, although another one was
    /// told.
    func noteStoredName(of node: Node, by rules: PosixRules) throws {
        var isGiven = false
        if let name = node.place?.name, name.unstored == nil, rules.shares(node) {
            isGiven = try toldFacts(of: node.inode)?.ownName(of: name) != nil
        }
        if isGiven != node.flags.contains(.storedNameGiven) {
            try setFlags(.storedNameGiven, isGiven, of: node.inode)
        }
    }

    /// Takes over the told facts of a node, except facts that users here have changed since the
    /// server told `base`. Returns whether users see a change.
    ///
    /// Facts that the server has lost, as by a client that stores the file anew or by the removal
    /// of all facts, stay here. `wereSent`: the told facts are those of a creation by this mount.
    func takeFacts(
        _ told: PosixFacts?, over base: PosixFacts?, of node: Node, by rules: PosixRules,
        wereSent: Bool = false
    ) throws -> Bool {
        guard told != base else { return false }
        try setToldFacts(told, of: node.inode)
        let isOwed = node.flags.contains(.factsOwed)
        if !isOwed, node.flags.contains(.storedNameGiven), told?.ownName != base?.ownName {
            try setFlags(.storedNameGiven, false, of: node.inode)
        }
        guard let told else {
            if isOwed { try settleFacts(of: node.inode, by: rules) }
            return false
        }
        // Facts that were sent may be told now or later, although the response was lost: a change
        // back would look like none. Those of a creation are this machine's own, or those of a file
        // that this one has replaced since.
        let isOnItsWay = try wereSent || isOwed && hasIntent(for: node.inode)
        let isSeen = try !isOnItsWay && merge(told, over: base, into: node, by: rules)
        // A name that others tell makes none owed, also where users here see another one.
        try settleFacts(of: node.inode, by: rules, besidesName: !isOwed)
        return isSeen
    }

    /// Has users see the facts that the server has of a file whose deletion is undone: the ones
    /// that were not sent went with the file.
    func dropUnsentFacts(of inode: InodeID, by rules: PosixRules) throws {
        guard let node = try node(inode), rules.shares(node) else { return }
        let told = try toldFacts(of: inode)
        var local = node.local
        local.permissions = rules.permissions(told?.permissions, over: node)
        if local != node.local { try setLocal(local, of: inode) }
        let attributes = told?.attributes ?? [:]
        for full in try attributeNames(of: inode) where full.hasPrefix(PosixRules.user) {
            let name = String(full.dropFirst(PosixRules.user.count))
            if attributes[name] == nil { try removeAttribute(full, of: inode) }
        }
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            let full = "\(PosixRules.user)\(name)"
            if try attribute(full, of: inode) != value {
                try setAttribute(full, of: inode, to: value)
            }
        }
        try settleFacts(of: inode, by: rules)
    }

    private func merge(
        _ told: PosixFacts, over base: PosixFacts?, into node: Node, by rules: PosixRules
    ) throws -> Bool {
        var local = node.local
        let isLink = node.kind == .symbolicLink
        if !isLink, rules.isAsTold(node.local.permissions, base, of: node) {
            local.permissions = rules.permissions(told.permissions, over: node)
        }
        if node.kind != .folder, node.staged == nil {
            local.modified = node.timeAfter(told, over: base)
        }
        var isSeen = local != node.local
        if isSeen { try setLocal(local, of: node.inode) }
        // Linux has neither modes nor attributes of links.
        if isLink { return isSeen }
        let names = Set(told.attributes.keys).union(base?.attributes.keys.map(\.self) ?? [])
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            let full = "\(PosixRules.user)\(name)"
            let (ours, theirs) = (try attribute(full, of: node.inode), told.attributes[name])
            guard ours == base?.attributes[name], ours != theirs else { continue }
            isSeen = true
            if let theirs {
                try setAttribute(full, of: node.inode, to: theirs)
            } else {
                try removeAttribute(full, of: node.inode)
            }
        }
        return isSeen
    }
}

extension Node {
    /// The modification time here once the server has told facts over other ones; a time that users
    /// have set since stays.
    fileprivate func timeAfter(_ told: PosixFacts, over base: PosixFacts?) -> WallTime? {
        let stored = facts.clientModified
        let before = base?.exactTime(stored: stored)
        let isOurs = flags.contains(.factsOwed) && local.modified != before ?? stored
        if isOurs, local.modified != nil { return local.modified }
        if let time = told.exactTime(stored: stored) { return time }
        // Set back to the time that the server has.
        return before != nil && local.modified == before ? nil : local.modified
    }
}
