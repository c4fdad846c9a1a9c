// The arguments that describe templates, properties and filters by templates.

extension ArgumentReader {
    /// Takes a field of type `TemplateId`.
    mutating func templateID(_ name: String) throws(ArgumentError) -> String {
        try Self.templateID(try require(name), at: at(name))
    }

    static func templateID(_ value: JSONValue, at place: String) throws(ArgumentError) -> String {
        let text = try string(value, at: place, length: 1...Int.max)
        guard text.hasPrefix("/") || text.hasPrefix("ptid:") else {
            throw error(place, "'\(text)' did not match pattern '(/|ptid:).*'")
        }
        return text
    }

    /// Takes a list of `PropertyFieldTemplate`.
    mutating func templateFields(
        _ name: String
    ) throws(ArgumentError) -> [PropertyTemplate.Field] {
        try structs(name) { field throws(ArgumentError) in
            let (key, description) = (try field.string("name"), try field.string("description"))
            _ = try Self.tag(
                of: try field.require("type"), among: ["string"], at: field.at("type"))
            return PropertyTemplate.Field(name: key, description: description)
        }
    }

    /// Takes such a list that may be absent.
    mutating func optionalTemplateFields(
        _ name: String
    ) throws(ArgumentError) -> [PropertyTemplate.Field] {
        try isPresent(name) ? templateFields(name) : []
    }

    /// Takes a list of `PropertyField`.
    mutating func propertyFields(_ name: String) throws(ArgumentError) -> [PropertyField] {
        try structs(name) { field throws(ArgumentError) in
            PropertyField(name: try field.string("name"), value: try field.string("value"))
        }
    }

    /// Takes such a list that may be absent.
    mutating func optionalPropertyFields(
        _ name: String
    ) throws(ArgumentError) -> [PropertyField] {
        try isPresent(name) ? propertyFields(name) : []
    }

    /// Takes a list of `PropertyGroup`.
    mutating func propertyGroups(
        _ name: String, count: ClosedRange<Int> = 0...Int.max
    ) throws(ArgumentError) -> [PropertyGroup] {
        try structs(name, count: count) { group throws(ArgumentError) in
            PropertyGroup(
                template: try group.templateID("template_id"),
                fields: try group.propertyFields("fields"))
        }
    }

    /// Takes such a list that may be absent.
    mutating func optionalPropertyGroups(
        _ name: String
    ) throws(ArgumentError) -> [PropertyGroup] {
        try isPresent(name) ? propertyGroups(name) : []
    }

    /// Takes a list of strings that may be absent.
    mutating func optionalStrings(_ name: String) throws(ArgumentError) -> [String] {
        guard try isPresent(name) else { return [] }
        return try list(name) { value, place throws(ArgumentError) in
            try Self.string(value, at: place)
        }
    }

    /// Takes the fields of a `PropertiesSearchQuery`.
    mutating func propertyQuery() throws(ArgumentError) -> PropertyQuery {
        let value = try string("query")
        let mode = try require("mode")
        _ = try Self.tag(of: mode, among: ["field_name"], at: at("mode"))
        guard let name = mode["field_name"]?.string else {
            throw Self.error(at("mode"), "missing 'field_name' key")
        }
        if let logic = try take("logical_operator") {
            _ = try Self.tag(of: logic, among: ["or_operator"], at: at("logical_operator"))
        }
        return PropertyQuery(name: name, value: value)
    }

    /// Takes a `TemplateFilterBase`, or with `canBeNone` a `TemplateFilter`; nil if it is absent or
    /// filters nothing.
    mutating func templateFilter(
        _ name: String, canBeNone: Bool = false
    ) throws(ArgumentError) -> [String]? {
        guard let value = try nullable(name) else { return nil }
        let tags = canBeNone ? ["filter_some", "filter_none"] : ["filter_some"]
        guard try Self.tag(of: value, among: tags, at: at(name)) == "filter_some" else {
            return nil
        }
        guard let ids = value["filter_some"]?.array, !ids.isEmpty else {
            throw Self.error(at(name), "list must have at least 1 items, got 0")
        }
        var templates: [String] = []
        for (index, id) in ids.enumerated() {
            templates.append(try Self.templateID(id, at: "\(at(name)).filter_some[\(index)]"))
        }
        return templates
    }
}
