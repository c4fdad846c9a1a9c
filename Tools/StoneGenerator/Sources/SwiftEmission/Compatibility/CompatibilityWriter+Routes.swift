// Routes of SwiftyDropbox: values, and methods of the classes that a client has for each namespace.

import Stone

extension CompatibilityWriter {
    private func member(_ route: Route) -> String {
        CompatibilityNames.route(route.name, version: route.version)
    }

    func routesText() throws(EmissionError) -> String {
        try NamespaceWriter.checkDistinct(
            namespace.routes.map(member), in: "\(namespace.name) (routes)", { $0 })
        var text = SourceText()
        let methods = namespace.routes.filter { !isForAppsOnly($0) }
        let appMethods = namespace.routes.filter { $0.attributes.authentication.contains("app") }
        let needsFoundation = namespace.routes.contains { route in
            route.attributes.style != "rpc"
                || specification.structure(route.argument).map { structure in
                    parameters(structure).contains { $0.contains("Date") }
                } ?? false
        }
        if needsFoundation {
            text.line("public import Foundation")
            text.line()
        }
        text.block("extension \(name)") { text in
            for (index, route) in namespace.routes.enumerated() {
                if index > 0 { text.line() }
                writeValue(route, to: &text)
            }
        }
        if !methods.isEmpty { writeClass("\(name)Routes", methods, to: &text) }
        if !appMethods.isEmpty { writeClass("\(name)AppAuthRoutes", appMethods, to: &text) }
        return text.text
    }

    private func isForAppsOnly(_ route: Route) -> Bool {
        route.attributes.authentication == ["app"]
    }

    private func writeValue(_ route: Route, to text: inout SourceText) {
        let serializers = [route.argument, route.result, route.error].map(serializer)
        text.documentation("The route `\(route.path)`.")
        text.block(
            "static var \(member(route)): Route<\(serializers.joined(separator: ", "))>"
        ) { text in
            let attributes = route.attributes
            let name = String(route.path.dropFirst(namespace.name.count + 1))
            var arguments = [
                "\"\(name)\"", "in: \"\(namespace.name)\"",
            ]
            if route.version != 1 { arguments.append("version: \(route.version)") }
            if attributes.host != "api" { arguments.append("host: .\(attributes.host)") }
            if attributes.style != "rpc" { arguments.append("style: .\(attributes.style)") }
            if attributes.authentication != ["user"] {
                let all = attributes.authentication.map { ".\($0)" }.joined(separator: ", ")
                arguments.append("auth: [\(all)]")
            }
            if route.isDeprecated { arguments.append("deprecated: true") }
            if route.onlyReads || route.harmlessness != nil {
                arguments.append("isRepeatable: true")
            }
            text.line(".init(\(arguments.joined(separator: ", ")))")
        }
    }

    private func writeClass(_ className: String, _ routes: [Route], to text: inout SourceText) {
        text.line()
        text.documentation("Calls the routes of the namespace `\(namespace.name)`.")
        text.block("public final class \(className): DropboxTransportClientOwning, Sendable") {
            text in
            text.documentation("The transport client that sends the requests.")
            text.line("public let client: any DropboxTransportClient")
            text.line()
            text.documentation("Takes over the transport client.")
            text.block("public init(client: any DropboxTransportClient)") { text in
                text.line("self.client = client")
            }
            for route in routes { writeMethods(route, to: &text) }
        }
    }

    private func writeMethods(_ route: Route, to text: inout SourceText) {
        let results = "<\(serializer(route.result)), \(serializer(route.error))>"
        switch route.attributes.style {
        case "upload":
            for (type, body) in [("Data", "data"), ("URL", "file"), ("InputStream", "stream")] {
                writeMethod(
                    route, adding: ["input: \(type)"], returning: "UploadRequest\(results)",
                    passing: ", input: .\(body)(input)", to: &text)
            }
        case "download":
            writeMethod(
                route, adding: ["overwrite: Bool = false", "destination: URL"],
                returning: "DownloadRequestFile\(results)",
                passing: ", overwrite: overwrite, destination: destination", to: &text)
            writeMethod(
                route, adding: [], returning: "DownloadRequestMemory\(results)", passing: "",
                to: &text)
        default:
            writeMethod(
                route, adding: [], returning: "RpcRequest\(results)", passing: "", to: &text)
        }
    }

