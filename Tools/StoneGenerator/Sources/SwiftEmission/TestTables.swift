// What the tests of the generated code need: tables of all types and routes, and documents for
// them.

public import Stone

extension Emitter {
    /// Entries of one array literal at most: the compiler takes its time with long ones.
    static let entriesPerTable = 100

    /// A Swift file that names every type and every route, for a test module that has `entry`
    /// functions for them.
    public func testTables() -> String {
        var types: [String] = []
        var routes: [String] = []
        for namespace in specification.namespaces {
            let own = SwiftNames.namespace(namespace.name)
            let names = namespace.structures.map(\.name) + namespace.unions.map(\.name)
            types += names.sorted().map { "(\"\($0)\", \(own).\(SwiftNames.type($0.name)).self)" }
            routes += namespace.routes.map {
                "RouteProbe(\(own).\(SwiftNames.afterDot($0.memberName)))"
            }
        }
        var text = SourceText()
        text.line("import DropboxAPIComplete")
        text.line()
        write("allTypes", of: "(String, any ExampleValue.Type)", types, to: &text)
        text.line()
        write("allRoutes", of: "RouteProbe", routes, to: &text)
        return header("All types and routes, for tests that treat them alike.") + text.text
    }

    func write(
        _ name: String, of type: String, _ entries: [String], to text: inout SourceText
    ) {
        let starts = stride(from: 0, to: entries.count, by: Self.entriesPerTable)
        let tables = starts.map { entries[$0..<min($0 + Self.entriesPerTable, entries.count)] }
        text.line("/// In the order of the specification's names.")
        text.line(
            "let \(name): [\(type)] = ["
                + tables.indices.map { "\(name)\($0)" }.joined(separator: ", ")
                + "].flatMap { $0 }")
        for (index, table) in tables.enumerated() {
            text.line()
            text.line("private let \(name)\(index): [\(type)] = [")
            for entry in table { text.line("    \(entry),") }
            text.line("]")
        }
    }

    /// Documents, one a line: type, label, the document, and the one written after reading it if
    /// that is not the same.
    public func lines(_ documents: [ExampleDocument]) -> String {
        documents.map { document in
            var line: [String: JSONValue] = [
                "type": .string("\(document.type)"), "label": .string(document.label),
                "value": document.value,
            ]
            let type = specification.type(document.type)
            let written = specification.canonical(document.value, as: type)
            if written != document.value { line["written"] = written }
            return "\(JSONValue.object(line))\n"
        }.joined()
    }

    /// For each route an example of its argument, a document with every field of it, and a result;
    /// as they are written, one route a line.
    ///
    /// Throws where an example does not fit its type.
    public func routeDocuments() throws(StoneError) -> String {
        var examples: [TypeName: JSONValue] = [:]
        for example in try specification.exampleDocuments() where examples[example.type] == nil {
            examples[example.type] = example.value
        }
        func document(_ type: ValueType, isExample: Bool = true) -> JSONValue {
            let sample = specification.sampleDocument(of: type)
            guard isExample else { return specification.canonical(sample, as: type) }
            switch specification.resolved(type) {
            case .structure(let name), .union(let name):
                return specification.canonical(examples[name] ?? sample, as: type)
            default: return specification.canonical(sample, as: type)
            }
        }
        var text = ""
        for route in specification.namespaces.flatMap(\.routes) {
            let line = JSONValue.object([
                "route": .string(route.path), "argument": document(route.argument),
                "every_field": document(route.argument, isExample: false),
                "result": document(route.result),
            ])
            text += "\(line)\n"
        }
        return text
    }
}
