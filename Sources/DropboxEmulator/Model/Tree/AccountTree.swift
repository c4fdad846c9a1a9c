// The files and folders of one Dropbox: a pure value that operations change. Its tables are here,
// each of which keeps its own rules; the effects of operations on several tables are in the
// extensions beside this file. Not responsible for bytes (`ContentStore`), HTTP, or persistence
// (`Journal`).

/// The tree of one Dropbox.
struct AccountTree: Equatable, Sendable {
    /// Distinguishes this tree's ids, revs and namespaces from another's.
    let namespace: UInt32
    /// The rule for comparing names; the journal must be replayed with the same rule.
    let folding: FoldingRule
    let conduct: Conduct
    var nodes = NodeTable()
    var revisions = RevisionTable()
    var contents = ContentTable()
    var changes = TreeChangeLog()
    var tombstones = TombstoneTable()
    var sharedFolders = SharedFolderTable()
    var properties = PropertyTable()
    var sharedLinks = SharedLinkTable()
    var space: SpaceUse
    private var marks: [NodeID: FileMarks] = [:]
    /// Relocating more entries than this at once is refused (`RelocationError.too_many_files`).
    var relocationLimit = 10_000
    /// Those that are given out; a cursor of an earlier epoch is invalid.
    private(set) var cursorEpoch = 0

    init(
        namespace: UInt32, quota: Int64, folding: FoldingRule = .unicode4,
        conduct: Conduct = .init()
    ) {
        self.namespace = namespace
        self.folding = folding
        self.conduct = conduct
        space = SpaceUse(quota: quota)
    }

    subscript(node: NodeID) -> Node { nodes[node] }

    subscript(revision: RevisionID) -> Revision { revisions[revision] }

    subscript(content: ContentID) -> Content { contents[content] }

    /// The marks of a file; nil without any.
    func marks(of file: NodeID) -> FileMarks? { marks[file] }

    /// Gives a file marks, or those of another file.
    mutating func mark(_ file: NodeID, _ new: FileMarks?) { marks[file] = new }

    /// Invalidates every cursor that was given out before.
    mutating func resetCursors() { cursorEpoch += 1 }

    /// Keys are ordered by their UTF-8 bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
