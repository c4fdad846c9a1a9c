// Routes as values, and as methods of a client.

import Stone

extension Route {
    /// Other versions of a route have names of their own: `moveV2`.
    var memberName: String {
        SwiftNames.member(name) + (version == 1 ? "" : "V\(version)")
    }

    /// Words in the names of routes that change something, also with a scope for reading: one that
    /// sets a quota has a scope of that kind.
    private static let writing: Set<Substring> = [
        "add", "create", "delete", "remove", "revoke", "save", "set", "suspend", "update", "upload",
    ]

    /// Whether sending it twice does what sending it once does, as far as that can be told: it only
    /// asks about a job, or its scope and its name are those of one that only reads.
    var onlyReads: Bool {
        if case .structure(let name) = argument, name.description == "async.PollArg" {
            return true
        }
        guard let scope = attributes.scope,
            Self.writing.isDisjoint(with: name.split { $0 == "/" || $0 == "_" })
        else { return false }
        return scope.hasSuffix(".read") || scope == "sessions.list" || scope == "openid"
    }

    /// Routes that change something and may be sent twice all the same; with the reason.
    private static let harmless = [
        "auth/token/revoke": "A token that was revoked stays so.",
        "files/upload_session/append_batch":
            "Sending it twice appends once: the second request is told the offsets, entry by entry.",
        "files/upload_session/append_v2":
            "Sending it twice appends once: the second request is told the offset.",
        "files/upload_session/start":
            "Sending it twice leaves a session that nobody uses and that expires by itself.",
        "files/upload_session/start_batch":
            "Sending it twice leaves sessions that nobody uses and that expire by themselves.",
    ]

    /// Why it does no harm to send it twice although it changes something; nil where it may.
    var harmlessness: String? { Self.harmless[path] }

    /// The case of the library's `RouteAuthentication`.
    var authentication: String {
        switch attributes.authentication.sorted() {
        case ["app"]: "app"
        case ["noauth"]: "none"
        case ["team"]: "team"
        case ["app", "user"]: "userOrApp"
        default: "user"
        }
    }

    /// The arguments of the library's `Route.init`.
    var initialiser: String {
        var arguments = ["\"\(path)\""]
        if attributes.host != "api" { arguments.append("host: .\(attributes.host)") }
        if attributes.style != "rpc" { arguments.append("style: .\(attributes.style)") }
        if authentication != "user" { arguments.append("authentication: .\(authentication)") }
        if let scope = attributes.scope { arguments.append("scope: \"\(scope)\"") }
        arguments.append("isSafeToRepeat: \(onlyReads || harmlessness != nil)")
        return arguments.joined(separator: ", ")
    }

    /// Its callers, in words.
    var callers: String {
        attributes.authentication.map { $0 == "noauth" ? "nobody" : "the \($0)" }
            .joined(separator: " or ")
    }

    /// Where the vendor describes it. A section of these pages is named without a version: the
    /// vendor's own collection for Postman links `files/copy_v2` to `#files-copy`.
    var link: String {
        let page = attributes.authentication.contains("team") ? "teams" : "documentation"
        let anchor = name.map { $0 == "/" ? "-" : $0 }
        return "https://www.dropbox.com/developers/documentation/http/"
            + "\(page)#\(namespace)-\(String(anchor))"
    }
}

extension NamespaceWriter {
    // MARK: Values

    /// The routes as static properties.
    func routesText() throws(EmissionError) -> String {
        try Self.checkDistinct(
            namespace.routes.map(\.memberName), in: "\(namespace.name) (routes)", { $0 })
        var text = SourceText()
        text.lines(libraryImport)
        text.block("extension \(name)") { text in
            for (index, route) in namespace.routes.enumerated() {
                if index > 0 { text.line() }
                write(route, to: &text)
            }
        }
        return text.text
    }

    private func write(_ route: Route, to text: inout SourceText) {
        text.documentation(documentation(route), and: route.documentation)
        text.line("///")
        text.line("/// <\(route.link)>")
        text.block(
            "public static var \(SwiftNames.escaped(route.memberName)): "
                + "Route<\(spelled(route.argument)), \(spelled(route.result)), \(failure(route))>"
        ) { text in
            text.line(".init(\(route.initialiser))")
        }
    }

    private func failure(_ route: Route) -> String {
        route.error == .void ? "NoError" : spelled(route.error)
    }

    private func documentation(_ route: Route) -> String {
        let attributes = route.attributes
        var text =
            "The route `\(route.path)`: \(attributes.style), host \(attributes.host), "
            + "called by \(route.callers)"
        text += attributes.scope.map { ", scope `\($0)`." } ?? "."
        text +=
            route.error == .void ? " No errors of its own." : " Errors: \(documented(route.error))."
        text += route.harmlessness.map { " " + $0 } ?? ""
        if attributes.isPreview { text += " Preview: it may change without notice." }
        if let mode = attributes.selectAdmin {
            text += " Administrators may select a member (`\(mode)`)."
        }
        if route.isDeprecated { text += " " + deprecation(route) + "." }
        return text
    }

    private func deprecation(_ route: Route) -> String {
        let successor =
            route.successor.map { "\(namespace.name)/\($0)" }
            ?? specification.newestVersion(of: route)?.path
        return "Deprecated by Dropbox" + (successor.map { " in favour of `\($0)`" } ?? "")
    }

