// How shared folders are shown to people and to scripts, and which one a user means.

import Foundation
import Testing

@testable import Mounting

@Suite struct SharedFolderReportTests {
    private static func folder(
        _ id: String, _ name: String, owners: [String] = [], team: String? = nil,
        path: String? = nil
    ) -> SharedFolderReport {
        SharedFolderReport(
            id: id, name: name, access: .viewer, owners: owners, team: team, path: path)
    }

    @Test("people see who owns a folder and where it is, and names cannot command a terminal")
    func text() {
        let joined = Self.folder(
            "7", "Pho\u{1b}[2Jtos", owners: ["Ada", "Bo", "Cy", "Di"], team: "Ops\n",
            path: "/a\u{202e}b")
        #expect(
            joined.text == """
                Pho\\u{1b}[2Jtos
                  id         7
                  owner      Ada, Bo, Cy …, the team Ops\\n
                  access     can view
                  joined     as /a\\u{202e}b
                """)
        #expect(Self.folder("8", "x").text.hasSuffix("joined     no: `dbxfs join 8` does"))
        #expect(Self.folder("8", "x").text.contains("owner      unknown\n"))
    }

    @Test("scripts find every field, whether or not a folder is joined")
    func json() throws {
        func object(_ folder: SharedFolderReport) throws -> [String: Any] {
            try #require(
                try JSONSerialization.jsonObject(with: Data(Terminal.json(folder).utf8))
                    as? [String: Any])
        }
        let first = try object(Self.folder("7", "x", owners: ["Ada"], team: "T", path: "/x"))
        let second = try object(Self.folder("8", "y"))
        #expect(Set(first.keys) == Set(second.keys))
        #expect(first["joined"] as? Bool == true)
        #expect(first["access"] as? String == "viewer")
        #expect(second["joined"] as? Bool == false)
        #expect(second["path"] is NSNull)
        #expect(second["team"] is NSNull)
    }

    @Test("an id goes before a name, a name to the byte before one in another case")
    func named() throws {
        let folders = [
            Self.folder("7", "Photos"), Self.folder("8", "photos"), Self.folder("9", "7"),
            Self.folder("10", "\u{e9}t\u{e9}"), Self.folder("11", "e\u{301}t\u{e9}"),
        ]
        func id(_ text: String) throws -> String {
            try SharedFolderReport.named(text, among: folders).id
        }
        #expect(try id("7") == "7")
        #expect(try id("Photos") == "7")
        #expect(try id("photos") == "8")
        #expect(try id("e\u{301}t\u{e9}") == "11")
        #expect(throws: SharedFolderDoubt.none) { try id("Phot") }
        #expect(throws: SharedFolderDoubt.none) { try id("") }
    }

    @Test("of several folders that a name may mean, the message has the ids and the owners")
    func several() throws {
        let folders = [
            Self.folder("7", "Photos", owners: ["Ada"], path: "/Photos"),
            Self.folder("8", "Photos"),
        ]
        #expect(
            throws: SharedFolderDoubt.several([
                "7 (Ada, can view, joined as /Photos)", "8 (can view)",
            ])
        ) { try SharedFolderReport.named("photos", among: folders) }
        let many = (1...50).map { Self.folder("\($0)", "x") }
        let ids = (1...10).map { "\($0) (can view)" }
        #expect(throws: SharedFolderDoubt.several([ids, ["…"]].flatMap(\.self))) {
            try SharedFolderReport.named("x", among: many)
        }
    }
}
