// The modes, times and attributes in responses.

package import Core
import MetadataStore
import RemoteStore

extension UploadResults {
    /// Records the facts that the server has by the response to a commit, a creation or a move.
    /// `sent` are those of the request; if the server has others, another client has changed them.
    /// With `isTimeKept`, the server has kept its time of the content, whichever was sent.
    mutating func noteFacts(
        of entry: RemoteEntry, sent: PosixFacts? = nil, isTimeKept: Bool = false
    ) throws {
        guard context.posix.isShared, let id = entry.id, let node = try transaction.node(id: id)
        else { return }
        var (isAnswered, isOfOthers) = (false, false)
        if case .told(let facts) = entry.posix {
            if let sent, facts == sent {
                try noteTold(sent, of: node)
            } else {
                try takeFacts(facts, of: node)
                isOfOthers = true
            }
            isAnswered = true
        }
        try transaction.settleFacts(
            of: node.inode, by: context.posix, timeIsSet: isTimeKept, isAnswered: isAnswered,
            besidesName: isOfOthers && !node.flags.contains(.factsOwed))
    }

    /// Records facts that this mount has sent. Users may have renamed the node since.
    private func noteTold(_ facts: PosixFacts, of node: Node) throws {
        let base = try transaction.toldFacts(of: node.inode)
        try transaction.setToldFacts(facts, of: node.inode)
        if facts.ownName != base?.ownName {
            try transaction.noteStoredName(of: node, by: context.posix)
        }
    }

    private mutating func takeFacts(_ facts: PosixFacts?, of node: Node) throws {
        let base = try transaction.toldFacts(of: node.inode)
        // Another machine has replaced the name. The delta finds it told.
        if let facts, base?.ownName != nil, facts.ownName != base?.ownName {
            try useApplier {
                try $0.learnOwnName(from: facts, over: base, of: node)
                try $0.giveLeftNames()
            }
        }
        if try transaction.takeFacts(facts, over: base, of: node, by: context.posix) {
            noteChange(.attributes(node.inode))
        }
    }

    /// Records that the server has facts that were sent alone. Users may have changed them since.
    package func noteFacts(_ update: FactsUpdate, of inode: InodeID) throws {
        // Since the request, another node may have taken the identity.
        let owner = try update.node.id.flatMap { try transaction.node(id: $0) }
        guard let node = try owner ?? transaction.node(inode), node.remote != .absent,
            node.facts.id == update.node.id
        else { return }
        try noteTold(update.facts, of: node)
        try transaction.settleFacts(of: node.inode, by: context.posix, isAnswered: true)
    }

    /// Records that the server does not keep a node's facts, which stay on this machine; so does a
    /// link that it does not have, until the next mount tries again.
    package func keepFactsHere(of inode: InodeID) throws {
        guard let node = try transaction.node(inode) else { return }
        if node.flags.contains(.factsOwed) {
            try transaction.setFlags(.factsOwed, false, of: inode)
        }
        guard node.kind == .symbolicLink, node.remote == .absent, node.place != nil else { return }
        try transaction.makeLocalOnly(inode)
        try transaction.setSetting(StoredSetting.links, to: nil)
    }
}
