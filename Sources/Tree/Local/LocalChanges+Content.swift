// Changed content: its staging file, and its rows.

package import Core
package import MetadataStore
package import Staging

extension LocalChanges {
    /// The staging file of an open file whose handles read `revision`, created over that if there
    /// is none. With `discardingContent`, a new file is created without base. A present file that
    /// was never flushed is truncated instead.
    package mutating func beginContent(
        of inode: InodeID, over revision: FileVersion?, discardingContent: Bool
    ) throws -> StagedFile {
        guard var node = try transaction.node(inode) else { throw TreeError.staleContent }
        if let begun = try context.staging.file(of: node), begun.retired == nil {
            // Another handle was faster, unless this content is to be discarded. Its flushed bytes
            // must stay until the new content is flushed.
            guard discardingContent, node.place != nil, node.staged?.isFlushed == true else {
                return begun
            }
            begun.replace()
            transaction.afterUndo { begun.takeBack() }
        }
        if let revision, revision.revision != node.facts.revision,
            // A move gives another revision to the same bytes.
            revision.hash != node.facts.hash
        {
            // The file was deleted here and edited on another client, and came back while it was
            // open. A write through this handle belongs to the version before.
            throw TreeError.staleContent
        }
        guard discardingContent || revision != nil else { throw TreeError.noContent(inode) }
        if node.isOrphan {
            effects.returned = try ReturnedFile(
                node, host: context.rules.host, at: now, in: transaction)
            node = try transaction.existing(inode)
        }
        if discardingContent {
            // Nothing is written that would bring its time.
            var local = node.local
            (local.modified, local.changed) = (now, now)
            try transaction.setLocal(local, of: node.inode)
        }
        let base = discardingContent ? nil : revision.map { StagedContent.Base(whole: $0) }
        return try context.staging.begin(
            node.inode, base: base, size: base?.size ?? 0, in: transaction)
    }

    /// Saves size, block map and times of staged content in its row. `isComplete` is false if the
    /// change has only begun. A save that `isUnasked` is no change of users: when content is sent,
    /// and the problem that it has, stay. Returns whether the server is owed something new.
    package func save(
        _ staged: StagedFile, isComplete: Bool = true, isUnasked: Bool = false
    ) throws -> Bool {
        let isNew = staged.hasUnsavedContent
        guard staged.hasUnsavedChanges, let node = try transaction.node(staged.inode),
            // Content without a row belongs to a file that was deleted here and edited on another
            // client.
            node.staged?.file == staged.number
        else { return false }
        if isUnasked { try transaction.keepEntry(of: staged.inode) }
        try staged.persist(in: transaction, isComplete: isComplete, known: node.local)
        return isNew && node.isOwed
    }

    /// Saves which blocks of the base are in the staging file.
    package func saveBlocks(of staged: StagedFile) throws {
        let row = try transaction.node(staged.inode)?.staged
        guard row?.file == staged.number else { return }
        try staged.persist(in: transaction)
    }

    /// Saves content that was copied from another file, which the server may copy, too.
    package func save(_ staged: StagedFile, as pendingCopy: PendingCopy) throws -> Bool {
        try transaction.setPendingCopy(pendingCopy, of: staged.inode)
        return try save(staged)
    }
}

extension StagedContent.Base {
    /// The base that covers a whole revision.
    init(whole content: FileVersion) {
        self.init(
            revision: content.revision, hash: content.hash, size: content.size,
            limit: content.size)
    }
}
