// Routes for the templates of properties, and for the properties of files and folders. Not
// responsible for properties in commits and listings (`ContentRoutes`, `MetadataRoutes`).

import Foundation

extension Routes {
    // MARK: Templates

    /// `file_properties/templates/add_for_user`: adds a template to the account.
    static func addTemplate(_ call: Call) async throws -> RouteResponse {
        let template = try call.arguments { reader throws(ArgumentError) in
            PropertyTemplate(
                owner: call.account.id, name: try reader.string("name"),
                description: try reader.string("description"),
                fields: try reader.templateFields("fields"))
        }
        let id = AccountRegistry.secret("ptid:")
        try call.apply(.addTemplate(id: id, template))
        return .json(["template_id": .string(id)])
    }

    /// `file_properties/templates/get_for_user`: returns a template of the account.
    static func template(_ call: Call) async throws -> RouteResponse {
        let id = try call.arguments { reader throws(ArgumentError) in
            try reader.templateID("template_id")
        }
        let template = try call.space.tree { tree throws(TemplateError) in
            guard let template = tree.properties.template(id, of: call.account.id) else {
                throw .notFound(id)
            }
            return template
        }
        return .json(template.json)
    }

    /// `file_properties/templates/list_for_user`: lists the templates of the account.
    static func templates(_ call: Call) async throws -> RouteResponse {
        let ids = call.space.tree { $0.properties.templateIDs(of: call.account.id) }
        return .json(["template_ids": .array(ids.map { .string($0) })])
    }

    /// `file_properties/templates/update_for_user`: renames a template, or adds fields.
    static func updateTemplate(_ call: Call) async throws -> RouteResponse {
        let (id, name, description, added) = try call.arguments {
            reader throws(ArgumentError) in
            (
                try reader.templateID("template_id"), try reader.optionalString("name"),
                try reader.optionalString("description"),
                try reader.optionalTemplateFields("add_fields")
            )
        }
        let present = call.space.tree { $0.properties.template(id, of: call.account.id) }
        guard var template = present else { throw TemplateError.notFound(id) }
        template.name = name ?? template.name
        template.description = description ?? template.description
        template.fields += added
        try call.apply(.updateTemplate(id: id, template))
        return .json(["template_id": .string(id)])
    }

    /// `file_properties/templates/remove_for_user`: removes a template.
    static func removeTemplate(_ call: Call) async throws -> RouteResponse {
        let id = try call.arguments { reader throws(ArgumentError) in
            try reader.templateID("template_id")
        }
        try call.apply(.removeTemplate(id: id, owner: call.account.id))
        return .json(.null)
    }

    // MARK: Properties

    /// `file_properties/properties/add`: adds groups to an entry.
    static func addProperties(_ call: Call) async throws -> RouteResponse {
        try changeProperties(call) { reader throws(ArgumentError) in
            .add(try reader.propertyGroups("property_groups"))
        }
    }

    /// `file_properties/properties/overwrite`: replaces groups of an entry.
    static func overwriteProperties(_ call: Call) async throws -> RouteResponse {
        try changeProperties(call) { reader throws(ArgumentError) in
            .overwrite(try reader.propertyGroups("property_groups", count: 1...Int.max))
        }
    }

    /// `file_properties/properties/update`: changes fields of an entry.
    static func updateProperties(_ call: Call) async throws -> RouteResponse {
        try changeProperties(call) { reader throws(ArgumentError) in
            .update(
                try reader.structs("update_property_groups") { group throws(ArgumentError) in
                    PropertyChange.Update(
                        template: try group.templateID("template_id"),
                        fields: try group.optionalPropertyFields("add_or_update_fields"),
                        removed: try group.optionalStrings("remove_fields"))
                })
        }
    }

    /// `file_properties/properties/remove`: removes groups from an entry.
    static func removeProperties(_ call: Call) async throws -> RouteResponse {
        try changeProperties(call) { reader throws(ArgumentError) in
            .remove(
                try reader.list("property_template_ids") { value, place throws(ArgumentError) in
                    try ArgumentReader.templateID(value, at: place)
                })
        }
    }

