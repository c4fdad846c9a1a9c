// JSON that passes through as it is: which texts are JSON, and the tags of errors.

import Foundation
import Testing

@testable import DropboxAPI

struct JSONTextTests {
    @Test("white space around values goes, and that in strings stays")
    func compact() {
        let text = " {\n\t\"a b\" : [ 1 , -2.50e+3,\r\n true ],\"\\\" \\u00e9\":null } "
        #expect(JSONText(text)?.text == #"{"a b":[1,-2.50e+3,true],"\" \u00e9":null}"#)
        #expect(JSONText(" \"\u{7F}ü\" ")?.text == "\"\u{7F}ü\"")
        #expect(JSONText("[]")?.text == "[]")
        #expect(JSONText("0")?.text == "0")
    }

    @Test(
        "a text that is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{,}", "{\"a\"}",
            "{\"a\":}", "{\"a\":1,}", "{1:2}", "{\"a\":1]", "[1}", "1 2", "01", "-", "1.", ".5",
            "1e", "+1", "NaN", "truE", "tru", "nulll", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"",
            "\"\\u12g4\"", "\"\u{1F}\"", "\"\n\"", "'a'", "\u{FEFF}1", "[1]\u{0}",
        ])
    func refused(text: String) {
        #expect(JSONText(text) == nil)
    }

    @Test("bytes that are not UTF-8 are refused, and so is a document without end of depth")
    func hostileBytes() {
        #expect(JSONText([0x22, 0xFF, 0x22]) == nil)
        #expect(JSONText([0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
        let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
        #expect(JSONText(deep)?.text == deep)
        #expect(JSONText("[" + deep + "]") == nil)
        #expect(JSONText(String(repeating: "[", count: 1_000_000)) == nil)
    }

    @Test("it agrees with Foundation about documents of random bytes")
    func fuzz() {
        let alphabet = Array("{}[]\",:0123.eE+-\\u tfn\n".utf8)
        let words = ["true", "false", "null", "\"a\"", "1.5", "{\"a\":1}", "[]"]
        var generator = SystemRandomNumberGenerator()
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                if Bool.random(using: &generator), let word = words.randomElement(using: &generator)
                {
                    bytes += word.utf8
                } else if let byte = alphabet.randomElement(using: &generator) {
                    bytes.append(byte)
                }
            }
            let text = JSONText(bytes)
            guard let text else { continue }
            accepted += 1
            // Ours is the stricter one: of what it accepts, Foundation reads the same value as of
            // the original.
            let isSame = Self.canonical(Data(text.bytes)) == Self.canonical(Data(bytes))
            #expect(isSame, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(accepted > 500)
    }

    /// The value of a document as Foundation writes it: its arrays of booleans are not equal to
    /// themselves as objects.
    private static func canonical(_ document: Data) -> Data? {
        let value = try? JSONSerialization.jsonObject(with: document, options: .fragmentsAllowed)
        return value.flatMap {
            try? JSONSerialization.data(withJSONObject: ["value": $0], options: .sortedKeys)
        }
    }

    @Test("bytes that are no UTF-8 are no document: a field with another name would be left out")
    func illFormed() throws {
        let json = Array(#"{"path":"/a"}"#.utf8)
        #expect(try JSON.decode(Files.DownloadArg.self, from: json).path == "/a")
        for index in [3, 9] {
            var bytes = json
            bytes[index] ^= 0xff
            #expect(throws: SerializationError.self) {
                try JSON.decode([String: String].self, from: bytes)
            }
        }
    }

    @Test("an error of any route has its tags, and says which help a second request is")
    func errors() throws {
        func error(_ json: String) throws -> JSONRouteError {
            try JSON.decode(JSONRouteError.self, from: Array(json.utf8))
        }
        let nested = try error(
            #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"file","x":1}}}"#)
        #expect(nested.tags == ["path", "conflict", "file"])
        #expect(nested.tagPath == "path/conflict/file")
        #expect(try error(#""reset""#).tagPath == "reset")
        #expect(try error("{}").tagPath == "")
        #expect(
            try error(#"{".tag":"too_many_write_operations"}"#).remedy == .waitForWritersUnlessBody)
        #expect(try error(#"{".tag":"content_hash_mismatch"}"#).remedy == .resendBody)
        #expect(try error(#"{".tag":"other"}"#).remedy == .none)
        #expect(throws: (any Error).self) { try error("7") }
    }
}
