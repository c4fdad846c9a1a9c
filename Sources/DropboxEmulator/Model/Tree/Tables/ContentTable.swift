// The contents of a tree's files, each once. Not responsible for their bytes: `ContentStore`.

/// The contents by their indexes, and these by their hashes.
struct ContentTable: Equatable, Sendable {
    private var contents: [Content] = []
    private var ids: [ContentDigest: ContentID] = [:]

    subscript(id: ContentID) -> Content { contents[Int(id.index)] }

    func holds(_ hash: ContentDigest) -> Bool { ids[hash] != nil }

    /// The index of a content, which is added if it is new.
    mutating func intern(_ content: Content) -> ContentID {
        if let known = ids[content.hash] { return known }
        let id = ContentID(index: Int32(contents.count))
        contents.append(content)
        ids[content.hash] = id
        return id
    }
}
