// The changes that users make to the tree: made, renamed, removed, written. Each is made within one
// transaction, and collects the effects that must wait for its commit. Not responsible for handles,
// for the kernel, nor for uploads: those follow from the rows.

package import Core
package import MetadataStore
package import Staging

/// The settings of a mount on which the rules for users' changes depend.
package struct LocalRules: Sendable {
    /// Whether every change is refused with `readOnly`.
    package var isReadOnly: Bool
    /// A lookup ignores case and composition.
    package var foldsCase: Bool
    /// Names are refused that Dropbox refuses, or takes for a sibling's. Else it gets an alias of
    /// them.
    package var refusesNames: Bool
    /// Patterns for names that stay local-only.
    package var ignored: IgnoreRules
    /// The path of the mount's root in the account, where patterns begin.
    package var rootPath: [FileName]
    /// This machine's name, for conflicted copies.
    package var host: String
    /// How modes, times and attributes are shared.
    package var posix: PosixRules

    package init(
        isReadOnly: Bool, foldsCase: Bool, refusesNames: Bool, ignored: IgnoreRules,
        rootPath: [FileName], host: String, posix: PosixRules = .local
    ) {
        self.isReadOnly = isReadOnly
        self.foldsCase = foldsCase
        self.refusesNames = refusesNames
        self.ignored = ignored
        self.rootPath = rootPath
        self.host = host
        self.posix = posix
    }
}

/// The interface of Tree to the kernel's references to inodes.
package protocol KernelReferences: Sendable {
    /// Marks an inode as unlinked. Returns whether the kernel still refers to it. Must wait for
    /// nothing but a short lock.
    func noteUnlinked(_ inode: InodeID) -> Bool
    /// Notes that a folder was removed, for ever.
    func noteDead(_ inode: InodeID)
}

/// The surroundings of users' changes.
package struct LocalContext: Sendable {
    let rules: LocalRules
    let staging: StagingArea
    let openFiles: any OpenFileTracking
    let references: any KernelReferences

    package init(
        rules: LocalRules, staging: StagingArea, openFiles: any OpenFileTracking,
        references: any KernelReferences
    ) {
        self.rules = rules
        self.staging = staging
        self.openFiles = openFiles
        self.references = references
    }
}

/// The work that remains after the commit of a user's change.
package struct LocalEffects: Sendable {
    /// Staging files that no row names since the change.
    package var freedFiles: [Int64] = []
    /// Names to invalidate in the kernel, besides those that the request itself names.
    package var otherNames: [Place] = []
    /// A detached file that a write has put back.
    package var returned: ReturnedFile?
}

/// Users' changes of the tree, within one transaction.
package struct LocalChanges {
    package let transaction: Transaction
    let context: LocalContext
    /// The folders whose children are all known.
    let known: KnownFolders
    /// The date and time of day.
    package let now: WallTime
    /// The work that remains after the commit.
    package internal(set) var effects = LocalEffects()

    /// Begins changes in a transaction.
    package init(
        _ transaction: Transaction, context: LocalContext, known: KnownFolders, now: WallTime
    ) {
        self.transaction = transaction
        self.context = context
        self.known = known
        self.now = now
    }

    // MARK: Parts

    /// Throws unless names in a folder may be created and removed.
    func requireWritable(_ folder: Node) throws(TreeError) {
        if context.rules.isReadOnly { throw .readOnly }
        if !folder.flags.isDisjoint(with: .rights) {
            throw .accessDenied
        }
    }

    /// Throws unless a name may be removed from a folder. That of a node which the server does not
    /// have may in any case: nothing has to be sent for that, and in a folder without rights,
    /// the node could never be sent.
    func requireRemovable(_ node: Node, from folder: Node) throws(TreeError) {
        if node.remote == .absent, !context.rules.isReadOnly { return }
        try requireWritable(folder)
    }

    /// Sets the ctime of a node.
    package func noteChanged(_ node: Node) throws {
        var local = node.local
        local.changed = now
        try transaction.setLocal(local, of: node.inode)
    }

    /// Replaces the local facts of a node; `timeIsSet` if a user has named its modification time.
    /// Returns the node as it is then.
    package func setLocal(
        of inode: InodeID, timeIsSet: Bool = false, _ change: (LocalFacts) -> LocalFacts
    ) throws -> Node {
        var node = try transaction.existing(inode)
        let before = node.local
        node.local = change(before)
        try transaction.setLocal(node.local, of: inode)
        if timeIsSet || node.local.permissions != before.permissions {
            try transaction.settleFacts(of: &node, by: context.rules.posix, timeIsSet: timeIsSet)
        }
        return node
    }

    /// Sets or removes an extended attribute. Returns whether the server is owed it.
    package func setAttribute(
        _ name: String, of node: Node, to value: [UInt8]?
    ) throws -> Bool {
        if let value {
            try transaction.setAttribute(name, of: node.inode, to: value)
        } else {
            try transaction.removeAttribute(name, of: node.inode)
        }
        try noteChanged(node)
        return try transaction.settleFacts(of: node.inode, by: context.rules.posix)
    }
}