    private static func changeProperties(
        _ call: Call,
        _ read: (inout ArgumentReader) throws(ArgumentError) -> PropertyChange
    ) throws -> RouteResponse {
        let (path, change) = try call.arguments {
            reader throws(ArgumentError) -> (String, PropertyChange) in
            (try reader.path("path", .pathOrID), try read(&reader))
        }
        try call.change(path, change)
        return .json(.null)
    }

    // MARK: Search

    /// `file_properties/properties/search`: returns entries with a value.
    static func searchProperties(_ call: Call) async throws -> RouteResponse {
        let search = try call.arguments { reader throws(ArgumentError) in
            PropertySearch(
                queries: try reader.structs("queries", count: 1...Int.max) {
                    query throws(ArgumentError) in try query.propertyQuery()
                },
                templates: try reader.templateFilter("template_filter", canBeNone: true),
                skipping: 0)
        }
        return .json(matches(call, search))
    }

    /// `file_properties/properties/search/continue`: returns the next matches.
    static func continueSearch(_ call: Call) async throws -> RouteResponse {
        let text = try call.arguments { reader throws(ArgumentError) in
            try reader.string("cursor", length: 1...Int.max)
        }
        guard let search = PropertySearch(cursor: text) else {
            throw RouteFailure.route(.tag("reset"))
        }
        return .json(matches(call, search))
    }

    private static func matches(_ call: Call, _ search: PropertySearch) -> JSONValue {
        let limit = Int(call.emulator.settings.pageSize)
        let (matches, hasMore) = call.space.tree { tree -> ([JSONValue], Bool) in
            let own = tree.properties.templateIDs(of: call.account.id)
            let wanted = search.templates.map { some in own.filter(some.contains) } ?? own
            let found = tree.search(search.queries, by: wanted, below: call.base)
                .dropFirst(search.skipping)
            let page = found.prefix(limit).map { node -> JSONValue in
                [
                    "id": .string(tree.idText(node)),
                    "path": .string(tree.nodes.paths(of: node, from: call.base).display),
                    "is_deleted": false,
                    "property_groups": .array(
                        tree.properties.groups(of: node, by: wanted).map(\.json)),
                ]
            }
            return (page, found.count > limit)
        }
        var next = search
        next.skipping += matches.count
        return JSONValue.object([.init("matches", .array(matches))])
            .adding("cursor", hasMore ? .string(next.cursor) : nil)
    }
}

/// A search, and how many of its matches were given.
struct PropertySearch: Sendable {
    let queries: [PropertyQuery]
    /// Nil for all templates.
    let templates: [String]?
    var skipping: Int

    init(queries: [PropertyQuery], templates: [String]?, skipping: Int) {
        self.queries = queries
        self.templates = templates
        self.skipping = skipping
    }

    /// Parses the text of a cursor; nil for any other.
    init?(cursor: String) {
        guard let data = Data(base64Encoded: cursor), let fields = try? JSONParser.parse(data),
            let pairs = fields[0]?.array, let skipping = fields[2]?.integer, skipping >= 0
        else { return nil }
        queries = pairs.compactMap { pair in
            pair[0]?.string.flatMap { name in
                pair[1]?.string.map { PropertyQuery(name: name, value: $0) }
            }
        }
        templates = fields[1]?.array?.compactMap(\.string)
        self.skipping = Int(skipping)
    }

    var cursor: String {
        let fields: JSONValue = [
            .array(queries.map { [.string($0.name), .string($0.value)] }),
            templates.map { .array($0.map { .string($0) }) } ?? .null,
            .integer(Int64(skipping)),
        ]
        return Data(fields.utf8()).base64EncodedString()
    }
}

extension Call {
    /// Changes the properties of an entry.
    func change(_ path: String, _ change: PropertyChange) throws {
        try space.apply(
            .changeProperties(
                path: path, change, owner: account.id, base: base,
                isTold: emulator.settings.tellsProperties))
    }

    /// Adds the properties of a commit to the file that it has stored, which stays without them if
    /// they are refused.
    func attach(_ groups: [PropertyGroup], to id: String) throws {
        if groups.isEmpty { return }
        do {
            try change(id, .overwrite(groups))
        } catch let error as PropertiesError {
            throw RouteFailure.route(.tag("properties_error", error.json))
        }
    }
}
