// The documents beside the tables, and how they are read, written and compared.

import Foundation
import Testing

@testable import DropboxAPI

/// The protocols of every type of the specification.
typealias ExampleValue = Codable & Hashable & Sendable

/// A document that a type has to be able to read.
struct ExampleDocument: Sendable {
    let type: String
    let label: String
    let json: Data
    /// The document that is written after reading it.
    let written: Data

    /// All documents of a file. The files lie beside the generated tables.
    static func all(_ name: String) throws -> [ExampleDocument] {
        try lines(name).map { line in
            guard let type = line["type"] as? String, let label = line["label"] as? String,
                let value = line["value"]
            else { throw CocoaError(.fileReadCorruptFile) }
            return ExampleDocument(
                type: type, label: label, json: try data(value),
                written: try data(line["written"] ?? value))
        }
    }

    /// The lines of a file of documents.
    static func lines(_ name: String) throws -> [[String: Any]] {
        let url = try #require(
            Bundle.module.url(forResource: name, withExtension: "jsonl", subdirectory: "Documents"))
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    static func data(_ value: Any) throws -> Data {
        try JSONSerialization.data(
            withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
    }
}

/// Reads and writes values of types that are known by name only, as the client does.
struct ValueCoder: Sendable {
    private let roundTrip: @Sendable (Data) throws -> Data

    init<Value: ExampleValue>(_ type: Value.Type) {
        roundTrip = { json in
            let value = try JSON.decode(Value.self, from: [UInt8](json))
            guard let written = try? JSON.encode(value),
                let again = try? JSON.decode(Value.self, from: written),
                again == value, again.hashValue == value.hashValue
            else { throw Unstable(json: String(decoding: json, as: UTF8.self)) }
            return Data(written)
        }
    }

    /// A value that cannot be written, or is another one after it was written and read.
    struct Unstable: Error {
        let json: String
    }

    /// Reads a document, and returns the one written of its value. Throws the decoder's errors, and
    /// `Unstable`.
    func rewritten(_ json: Data) throws -> Data { try roundTrip(json) }

    /// By the types' names in the specification.
    static let byType: [String: ValueCoder] = Dictionary(
        uniqueKeysWithValues: allTypes.map { name, type in (name, coder(type)) })

    private static func coder(_ type: any ExampleValue.Type) -> ValueCoder {
        func open<Value: ExampleValue>(_ type: Value.Type) -> ValueCoder { ValueCoder(type) }
        return open(type)
    }
}

/// Whether two documents are equal as JSON.
func isEqual(_ left: Data, _ right: Data) throws -> Bool {
    let values = try [left, right].map {
        try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed) as? NSObject
    }
    return values[0] == values[1]
}