    /// The help of a method: what it does, what it demands, and how it can fail. A worded route has
    /// a list of its parameters, with their limits.
    private func help(_ method: Method, of route: Route) -> String {
        var text = route.words.map { $0 + " " } ?? ""
        text += "Calls ``\(name)/\(route.memberName)``\(method.about)"
        text += route.attributes.scope.map { ", with the scope `\($0)`." } ?? "."
        let unlisted = route.words == nil ? method.structure?.fields ?? [] : []
        let limits = unlisted.compactMap { (field) -> String? in
            let limits = self.limits(specification.resolved(field.type))
            return limits.isEmpty ? nil : "`\(SwiftNames.member(field.name))`\(limits)"
        }
        if !limits.isEmpty { text += " Limits of \(limits.joined(separator: "; "))." }
        if route.error != .void { text += " Errors: \(documented(route.error))." }
        return text
    }

    /// The parameters that are fields of a struct, as the method has them, with their help.
    private func help(of structure: Structure) -> [(name: String, text: String)] {
        ordered(structure).map {
            (SwiftNames.member($0.name), help($0, of: structure, asParameter: true))
        }
    }

    // MARK: Methods

    /// The routes as methods of a struct that the client gives.
    func callsText() throws(EmissionError) -> String {
        var text = SourceText()
        text.lines(libraryImport)
        if declaresCalls {
            text.block("extension DropboxClient") { text in
                text.documentation("The routes of the namespace `\(namespace.name)`.")
                text.line(
                    "public var \(SwiftNames.escaped(SwiftNames.member(namespace.name))): "
                        + "\(name).Calls { .init(client: self) }")
            }
            text.line()
            text.block("extension \(name)") { text in
                text.documentation("Calls the routes of the namespace `\(namespace.name)`.")
                text.block("public struct Calls: Sendable") { text in
                    text.line("package let client: DropboxClient")
                    text.line()
                    writeMethods(to: &text)
                }
            }
        } else {
            var outside = self
            outside.isOutside = true
            text.block("extension \(name).Calls") { text in outside.writeMethods(to: &text) }
        }
        return text.text
    }

    private func writeMethods(to text: inout SourceText) {
        let all = namespace.routes.flatMap { route in methods(route).map { (route, $0) } }
        for (index, (route, method)) in all.enumerated() {
            if index > 0 { text.line() }
            write(method, of: route, to: &text)
        }
    }

    /// One way to call a route.
    private struct Method {
        let about: String
        let parameters: [String]
        /// The struct whose fields are parameters; it has some.
        var structure: Structure?
        /// The expression of the argument in the call.
        let argument: String?
    }

    /// By the argument, and by its fields where it is a struct.
    private func methods(_ route: Route) -> [Method] {
        guard route.argument != .void else {
            return [Method(about: "", parameters: [], argument: nil)]
        }
        let type = spelled(route.argument)
        let whole = Method(
            about: "", parameters: ["_ argument: \(type)"], argument: "argument")
        guard let structure = specification.structure(route.argument), structure.subtypes == nil
        else { return [whole] }
        let arguments = arguments(structure).joined(separator: ", ")
        let fields = Method(
            about: structure.fields.isEmpty ? "" : " with the fields of its argument",
            parameters: parameters(structure),
            structure: structure.fields.isEmpty ? nil : structure,
            argument: "\(type)(\(arguments))")
        return structure.fields.isEmpty ? [fields] : [whole, fields]
    }

    private func write(_ method: Method, of route: Route, to text: inout SourceText) {
        let result = spelled(route.result)
        let style = route.attributes.style
        var parameters = method.parameters
        /// A field may have the name of one of the parameters that every route has.
        func distinct(_ name: String) -> String {
            parameters.contains { $0.hasPrefix(name + ":") } ? "call" + SwiftNames.type(name) : name
        }
        let (body, range, options) = (distinct("body"), distinct("range"), distinct("options"))
        var arguments = ["\(name).\(SwiftNames.afterDot(route.memberName))"]
        if let argument = method.argument { arguments.append(argument) }
        var others: [(name: String, text: String)] = []
        switch style {
        case "upload":
            parameters.append("\(body): any BodySource")
            arguments.append("body: \(body)")
            others.append((body, "The content to send."))
        case "download":
            parameters.append("\(range): ByteRange? = nil")
            arguments.append("range: \(range)")
            others.append((range, "The bytes to download; nil stands for all of them."))
        default: break
        }
        parameters.append("\(options): CallOptions = .init()")
        arguments.append("options: \(options)")
        others.append((options, "Deadline, attempts, progress and more of this call."))
        let output =
            style == "download"
            ? " -> Download<\(result), \(failure(route))>"
            : route.result == .void ? "" : " -> \(result)"
        text.documentation(help(method, of: route), and: route.documentation)
        if route.words != nil, let structure = method.structure {
            text.documentation(parameters: help(of: structure) + others)
        }
        if route.isDeprecated {
            text.line("@available(*, deprecated, message: \"\(deprecation(route))\")")
        }
        text.block(
            "public func \(SwiftNames.escaped(route.memberName))"
                + "(\(parameters.joined(separator: ", "))) "
                + "async throws(CallError<\(failure(route))>)\(output)"
        ) { text in
            let verb = style == "rpc" ? "call" : style
            text.line(
                (output.isEmpty ? "_ = " : "")
                    + "try await client.\(verb)(\(arguments.joined(separator: ", ")))")
        }
    }
}
