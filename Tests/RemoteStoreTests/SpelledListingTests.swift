// The paths of a listing as users write them, in each order in which a server may tell it.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("A listing with spelled paths")
struct SpelledListingTests {
    private func folder(_ path: RemotePath, _ name: String) throws -> RemoteEntry {
        let name = try FileName(name)
        return RemoteEntry(
            foldedPath: path, name: name, kind: .folder(RemoteFolder(id: FileID("id:\(path)"))))
    }

    /// The paths that each page makes known, and those that are left at the end.
    private func spelled(_ pages: [[RemoteEntry]]) throws -> [[String]] {
        var listing = SpelledListing(of: "/Top")
        var known: [[String]] = []
        for page in pages { known.append(try listing.take(page).map(\.path.rawValue)) }
        return known + [listing.end().map(\.path.rawValue)]
    }

    @Test("folders before what they contain are shown at once, without the listed one")
    func parentsFirst() throws {
        let pages = [
            [try folder("/top", "Top"), try folder("/top/a", "A")],
            [try folder("/top/a/b", "B"), try folder("/top/a/b/c", "C")],
        ]
        #expect(try spelled(pages) == [["/Top/A"], ["/Top/A/B", "/Top/A/B/C"], []])
    }

    @Test("what comes before its folder waits for it, also from page to page")
    func childrenFirst() throws {
        let pages = [
            [try folder("/top/a/b/c", "C"), try folder("/top/d", "D")],
            [try folder("/top/a/b", "B")], [try folder("/top/a", "A")],
        ]
        #expect(
            try spelled(pages) == [["/Top/D"], [], ["/Top/A/B/C", "/Top/A/B", "/Top/A"], []])
    }

    @Test("a folder that is never told has its key")
    func untold() throws {
        let pages = [[try folder("/top/a/b", "B")], [try folder("/top/d", "D")]]
        #expect(try spelled(pages) == [[], ["/Top/D"], ["/Top/a/B"]])
    }
}
