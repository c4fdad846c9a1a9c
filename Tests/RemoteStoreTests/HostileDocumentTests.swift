// Every document that a listing was attacked with, by the field that is strange in it: each is read
// as what it says or refused, and the entries beside it are read. Other lies of a server are in
// `HostileServerTests`.

import Core
import DropboxAPI
import DropboxAPITesting
import Foundation
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite("Hostile documents")
struct HostileDocumentTests {
    /// The entries read from a page with an entry and a good one.
    private func entries(_ entry: String) async throws -> [RemoteEntry] {
        let good = fileJSON(["name": "\"Good\"", "path_lower": "\"/good\"", "id": "\"id:good\""])
        let store = ScriptedTransport(json: pageJSON([entry, good])).store()
        let page = try await store.list(.root, recursive: true)
        #expect(page.entries.last?.foldedPath == "/good")
        #expect(page.entries.count + page.refusedCount == 2)
        return page.entries.dropLast()
    }

    /// Numbers as sizes, and the size that is read; nil where the entry is refused.
    static let sizes: [(String, Int64?)] = [
        ("0", 0), ("-0", 0), ("4", 4), ("4.0", 4), ("4e0", 4), ("1E3", 1000),
        ("4398046511104", 4_398_046_511_104),
        ("4398046511105", nil), ("1125899906842624", nil), ("9007199254740993", nil),
        ("9223372036854775807", nil),
        ("9223372036854775808", nil), ("18446744073709551615", nil), ("18446744073709551616", nil),
        ("-1", nil), ("-9223372036854775808", nil), ("1e19", nil), ("1e308", nil), ("-1e308", nil),
        ("1.5", nil),
        ("5e-324", nil), ("\"4\"", nil), ("true", nil), ("null", nil), ("[4]", nil), ("{}", nil),
    ]

    @Test("A size is a whole number up to the limit, or the entry is refused", arguments: sizes)
    func size(_ json: String, _ expected: Int64?) async throws {
        let size = try await entries(fileJSON(["size": json])).first.map { try $0.file.size }
        #expect(size == expected)
    }

    /// Numbers that are none in JSON end the document.
    @Test(
        "A number that JSON has not makes the page malformed",
        arguments: [
            "NaN", "Infinity", "+4", "04", "0x4", "4.", ".4", "4e", "1e999", "-", "4_0", "٤",
        ])
    func noNumber(_ json: String) async throws {
        let store = ScriptedTransport(json: pageJSON([fileJSON(["size": json])])).store()
        // Some parsers take some of these; the entry is not one then.
        do throws(RemoteError) {
            let page = try await store.list(.root, recursive: true)
            #expect(page.entries.isEmpty && page.refusedCount == 1)
        } catch {
            guard case .malformed = error else {
                Issue.record("\(json) gave \(error)")
                return
            }
        }
    }

    /// Times, and the seconds that are read; nil where the entry is refused.
    static let times: [(String, Int64?)] = [
        ("1970-01-01T00:00:00Z", 0), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("1677-09-21T00:12:43Z", -9_223_372_037),
        ("1969-12-31T23:59:60Z", 0), ("1970-01-01T00:00:00.999999999Z", 0),
        ("1970-02-31T00:00:00Z", 5_270_400), ("0000-01-01T00:00:00Z", nil),
        ("-001-01-01T00:00:00Z", nil),
        ("10000-01-01T00:00:00Z", nil), ("1970-13-01T00:00:00Z", nil),
        ("1970-00-01T00:00:00Z", nil),
        ("1970-01-32T00:00:00Z", nil), ("1970-01-01T24:00:00Z", nil), ("1970-01-01T00:60:00Z", nil),
        ("1970-01-01T00:00:61Z", nil), ("1970-01-01T00:00:00", nil),
        ("1970-01-01T00:00:00+00:00", nil),
        ("1970-01-01 00:00:00Z", nil), ("1970-01-01T00:00:00Z ", nil),
        ("１９７０-01-01T00:00:00Z", nil), ("", nil),
    ]

