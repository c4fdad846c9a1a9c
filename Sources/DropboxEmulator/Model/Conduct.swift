// The behaviour of a Dropbox where neither the specification nor other clients are sure. The
// standard is what other clients were seen to expect; a run of the conformance tests on the real
// service can find another answer (`Observations`).

/// The choices of one Dropbox. A state folder needs the same ones each time, because its journal is
/// replayed with them.
struct Conduct: Sendable, Equatable {
    /// The result of a move that changes only the case of a name.
    enum CaseRename: Sendable {
        case conflicts
        case succeedsWithOldName
        case renames
    }

    var caseRename = CaseRename.conflicts
    /// The first number of autorename.
    var firstAutorename = 1
    /// Identical content conflicts under `strict_conflict` also where it could replace the file.
    var strictRefusesSameContent = false
    /// Files keep their revs when they are moved.
    var movesKeepRevs = false
    /// A move of an entry to where it is succeeds, and changes nothing.
    var movesOntoThemselves = false
    /// A restored file has an id of its own, if it was deleted before.
    var restoresMakeIDs = false
    /// A new file has the id of a deleted one that was the last at its path.
    var newFilesTakeIDs = false
    /// Properties stay with an entry that is moved.
    var movesKeepProperties = true
    /// A copy has the properties of the original.
    var copiesHaveProperties = false
    /// Properties stay with a file that gets other content.
    var newContentKeepsProperties = true
    /// The cursor of a folder that is gone is to be made anew.
    var goneFolderResets = false
    /// The cursor of a folder with another one in its place is to be made anew.
    var newFolderResets = false
    /// A folder that is gone can be listed with deleted entries.
    var listsGoneFolders = true
    /// A page of a recursive listing has entries before the folders that they lie in.
    var listsChildrenFirst = false
    /// A delta names each entry that went with a deleted or moved folder.
    var deltasNameDescendants = false
    /// With deleted entries it does so, too.
    var deltasNameDeleted = true
    /// A delta names the new places of moved entries before their old one.
    var movesAreToldFirst = false
    /// A piece of a concurrent session is taken after the one that closes it, if it lies before its
    /// end.
    var takesLatePieces = true
    /// A session can be finished again after it was.
    var sessionsOutliveFinish = false
    /// A path that is not composed finds the entry of its composed form.
    var findsDecomposed = true
    /// Most entries of an `append_batch`.
    var maximumAppends = 1000
}
