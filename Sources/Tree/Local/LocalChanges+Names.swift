// Which names users may give: each that POSIX allows, or those only that Dropbox can have. Not
// responsible for the alias of a name that it cannot have (`Transaction+Names.swift` of
// MetadataStore).

import Core
import MetadataStore

extension LocalChanges {
    /// The child that a new name would collide with; nil if the name is free. If names are refused,
    /// that is also the one that Dropbox would take for it, as far as that can be predicted.
    func occupant(of name: FileName, in folder: Node) throws -> Node? {
        let rules = context.rules
        let found =
            if rules.refusesNames {
                try transaction.child(like: name, of: folder.inode)
            } else if rules.foldsCase {
                try transaction.child(folding: name, of: folder.inode)
            } else {
                try transaction.child(name, of: folder.inode)
            }
        if let found { return found }
        try known.requireListing(of: folder)
        return nil
    }

    /// Throws if names are refused and Dropbox cannot have this one.
    func requireStorable(_ name: FileName) throws(TreeError) {
        guard context.rules.refusesNames, !NamePolicy.isStorable(name) else { return }
        throw name.isUTF8 ? .invalidArgument : .invalidEncoding
    }

    /// Prepares the tree for a mount: names that were made here for nodes of the server are ended
    /// where their own are free again. Before the kernel knows any.
    package func adoptNames() throws {
        try transaction.endMadeNames()
    }
}
