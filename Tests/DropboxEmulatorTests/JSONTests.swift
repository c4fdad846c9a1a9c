// JSON in and out, times, and paths as arguments.

import Testing

@testable import DropboxEmulator

@Suite("JSON and arguments")
struct JSONTests {
    private func parse(_ text: String) throws -> JSONValue {
        try JSONParser.parse(Array(text.utf8))
    }

    @Test("values keep their kind and order")
    func kinds() throws {
        let value = try parse(#" {"b": [1, 1.5, true, null, -3], "a": "x\u00e9\ud83d\ude00\n"} "#)
        #expect(
            value == ["b": [1, .float(1.5), true, .null, -3], "a": .string("xé😀\n")])
    }

    @Test(
        "a text that is not JSON is refused",
        arguments: [
            "", "{", "[1,]", #"{"a":1,}"#, "01", "1.", "+1", "nul", "\"\u{1}\"", #""\ud83d""#,
            #""\q""#, "1 2", #"{"a" 1}"#, "'a'", "NaN", String(repeating: "[", count: 100),
        ])
    func refused(text: String) {
        #expect(throws: JSONSyntaxError.self) { try parse(text) }
    }

    @Test("bytes that are not UTF-8 are refused")
    func notUTF8() {
        #expect(throws: JSONSyntaxError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test("headers get pure ASCII, bodies get UTF-8, and both read back the same")
    func writing() throws {
        let value: JSONValue = ["é😀\u{7F}\"\\": "\u{0}\n"]
        let ascii = value.text(.ascii)
        #expect(ascii == #"{"\u00e9\ud83d\ude00\u007f\"\\": "\u0000\n"}"#)
        #expect(try parse(ascii) == value)
        #expect(try parse(value.text()) == value)
    }

    @Test("times are seconds in UTC, and dates must exist")
    func times() {
        #expect(APITime("2020-02-29T12:30:59Z")?.seconds == 1_582_979_459)
        for text in ["1969-12-31T23:59:59Z", "2000-03-01T00:00:00Z", "2106-02-07T06:28:16Z"] {
            #expect(APITime(text)?.text == text)
        }
        for text in [
            "2019-02-29T00:00:00Z", "2020-13-01T00:00:00Z", "2020-01-01T24:00:00Z",
            "2020-01-01 00:00:00Z",
        ] {
            #expect(APITime(text) == nil)
        }
    }

    @Test("each kind of path argument takes its own forms")
    func patterns() {
        let forms = ["", "/a", "id:x", "rev:012345678", "rev:0123", "ns:1", "ns:1/a", "ns:x", "a"]
        let taken = { (pattern: PathPattern) in forms.filter { pattern.matches($0) } }
        #expect(taken(.readPath) == ["/a", "id:x", "rev:012345678", "ns:1", "ns:1/a"])
        #expect(taken(.writePath) == ["/a", "ns:1", "ns:1/a"])
        #expect(taken(.writePathOrID) == ["/a", "id:x", "ns:1", "ns:1/a"])
        #expect(taken(.pathROrID) == ["", "/a", "id:x", "ns:1", "ns:1/a"])
    }

    @Test("an argument error names the field, however deep")
    func argumentErrors() throws {
        let messages = try [
            (#"{"path": "/a", "mode": {".tag": "update"}}"#, "mode: missing 'update' key"),
            (#"{"path": "/a", "mode": "new"}"#, "mode: unknown tag 'new'"),
            (#"{"path": "/a", "mute": null}"#, "mute: expected boolean, got null"),
            (#"{"path": "/a", "path": "/b"}"#, "duplicate field 'path'"),
            (
                #"{"path": "/a", "client_modified": "now"}"#,
                "client_modified: time data 'now' does not match format '%Y-%m-%dT%H:%M:%SZ'"
            ),
            (
                #"{"path": "/a", "property_groups": [{"template_id": "ptid:t"}]}"#,
                "property_groups[0]: missing required field 'fields'"
            ),
        ].map { (try parse($0.0), $0.1) }
        for (argument, message) in messages {
            #expect(throws: ArgumentError(message: message)) {
                try CommitArguments(argument, at: "", base: .root)
            }
        }
    }

    @Test("a fault happens as often and as likely as it was planned, and again for the same seed")
    func faults() throws {
        var fault = try Fault(["kind": "stall", "route": "files/*", "skip": 2, "count": 3], id: 1)
        let hits = (0..<8).map { _ in fault.happens(in: "files/upload") }
        #expect(hits == [false, false, true, true, true, false, false, false])
        var unlimited = try Fault(["kind": "stall", "route": "files/*"], id: 1)
        let elsewhere = ["files/upload", "users/get_account"].map { unlimited.happens(in: $0) }
        #expect(elsewhere == [true, false])
        let plan: JSONValue = ["kind": "stall", "probability": .float(0.3), "seed": 9]
        var first = try Fault(plan, id: 1)
        var second = try Fault(plan, id: 2)
        let draws = (0..<1000).map { _ in first.happens(in: "x") }
        #expect(draws == (0..<1000).map { _ in second.happens(in: "x") })
        #expect((200...400).contains(draws.count { $0 }))
    }
}
