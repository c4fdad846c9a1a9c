// How what Dropbox has is shown to people and to scripts.

import Foundation
import Testing

@testable import Mounting

@Suite struct RemoteListingTests {
    private let folder = RemoteListing(path: "/A/b", id: "id:1")
    private let file = RemoteListing(
        path: "/A/b/c\n", id: "id:2",
        file: .init(
            bytes: 2048, modified: 1_000_000_000, stored: 1_000_000_001, rev: "r",
            contentHash: "ab"))

    @Test("names begin below the listed folder, and cannot command a terminal")
    func text() throws {
        #expect(folder.text(below: "").hasSuffix("  A/b/"))
        let accented = RemoteListing(path: "/e\u{301}/\u{301}x/y", id: "id:1")
        #expect(accented.text(below: "/e\u{301}").hasSuffix("  \u{301}x/y/"))
        #expect(accented.text(below: "/\u{e9}").hasSuffix("/e\u{301}/\u{301}x/y/"))
        #expect(folder.text(below: "/A").hasSuffix("  b/"))
        #expect(file.text(below: "/A/b").hasSuffix("  c\\n"))
        #expect(file.text(below: "/A/b/c\n").hasSuffix("  /A/b/c\\n"))
        #expect(file.text(below: "").hasPrefix("   2.0 KiB  2001-09-"))
        let deleted = RemoteListing(path: "/A/gone", id: nil)
        #expect(deleted.text(below: "/A").hasSuffix("  gone"))
        #expect(try Terminal.json(deleted).contains(#""type":"deleted""#))
        #expect(folder.text(below: "").utf8.count == 31 + "  A/b/".utf8.count)
    }

    @Test("scripts find every field, those of files as null for folders")
    func json() throws {
        func object(_ listing: RemoteListing) throws -> [String: Any] {
            try #require(
                try JSONSerialization.jsonObject(with: Data(Terminal.json(listing).utf8))
                    as? [String: Any])
        }
        let (first, second) = (try object(folder), try object(file))
        #expect(Set(first.keys) == Set(second.keys))
        #expect(first["type"] as? String == "folder")
        #expect(first["bytes"] is NSNull)
        #expect(second["type"] as? String == "file")
        #expect(second["path"] as? String == "/A/b/c\n")
        #expect(second["modified"] as? String == "2001-09-09T01:46:40Z")
        #expect(second["content_hash"] as? String == "ab")
    }
}
