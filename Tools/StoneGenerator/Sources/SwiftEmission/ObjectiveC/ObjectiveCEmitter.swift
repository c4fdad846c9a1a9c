// The generated part of the Objective-C library: headers with the names and signatures that
// programs for Dropbox's SDK for Objective-C know, and tables from which the runtime
// (ObjectiveC/Runtime) makes the methods. Not responsible for how a type or a route looks.

public import Stone

/// Writes a specification as Objective-C.
public struct ObjectiveCEmitter: Sendable {
    /// Types in a file, at most: compilers share the work by files.
    private static let typesPerFile = 500
    /// Only the routes' own settings are there.
    private static let unknown: Set<String> = ["stone_cfg"]
    /// The most fields of a struct: ObjectiveC/Runtime/DBStoneInitialisers.h has as many functions.
    static let mostFields = 32

    private let specification: Specification
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

    /// All files, in order: their names and texts. Throws when two names become one.
    public func files() throws(EmissionError) -> [(name: String, text: String)] {
        var files: [(name: String, text: String)] = []
        var headers = ["DBTypes.h"]
        let writers = namespaces.map { ObjectiveCWriter(specification, $0) }
        let names = writers.flatMap(\.classNames).sorted()
        try NamespaceWriter.checkDistinct(names, in: "all namespaces") { $0 }
        files.append(
            (
                "DBTypes.h",
                head("The names of all types.")
                    + names.map { "@class \($0);\n" }.joined()
            ))
        for writer in writers {
            let title = "the namespace `\(writer.namespace.name)`"
            let types = try writer.types()
            if !types.isEmpty {
                headers.append("DB\(writer.prefix).h")
                files.append(
                    (
                        "DB\(writer.prefix).h",
                        head("Types of \(title).") + writer.imports
                            + types.map(\.declaration).joined(separator: "\n")
                            + "\nNS_ASSUME_NONNULL_END\n"
                    ))
            }
            for (number, start) in stride(from: 0, to: types.count, by: Self.typesPerFile)
                .enumerated()
            {
                let part = types[start..<min(start + Self.typesPerFile, types.count)]
                files.append(
                    (
                        "DB\(writer.prefix)\(number == 0 ? "" : "\(number + 1)").m",
                        head("Tables of types of \(title).")
                            + "#import \"DBStoneTables.h\"\n#import \"DB\(writer.prefix).h\"\n\n"
                            + "// The runtime adds the methods.\n"
                            + "#pragma clang diagnostic ignored \"-Wincomplete-implementation\"\n"
                            + "#pragma clang diagnostic ignored \"-Wobjc-property-implementation\"\n\n"
                            + part.map(\.table).joined()
                    ))
            }
            if !writer.namespace.routes.isEmpty {
                headers.append("DB\(writer.prefix)Routes.h")
                let routes = try writer.routes()
                files.append(
                    (
                        "DB\(writer.prefix)Routes.h",
                        head("Routes of \(title).") + routes.declaration
                    ))
                files.append(
                    (
                        "DB\(writer.prefix)Routes.m",
                        head("Routes of \(title).") + routes.implementation
                    ))
            }
        }
        let clients = ObjectiveCClients(writers: writers)
        files.append(
            (
                "DBBaseClients.h",
                head("Clients with the routes that they can call.") + clients.declarations
            ))
        files.append(
            (
                "DBBaseClients.m",
                head("Clients with the routes that they can call.") + clients.implementations
            ))
        files.append(
            (
                "DBSDKImportsGenerated.h",
                head("All that is generated.")
                    + (headers + ["DBBaseClients.h"]).map { "#import \"\($0)\"\n" }.joined()
            ))
        return files
    }

    private func head(_ about: String) -> String { emitter.header(about) }
}

/// The three classes of clients.
struct ObjectiveCClients {
    let writers: [ObjectiveCWriter]

    private static let kinds = [("User", "user"), ("Team", "team"), ("App", "app")]

    private func routes(_ authentication: String) -> [(property: String, type: String)] {
        writers.compactMap { writer in
            writer.className(of: authentication).map {
                (ObjectiveCNames.clientProperty(writer.namespace.name), $0)
            }
        }
    }

    var declarations: String {
        var text = "#import \"DBBaseClient.h\"\n"
        for writer in writers where !writer.namespace.routes.isEmpty {
            text += "#import \"DB\(writer.prefix)Routes.h\"\n"
        }
        text += "\nNS_ASSUME_NONNULL_BEGIN\n"
        for (name, authentication) in Self.kinds {
            text += "\n@interface DB\(name)BaseClient : DBBaseClient\n"
            for route in routes(authentication) {
                text += "@property (nonatomic, readonly) \(route.type) *\(route.property);\n"
            }
            text += "@end\n"
        }
        return text + "\nNS_ASSUME_NONNULL_END\n"
    }

    var implementations: String {
        var text = "#import \"DBBaseClients.h\"\n"
        for (name, authentication) in Self.kinds {
            text += "\n@implementation DB\(name)BaseClient\n"
            for route in routes(authentication) {
                text +=
                    "- (\(route.type) *)\(route.property) { return [self routesOfClass:[\(route.type) class]]; }\n"
            }
            text += "@end\n"
        }
        return text
    }
}
