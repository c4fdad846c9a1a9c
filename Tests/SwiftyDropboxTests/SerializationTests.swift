// JSON and generated types: every type reads and writes the documents of the specification, any
// fault of one ends as an error, and additions of a newer specification are borne.

import Foundation
import Synchronization
import Testing

@testable import SwiftyDropbox

struct SerializationTests {
    private static let documents = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("DropboxAPICompleteTests/Generated/Documents")

    /// Namespaces that SwiftyDropbox does not have.
    private static let unknown = ["riviera", "stone_cfg"]

    @Test(
        "every type reads the documents of the specification, and writes what it has read",
        arguments: ["examples", "samples"])
    func documents(_ name: String) throws {
        let types = Dictionary(allTypes) { first, _ in first }
        let text = try String(
            contentsOf: Self.documents.appendingPathComponent("\(name).jsonl"), encoding: .utf8)
        var count = 0
        for line in text.split(separator: "\n") {
            let members = try #require(JSONSyntax.document(of: Array(line.utf8)).members)
            let name = try #require(members["type"]?.text)
            if Self.unknown.contains(String(name.prefix { $0 != "." })) { continue }
            let type = try #require(types[name], "\(name)")
            let document = try #require(members["value"])
            let label = "\(name), \(members["label"]?.text ?? "")"
            func roundTrip<Value: StoneValue>(_ type: Value.Type) throws -> (JSON, JSON) {
                let value = try Value.read(stone: document)
                let written = Value.write(stone: value)
                return (written, Value.write(stone: try Value.read(stone: written)))
            }
            let (written, again) = try roundTrip(type)
            #expect(written == again, "\(label)")
            #expect(Self.holds(written, document), "\(label): \(JSONSyntax.text(of: written))")
            count += 1
        }
        #expect(count > 1_000)
    }

    /// Whether a document has all that another one has. Whole numbers and fractions are the same,
    /// and so is a tag alone or in an object.
    private static func holds(_ whole: JSON, _ part: JSON) -> Bool {
        switch (whole, part) {
        case (.dictionary(let whole), .dictionary(let part)):
            part.allSatisfy { name, value in
                value == .null || whole[name].map { holds($0, value) } ?? false
            }
        case (.array(let whole), .array(let part)):
            whole.count == part.count && zip(whole, part).allSatisfy(holds)
        case (.dictionary(let whole), .str(let tag)): whole[".tag"] == .str(tag)
        case (.number(let whole), .number(let part)): whole.doubleValue == part.doubleValue
        default: whole == part
        }
    }

    @Test(
        "a tag that is not known is other, and a class that is not known is the one that it extends"
    )
    func newerSpecification() throws {
        let error = try Files.LookupErrorSerializer().deserialize(
            .dictionary([".tag": .str("of_tomorrow"), "of_tomorrow": .array([])]))
        guard case .other = error else {
            Issue.record("\(error)")
            return
        }
        let metadata = try Files.MetadataSerializer().deserialize(
            .dictionary([".tag": .str("symlink"), "name": .str("a"), "new": .bool(true)]))
        #expect(type(of: metadata) == Files.Metadata.self)
        #expect(metadata.name == "a")
    }

    @Test("a value is read as its class, written with the tag of its class, and printed as JSON")
    func subclasses() throws {
        let file = Files.FileMetadata(
            name: "a", id: "id:aaaaaaaaaaaaaaaaaaaaaa",
            clientModified: Date(timeIntervalSince1970: 0),
            serverModified: Date(timeIntervalSince1970: 1.5), rev: "123456789", size: .max)
        let json = try Files.MetadataSerializer().serialize(file)
        #expect(json.members?[".tag"] == .str("file"))
        #expect(json.members?["client_modified"] == .str("1970-01-01T00:00:00Z"))
        let read = try Files.MetadataSerializer().deserialize(json)
        #expect((read as? Files.FileMetadata)?.size == .max)
        #expect("\(file)".contains(#""size":18446744073709551615"#))
    }