    @Test("A time is one that the API writes, or the entry is refused", arguments: times)
    func time(_ text: String, _ seconds: Int64?) async throws {
        for field in ["client_modified", "server_modified"] {
            let file = try await entries(fileJSON([field: "\"\(text)\""])).first.map { try $0.file }
            let read = field == "client_modified" ? file?.clientModified : file?.serverModified
            #expect(read == seconds.map { WallTime(seconds: $0) })
        }
    }

    /// Names as JSON, with what the server would file them under, and whether they are shown.
    static let names: [(String, String, Bool)] = [
        ("a", "a", true), (" ", " ", true), ("...", "...", true), ("a\\nb", "a\\nb", true),
        ("\\u001b[31m", "\\u001b[31m", true), ("\\u202eb", "\\u202eb", true),
        ("\\ud83d\\ude00", "\\ud83d\\ude00", true),
        ("\\\\", "\\\\", true), ("-rf", "-rf", true), ("\\ufeff", "\\ufeff", true),
        ("con", "con", true),
        (String(repeating: "n", count: 255), String(repeating: "n", count: 255), true),
        (String(repeating: "n", count: 256), String(repeating: "n", count: 256), false),
        (String(repeating: "ä", count: 128), String(repeating: "ä", count: 128), false),
        ("", "", false), (".", ".", false), ("..", "..", false), ("a/b", "a/b", false),
        ("/", "/", false),
        ("\\u002f", "\\u002f", false), ("\\u0000", "\\u0000", false),
        ("a\\u0000b", "a\\u0000b", false),
        ("a", "b", false), ("..", "a", false), ("a", "..", false), ("A", "A", false),
    ]

    @Test(
        "A name that a filesystem can have is shown as it is, another is refused", arguments: names)
    func name(_ name: String, _ filed: String, _ isShown: Bool) async throws {
        let entry = fileJSON(["name": "\"\(name)\"", "path_lower": "\"/\(filed)\""])
        let read = try await entries(entry).first
        #expect((read != nil) == isShown)
        if isShown {
            let text = try JSONDecoder().decode([String].self, from: Data("[\"\(name)\"]".utf8))[0]
            #expect(read?.name.string.utf8.elementsEqual(text.utf8) == true)
        }
    }

    /// Paths of an entry named `F`.
    static let paths: [(String, Bool)] = [
        ("/f", true), ("/d/f", true), ("/ /f", true), ("/.../f", true), ("/~/f", true),
        ("/a\\\\b/f", true),
        ("/\\u202e/f", true), (String(repeating: "/d", count: 1023) + "/f", true),
        (String(repeating: "/d", count: 1024) + "/f", false),
        (String(repeating: "/d", count: 100_000) + "/f", false),
        ("", false), ("/", false), ("f", false), ("//f", false), ("/d//f", false), ("/f/", false),
        ("/../f", false),
        ("/./f", false), ("/d/../f", false), ("/\\u0000/f", false), ("/d\\u002ff", true),
        ("/\\u002e\\u002e/f", false),
        ("/../\\u0301", false), ("/\(String(repeating: "d", count: 256))/f", false),
        ("C:/f", false), ("/F", false),
    ]