    private func writeMethod(
        _ route: Route, adding parameters: [String], returning type: String, passing: String,
        to text: inout SourceText
    ) {
        let (own, argument) = argument(of: route)
        let scope = route.attributes.scope.map { " Scope: `\($0)`." } ?? ""
        text.line()
        text.documentation(
            (route.words.map { $0 + " " } ?? "") + "The route `\(route.path)`.\(scope)")
        if route.isDeprecated {
            text.line("@available(*, deprecated, message: \"\(deprecation(route))\")")
        }
        let all = (own + parameters).joined(separator: ", ")
        text.block("@discardableResult public func \(member(route))(\(all)) -> \(type)") { text in
            let sent =
                argument.map { ", serverArgs: \($0)" }
                ?? (passing.isEmpty ? "" : ", serverArgs: ()")
            text.line("client.request(\(name).\(member(route))\(sent)\(passing))")
        }
    }

    /// The parameters of a route's argument, and the expression that makes it of them.
    private func argument(of route: Route) -> (parameters: [String], expression: String?) {
        guard route.argument != .void else { return ([], nil) }
        let type = specification.resolved(route.argument)
        if let structure = specification.structure(type), structure.subtypes == nil {
            let arguments = arguments(structure).joined(separator: ", ")
            return (parameters(structure), "\(spelled(structure.name))(\(arguments))")
        }
        switch type {
        case .structure(let name), .union(let name):
            let parameter = CompatibilityNames.member(name.name)
            return (["\(parameter): \(spelled(type))"], parameter)
        default: return (["request: \(spelled(type))"], "request")
        }
    }

    private func deprecation(_ route: Route) -> String {
        let successor =
            route.successor.map { successor in
                CompatibilityNames.member(successor)
            } ?? specification.newestVersion(of: route).map(member)
        return "\(member(route)) is deprecated." + (successor.map { " Use \($0)." } ?? "")
    }
}

/// Writes the enums of requests with content: for users and for apps.
struct RequestBoxWriter {
    let specification: Specification
    let namespaces: [Namespace]

    init(_ specification: Specification, namespaces: [Namespace]) {
        self.specification = specification
        self.namespaces = namespaces
    }

    func text() -> String {
        var text = SourceText()
        write("DropboxBaseRequestBox", routes { $0 != ["app"] }, to: &text)
        text.line()
        write("DropboxAppBaseRequestBox", routes { $0.contains("app") }, to: &text)
        return text.text
    }

    private func routes(_ isTaken: ([String]) -> Bool) -> [Route] {
        namespaces.flatMap(\.routes).filter { route in
            route.namespace != CompatibilityEmitter.teamNamespace
                && route.attributes.style != "rpc" && isTaken(route.attributes.authentication)
        }
    }

    private func write(_ name: String, _ routes: [Route], to text: inout SourceText) {
        text.documentation("A request of one of the routes with content, for collections of them.")
        text.block("public enum \(name): CustomStringConvertible, Sendable") { text in
            for route in routes {
                guard let namespace = namespaces.first(where: { $0.name == route.namespace }) else {
                    continue
                }
                let writer = CompatibilityWriter(specification, namespace)
                let kind =
                    route.attributes.style == "upload" ? "UploadRequest" : "DownloadRequestFile"
                text.line(
                    "case \(caseName(route))(\(kind)<\(writer.serializer(route.result)), \(writer.serializer(route.error))>)"
                )
            }
            text.line()
            text.documentation("The name of the route.")
            text.block("public var description: String") { text in
                text.block("switch self") { text in
                    for route in routes {
                        text.line("case .\(caseName(route)): \"\(route.path)\"")
                    }
                }
            }
        }
    }

    private func caseName(_ route: Route) -> String {
        "\(CompatibilityNames.member(route.namespace))_"
            + CompatibilityNames.route(route.name, version: route.version)
    }
}