    @Test("a field that is missing or of another kind is an error that names it")
    func missing() {
        let documents = [
            #"{".tag": "file"}"#, #"{"name": 1}"#, "[]", "null", #""file""#, "1",
            #"{"name": null}"#,
        ]
        for document in documents {
            #expect(throws: DeserializationError.self, "\(document)") {
                try Files.FileMetadataSerializer().deserialize(
                    JSONSyntax.document(of: Array(document.utf8)))
            }
        }
    }

    @Test(
        "numbers that do not fit are errors",
        arguments: ["-1", "1.5", "18446744073709551616", "1e300", "true", "\"1\""])
    func numbers(_ number: String) {
        #expect(throws: (any Error).self) {
            try UInt64Serializer().deserialize(JSONSyntax.document(of: Array(number.utf8)))
        }
    }

    @Test(
        "text that is no JSON is an error",
        arguments: [
            "{", "[1", "[1,]", "{\"a\"}", "{\"a\":}", "tru", "\"", "\"\\u12\"", "\"\\x\"", "1 2",
            "-", "1e", "nulll", "\u{1}",
            "[\u{1}]", "\"a\nb\"", "{a:1}", "--1", "NaN", "Infinity", "0x1",
        ])
    func malformed(_ text: String) {
        #expect(throws: (any Error).self) { try JSONSyntax.document(of: Array(text.utf8)) }
    }

    @Test("deep and cut documents end as errors at each byte")
    func hostile() throws {
        let deep = Array(String(repeating: "[", count: 100_000).utf8)
        #expect(throws: (any Error).self) { try JSONSyntax.document(of: deep) }
        let whole = Array(
            #"{"a": [1, -2.5e3, "\u00e4\ud83d\ude00\n", true, null, {"b": {}}]}"#.utf8)
        for length in 1..<whole.count {
            #expect(throws: (any Error).self) {
                try JSONSyntax.document(of: Array(whole[..<length]))
            }
        }
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            var bytes = whole
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                in: 0...255, using: &generator)
            _ = try? JSONSyntax.document(of: bytes)
        }
        #expect(throws: (any Error).self) { try JSONSyntax.document(of: [0x22, 0xFF, 0x22]) }
    }

    @Test("text that was written is read again, with every character")
    func text() throws {
        let text = "\u{0}\u{1F}\"\\/\n\t ä 😀 \u{2028}"
        let json = JSON.dictionary([
            "text": .str(text), "number": .number(NSNumber(value: Int64.min)),
            "truth": .bool(false),
            "nothing": .null, "list": .array([.number(NSNumber(value: 0.1))]),
        ])
        let read = try JSONSyntax.document(of: Array(JSONSyntax.text(of: json).utf8))
        #expect(read.members?["text"] == .str(text))
        #expect(read.members?["number"] == .number(NSNumber(value: Int64.min)))
        #expect(read.members?["truth"] == .bool(false))
        #expect(read.members?["nothing"] == nil)
        #expect(try JSONSyntax.document(of: Array("\"\\ud800x\"".utf8)) == .str("\u{FFFD}x"))
        #expect(try JSONSyntax.document(of: []) == .null)
    }

    @Test("Foundation's objects become documents and come back")
    func objects() throws {
        let object: [String: Any] = [
            "a": 1, "b": [true, "x", 1.5, NSNull()], "c": ["d": NSNumber(value: 7)],
        ]
        let json = try SerializeUtil.objectToJSON(object as AnyObject)
        let text = JSONSyntax.text(of: json)
        #expect(text == #"{"a":1,"b":[true,"x",1.5,null],"c":{"d":7}}"#)
        let data = try #require(try SerializeUtil.dumpJSON(json))
        #expect(try SerializeUtil.parseJSON(data) == json)
        #expect(throws: (any Error).self) { try SerializeUtil.document(Date()) }
    }

    @Test("validators tell the app's function which values are wrong")
    func validators() {
        let results = Mutex<[Bool]>([])
        setAssertFunc { isTrue, _ in results.withLock { $0.append(isTrue) } }
        func isRight(_ check: () -> Void) -> Bool {
            results.withLock { $0 = [] }
            check()
            return results.withLock { !$0.contains(false) }
        }
        let text = stringValidator(minLength: 1, maxLength: 3, pattern: "[a-z]+")
        #expect(isRight { text("abc") })
        #expect(!isRight { text("") })
        #expect(!isRight { text("abcd") })
        #expect(!isRight { text("ab1") })
        let list = nullableValidator(
            arrayValidator(
                minItems: 1, maxItems: 2,
                itemValidator: comparableValidator(minValue: 1, maxValue: 3)))
        #expect(isRight { list([1, 3]) })
        #expect(isRight { list(nil) })
        #expect(!isRight { list([]) })
        #expect(!isRight { list([1, 2, 3]) })
        #expect(!isRight { list([4]) })
        #expect(isRight { binaryValidator(minLength: 1, maxLength: 2)(Data([1])) })
        #expect(!isRight { binaryValidator(minLength: 1, maxLength: 2)(Data()) })
    }
}