    @Test("A path that stays in the mount is believed, another is not", arguments: paths)
    func path(_ path: String, _ isBelieved: Bool) async throws {
        let good = fileJSON(["name": "\"Good\"", "path_lower": "\"/good\"", "id": "\"id:good\""])
        let entry = fileJSON(["name": "\"F\"", "path_lower": "\"\(path)\""])
        let store = ScriptedTransport(json: pageJSON([entry, good])).store()
        let page = try await store.list(.root, recursive: true)
        #expect(page.entries.count == (isBelieved ? 2 : 1))
        #expect(page.entries.last?.foldedPath == "/good")
        for entry in page.entries {
            let names = entry.foldedPath.rawValue.split(
                separator: "/", omittingEmptySubsequences: false)
            #expect(
                names.first == "" && !names.dropFirst().contains { ["", ".", ".."].contains($0) })
        }
    }

    private static let page = pageJSON([fileJSON()])

    /// A document, and the entries that are read of it; nil where there is no page.
    struct Document: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let count: Int?

        init(_ name: String, _ text: String, _ count: Int? = nil) {
            self.init(name, Array(text.utf8), count)
        }

        init(_ name: String, _ bytes: [UInt8], _ count: Int? = nil) {
            testDescription = name
            self.bytes = bytes
            self.count = count
        }
    }

    private static let nests: [Document] = [512, 513, 10_000, 200_000].flatMap { depth in
        [
            Document("\(depth) lists", String(repeating: "[", count: depth)),
            Document("\(depth) objects", String(repeating: "{\"a\":", count: depth)),
        ]
    }

    private static let texts: [Document] = [
        Document("a nest of 400 in an unknown field", pageJSON([fileJSON(["x": nested(400)])]), 1),
        Document(
            "a nest of 200,000 in an unknown field", pageJSON([fileJSON(["x": nested(200_000)])])),
        // The decoder knows these as JSON, and what they say is the same.
        Document("UTF-16", encoded(.utf16)),
        Document("UTF-16, the other end first", encoded(.utf16BigEndian), 1),
        Document("a comma too many", page.replacing("]", with: ",]"), 1),
        Document("UTF-32", encoded(.utf32)),
        Document("half a surrogate", pageJSON([fileJSON(["name": "\"\\ud800\""])])),
        Document("surrogates the wrong way", pageJSON([fileJSON(["name": "\"\\ude00\\ud83d\""])])),
        Document("no UTF-8", replaced([0xff, 0xfe])),
        Document("an overlong slash", replaced([0xc0, 0xaf])),
        Document("a surrogate as it is", replaced([0xed, 0xa0, 0x80])),
        Document("a control character in a text", replaced([1])),
        Document("an escape that there is not", replaced(Array("\\x41".utf8))),
        Document("something behind it", page + "x"), Document("two of it", page + page),
        Document("half of it", Array(page.utf8.prefix(page.utf8.count / 2))),
        Document("a null byte behind it", page + "\u{0}"),
        Document("entries that are a text", #"{"entries":"","cursor":"c","has_more":false}"#),
        Document("entries that are none", #"{"entries":null,"cursor":"c","has_more":false}"#),
        Document("no cursor", #"{"entries":[],"has_more":false}"#),
        Document("whether there is more as a number", #"{"entries":[],"cursor":"c","has_more":0}"#),
    ]

    static let documents = nests + texts

    private static func encoded(_ encoding: String.Encoding) -> [UInt8] {
        Array(page.data(using: encoding) ?? Data())
    }

    /// A page with other bytes in a name.
    private static func replaced(_ bytes: [UInt8]) -> [UInt8] {
        Array(page.utf8).replacing(Array("File.txt".utf8), with: bytes)
    }

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("A document that is no page is malformed", arguments: documents)
    func document(_ document: Document) async throws {
        let store = ScriptedTransport { _ in
            ScriptedResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: document.bytes)
        }.store()
        do throws(RemoteError) {
            let page = try await store.list(.root, recursive: true)
            #expect(page.entries.count == document.count ?? 0)
            if document.count == nil { #expect(page.refusedCount == 1) }
        } catch {
            guard case .malformed = error, document.count == nil else {
                Issue.record("gave \(error)")
                return
            }
        }
    }

    @Test(
        "Of a key that stands twice, one value counts, and it is checked",
        arguments: ["size", "name", "path_lower"])
    func twice(_ key: String) async throws {
        let hostile = ["size": "-1", "name": "\"..\"", "path_lower": "\"/../..\""][key] ?? ""
        let entry = fileJSON()
        for twin in [
            "{\"\(key)\": \(hostile), " + entry.dropFirst(),
            String(entry.dropLast()) + ", \"\(key)\": \(hostile)}",
        ] {
            let read = try await entries(twin)
            let size = try read.first.map { try $0.file.size }
            #expect(read.isEmpty || read.map(\.foldedPath) == ["/file.txt"] && size == 4)
        }
    }
}
