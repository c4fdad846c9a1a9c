// The versions of all files of a tree. Not responsible for which of them is a file's newest
// (`NodeTable`).

/// Every revision by its index; none is ever removed.
struct RevisionTable: Equatable, Sendable {
    private var revisions: [Revision] = []

    var count: Int { revisions.count }

    subscript(revision: RevisionID) -> Revision { revisions[Int(revision.index)] }

    /// Adds a revision, which gets the next number.
    mutating func append(_ revision: Revision) -> RevisionID {
        revisions.append(revision)
        return RevisionID(index: Int32(revisions.count - 1))
    }
}
