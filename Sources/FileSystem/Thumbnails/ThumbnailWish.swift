// Which file of a folder gets a thumbnail of Dropbox's. Pure: a node in, a wish out. Not
// responsible for cached content, nor for thumbnails that are there.

import Core
import MetadataStore
import RemoteStore

/// A thumbnail that may be asked for.
struct ThumbnailWish: Hashable, Sendable {
    /// The inode of the file.
    let inode: InodeID
    /// Its content on the server, which is also that of users.
    let content: FileVersion
    /// The name under which users see it.
    let name: [UInt8]
    /// The modification time that users see, in whole seconds.
    let modified: Int64

    /// The wish of a node; nil for a node that is no picture, has no size of which Dropbox makes
    /// thumbnails, or has changes that Dropbox does not have.
    init?(_ node: Node) {
        guard node.kind == .file, node.staged == nil, let place = node.place,
            node.remote != .absent, node.flags.isDisjoint(with: [.localOnly, .notDownloadable]),
            let revision = node.facts.revision, let hash = node.facts.hash,
            (1...RemoteThumbnail.largestFile).contains(node.facts.size)
        else { return nil }
        let name = place.name.shown
        guard Self.isPicture(name) else { return nil }
        inode = node.inode
        content = FileVersion(revision: revision, hash: hash, size: node.facts.size)
        self.name = name
        modified = node.modified.seconds
    }

    /// The texts by which file managers recognise the thumbnail of this state of the file.
    func texts(address: String) -> [(keyword: String, text: String)] {
        [
            ("Thumb::URI", address), ("Thumb::MTime", String(modified)),
            ("Thumb::Size", String(content.size)), ("Software", "dbxfs"),
        ]
    }

    /// Whether texts of a thumbnail are of this state of the file, as file managers compare them.
    func isMet(by texts: [String: String], address: String) -> Bool {
        texts["Thumb::URI"] == address && texts["Thumb::MTime"] == String(modified)
            && texts["Thumb::Size"].map { $0 == String(content.size) } ?? true
    }

    /// Whether the name has the end of a picture's.
    private static func isPicture(_ name: [UInt8]) -> Bool {
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
            return false
        }
        let end = String(decoding: name[dot...].dropFirst(), as: UTF8.self)
        return RemoteThumbnail.extensions.contains(end.lowercased())
    }
}
