// The generated part of the module SwiftyDropbox: the same specification with the names, classes
// and signatures that programs for Dropbox's SDK for Apple's systems know. Not responsible for how
// a type or a route looks.

public import Stone

/// Writes a specification as the module SwiftyDropbox.
public struct CompatibilityEmitter: Sendable {
    /// The name of the module.
    static let module = "SwiftyDropbox"
    /// Types in a file, at most: the compiler's threads share a module by files.
    private static let typesPerFile = 60
    /// Namespaces that SwiftyDropbox does not have.
    private static let unknown: Set<String> = ["account_id", "riviera", "stone_cfg"]
    /// The only namespace whose routes are the team client's.
    static let teamNamespace = "team"

    let specification: Specification
    /// Writes the heads of files.
    private let emitter: Emitter

    /// Keeps the specification that is written, with the commit that files name.
    public init(_ specification: Specification, origin: String = "of an unknown commit") {
        self.specification = specification
        emitter = Emitter(specification, origin: origin)
    }

    private var namespaces: [Namespace] {
        specification.namespaces.filter { !Self.unknown.contains($0.name) && !$0.isEmpty }
    }

    /// All files, in order. Throws when two names become one.
    public func files() throws(EmissionError) -> [OutputFile] {
        var files: [OutputFile] = []
        for namespace in namespaces {
            let writer = CompatibilityWriter(specification, namespace)
            for (name, text) in try self.files(of: writer) {
                files.append(
                    OutputFile(path: "\(writer.name)/\(name)", module: Self.module, text: text))
            }
        }
        files.append(
            OutputFile(
                path: "DropboxBaseRequestBox.swift", module: Self.module,
                text: emitter.header("Requests of all routes with content, as one type.")
                    + RequestBoxWriter(specification, namespaces: namespaces).text()))
        return files
    }

    private func files(
        of writer: CompatibilityWriter
    ) throws(EmissionError) -> [(name: String, text: String)] {
        let title = "the namespace `\(writer.namespace.name)`"
        let types = try writer.types()
        guard !types.isEmpty || !writer.namespace.routes.isEmpty else { return [] }
        var files = [
            (
                name: "\(writer.name).swift",
                text: emitter.header("The class that holds \(title).") + writer.namespaceText()
            )
        ]
        let groups = Dictionary(grouping: types) { type in
            types.count > Self.typesPerFile ? "\(type.name.prefix(1))" : "Types"
        }
        for (letter, group) in groups.sorted(by: { $0.key < $1.key }) {
            let starts = stride(from: 0, to: group.count, by: Self.typesPerFile)
            for (number, start) in starts.enumerated() {
                let part = group[start..<min(start + Self.typesPerFile, group.count)]
                files.append(
                    (
                        "\(writer.name)+\(letter)\(number == 0 ? "" : "\(number + 1)").swift",
                        emitter.header("Types of \(title).")
                            + (part.contains {
                                $0.text.contains(": Date") || $0.text.contains("(Date)")
                            }
                                ? "public import Foundation\n\n" : "")
                            + "extension \(writer.name) {\n"
                            + part.map(\.text).joined(separator: "\n") + "}\n"
                    ))
            }
        }
        if !writer.namespace.routes.isEmpty {
            files.append(
                (
                    "\(writer.name)+Routes.swift",
                    emitter.header("Routes of \(title), as values and as methods of a client.")
                        + (try writer.routesText())
                ))
        }
        return files
    }

    /// A Swift file that names every type, for tests that treat them alike.
    public func testTables() -> String {
        var text = SourceText()
        text.line("import SwiftyDropbox")
        var parts: [String] = []
        for namespace in namespaces {
            let own = CompatibilityNames.type(namespace.name)
            let names = (namespace.structures.map(\.name) + namespace.unions.map(\.name)).sorted()
            for (number, start) in stride(from: 0, to: names.count, by: 100).enumerated() {
                let part = "\(own.prefix(1).lowercased())\(own.dropFirst())Types\(number)"
                parts.append(part)
                text.line()
                text.line("private let \(part): [(String, any StoneValue.Type)] = [")
                for name in names[start..<min(start + 100, names.count)] {
                    text.line(
                        "    (\"\(name)\", \(own).\(CompatibilityNames.type(name.name)).self),")
                }
                text.line("]")
            }
        }
        text.line()
        text.line("/// All types by their names in the specification.")
        text.line(
            "let allTypes: [(String, any StoneValue.Type)] = [\(parts.joined(separator: ", "))].flatMap { $0 }"
        )
        return emitter.header("All types, for tests that treat them alike.") + text.text
    }
}
