// Routes in Objective-C: values of DBRoute, and methods of the classes that a client has for each
// namespace.

import Stone

extension ObjectiveCWriter {
    /// The routes in a header, and their code.
    struct RoutesText {
        var declaration: String
        var implementation: String
    }

    /// The classes of routes, by their callers.
    private static let classes = [("user", "UserAuth"), ("team", "TeamAuth"), ("app", "AppAuth")]

    /// The class with the routes for these callers; nil if there are none.
    func className(of authentication: String) -> String? {
        guard let name = Self.classes.first(where: { $0.0 == authentication })?.1,
            namespace.routes.contains(where: { isFor(authentication, $0) })
        else { return nil }
        return "DB\(prefix)\(name)Routes"
    }

    /// Routes without a login are called as those of users.
    private func isFor(_ authentication: String, _ route: Route) -> Bool {
        route.attributes.authentication.contains {
            $0 == authentication || ($0 == "noauth" && authentication == "user")
        }
    }

    func routes() throws(EmissionError) -> RoutesText {
        let objects = "DB\(prefix)RouteObjects"
        var text = RoutesText(
            declaration:
                "#import \"DBRoutes.h\"\n#import \"DBTypes.h\"\n\nNS_ASSUME_NONNULL_BEGIN\n\n@interface \(objects) : NSObject\n",
            implementation:
                "#import \"DB\(prefix)Routes.h\"\n#import \"DBStoneTables.h\"\n\(argumentImports)\n"
                + "#pragma clang diagnostic ignored \"-Wdeprecated-declarations\"\n\n@implementation \(objects)\n"
        )
        try NamespaceWriter.checkDistinct(
            namespace.routes.map(ObjectiveCNames.route), in: "\(namespace.name) (routes)"
        ) { $0 }
        for route in namespace.routes {
            text.declaration += "+ (DBRoute *)\(object(route));\n"
            text.implementation += table(route)
        }
        text.declaration += "@end\n"
        text.implementation += "@end\n"
        for (authentication, _) in Self.classes {
            guard let name = className(of: authentication) else { continue }
            text.declaration += "\n@interface \(name) : DBRoutes\n"
            text.implementation += "\n@implementation \(name)\n"
            for route in namespace.routes where isFor(authentication, route) {
                for method in methods(route) {
                    text.declaration += method.head + deprecation(route) + ";\n"
                    text.implementation += method.head + " { return \(method.body); }\n"
                }
            }
            text.declaration += "@end\n"
            text.implementation += "@end\n"
        }
        text.declaration += "\nNS_ASSUME_NONNULL_END\n"
        return text
    }

    /// The headers with the types of arguments, which are made here.
    private var argumentImports: String {
        let others = namespace.routes.compactMap { route in
            specification.structure(route.argument)?.name.namespace
        }
        return Set(others).sorted().map { "#import \"DB\(ObjectiveCNames.namespace($0)).h\"\n" }
            .joined()
    }

    private func object(_ route: Route) -> String {
        "DB\(prefix)\(ObjectiveCNames.upper(ObjectiveCNames.route(route)))"
    }

    private func table(_ route: Route) -> String {
        let name = String(route.path.dropFirst(namespace.name.count + 1))
        let attributes = route.attributes
        let texts = [
            namespace.name, name, attributes.host, attributes.style,
            attributes.authentication.joined(separator: ", "),
        ]
        let types = [route.argument, route.result, route.error].map(code)
        let parts =
            texts.map { "\"\($0)\"" } + [route.isDeprecated ? "YES" : "NO"]
            + types.map { "\"\($0)\"" }
        return "DB_ROUTE(\(object(route)), \(parts.joined(separator: ", ")))\n"
    }

    private func deprecation(_ route: Route) -> String {
        guard route.isDeprecated else { return "" }
        // As in the notes of Dropbox's own SDK, the name is that without the kind of content.
        return " __deprecated_msg(\"\(ObjectiveCNames.route(route)) is deprecated.\")"
    }

    // MARK: Methods

    private struct Method {
        let head: String
        let body: String
    }

    /// A part of a selector: the label, unless it is the first, and the parameter.
    private struct Part {
        let label: String
        let type: String
        let value: String
    }

    private func methods(_ route: Route) -> [Method] {
        let inputs: [(suffix: String, label: String, type: String)] = [
            ("Url", "inputUrl", "NSString *"), ("Data", "inputData", "NSData *"),
            ("Stream", "inputStream", "NSInputStream *"),
        ]
        let place = [
            Part(label: "overwrite", type: "BOOL", value: "overwrite"),
            Part(label: "destination", type: "NSURL *", value: "destination"),
        ]
        let range = ["byteOffsetStart", "byteOffsetEnd"].map {
            Part(label: $0, type: "NSNumber *", value: $0)
        }
        let variants = variants(of: route)
        switch route.attributes.style {
        case "upload":
            return inputs.flatMap { input in
                variants.map { variant in
                    let part = Part(label: input.label, type: input.type, value: input.label)
                    return method(
                        route, input.suffix, variant, adding: [part], task: "DBUploadTask",
                        call: "requestUpload")
                }
            }
        case "download":
            return [[], range].flatMap { more in
                variants.map {
                    method(
                        route, "Url", $0, adding: place + more, task: "DBDownloadUrlTask",
                        call: "requestDownload")
                }
            }
                + [[], range].flatMap { more in
                    variants.map {
                        method(
                            route, "Data", $0, adding: more, task: "DBDownloadDataTask",
                            call: "requestDownload")
                    }
                }
        default:
            return variants.map {
                method(route, "", $0, adding: [], task: "DBRpcTask", call: "requestRpc")
            }
        }
    }

    /// The parameters of a route's argument, and the expression that makes it of them.
    private struct Variant {
        let parts: [Part]
        let argument: String
    }

    private func variants(of route: Route) -> [Variant] {
        guard route.argument != .void else { return [Variant(parts: [], argument: "nil")] }
        guard let structure = specification.structure(route.argument), structure.subtypes == nil
        else {
            let part = Part(label: "arg", type: spelled(route.argument), value: "arg")
            return [Variant(parts: [part], argument: "arg")]
        }
        let fields = ordered(structure)
        let required = fields.filter { !isOptional($0) }
        let lists = required.count == fields.count ? [fields] : [required, fields]
        return lists.map { fields in
            let parts = fields.map { field in
                let name = ObjectiveCNames.member(field.name)
                return Part(
                    label: name, type: parameter(field.type, isOptional: isOptional(field)),
                    value: name)
            }
            var call = "initDefault"
            for (index, part) in parts.enumerated() {
                if index == 0 {
                    call = "initWith\(ObjectiveCNames.upper(part.label)):\(part.value)"
                } else {
                    call += " \(part.label):\(part.value)"
                }
            }
            return Variant(
                parts: parts,
                argument: "[[[\(ObjectiveCNames.type(structure.name)) alloc] \(call)] autorelease]")
        }
    }

    private func method(
        _ route: Route, _ suffix: String, _ variant: Variant, adding more: [Part], task: String,
        call: String
    ) -> Method {
        var head =
            "- (\(task)<\(spelled(route.result)), \(spelled(route.error))> *)\(ObjectiveCNames.route(route))\(suffix)"
        for (index, part) in (variant.parts + more).enumerated() {
            head += (index == 0 ? "" : " \(part.label)") + ":(\(part.type))\(part.value)"
        }
        let added = more.map { " \($0.label):\($0.value)" }.joined()
        return Method(
            head: head,
            body:
                "[self.client \(call):[DB\(prefix)RouteObjects \(object(route))] arg:\(variant.argument)\(added)]"
        )
    }
}
