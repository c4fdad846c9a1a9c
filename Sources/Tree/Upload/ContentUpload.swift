// A content on its way to the server: where to, and with which time and facts. Not responsible for
// its bytes.

package import Core
package import MetadataStore
package import RemoteStore

/// Content to upload, and where to.
package struct ContentUpload: Hashable, Sendable {
    /// Remote path of the file.
    package var path: RemotePath
    /// The state that must be there.
    package var expectation: RemoteCommit.Expectation
    /// The modification time to send.
    package var modified: WallTime
    /// The content at the time of the decision.
    package var staged: StagedContent
    /// The target of a link: then its text is the content, and no staging file has it.
    package var link: LinkTarget?
    /// The facts to send with it; nil for none.
    package var facts: PosixFacts?
    /// Whether they differ by more than the time from those that the server has.
    package var needsFacts = false
}

extension ContentUpload {
    /// Whether the server has answered with the revision that this content was to replace: it does
    /// not store the same content again.
    func isStoredAlready(as entry: RemoteEntry) -> Bool {
        guard case .revision(let replaced) = expectation, case .file(let file) = entry.kind else {
            return false
        }
        return file.revision == replaced
    }

    /// Takes a modification time, and the facts of the node to send with it.
    package mutating func date(
        _ time: WallTime, of node: Node, by posix: PosixRules, in transaction: Transaction
    ) throws {
        modified = time
        facts = nil
        needsFacts = false
        guard posix.isShared else { return }
        let told = try transaction.toldFacts(of: node.inode)
        let current = try posix.facts(of: node, content: time, told: told, in: transaction)
        let isOwed = node.flags.contains(.factsOwed)
        // A link's target that is still told would make this file the link again if it had the
        // text.
        let wasLink = told?.link != nil
        needsFacts = isOwed || wasLink || current.differsBesidesTime(from: told)
        if try needsFacts || Self.isWorthSending(current, of: node, told, transaction) {
            facts = current
        }
    }

    /// Whether facts that need not be sent go with a content. They replace those of the server,
    /// which others may have changed: so only where the feed tells of that.
    private static func isWorthSending(
        _ facts: PosixFacts, of node: Node, _ told: PosixFacts?, _ transaction: Transaction
    ) throws -> Bool {
        // Nothing is worth a text, and none is there to be replaced.
        if facts.isEmpty, told == nil { return false }
        return try node.remote == .absent || transaction.feedTellsFacts()
    }
}
