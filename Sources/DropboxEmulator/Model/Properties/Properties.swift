// Property templates, and the groups of properties that files have by them: values, and the limits
// of file_properties.stone. Not responsible for the owners of both
// (`AccountTree+Properties.swift`).

/// One property of a file.
struct PropertyField: Hashable, Sendable {
    let name: String
    let value: String
}

/// The properties of a file by one template.
struct PropertyGroup: Hashable, Sendable {
    let template: String
    var fields: [PropertyField]

    /// The JSON of a `file_properties.PropertyGroup`.
    var json: JSONValue {
        ["template_id": .string(template), "fields": .array(fields.map(\.json))]
    }
}

/// A template: the names that properties may have.
struct PropertyTemplate: Hashable, Sendable {
    /// A name, and its description.
    struct Field: Hashable, Sendable {
        let name: String
        let description: String
    }

    static let mostFields = 32
    static let longestName = 256
    static let longestText = 1024

    /// The account that has made it; no other one sees it.
    let owner: String
    var name: String
    var description: String
    var fields: [Field]

    /// The JSON of a `file_properties.PropertyGroupTemplate`.
    var json: JSONValue {
        [
            "name": .string(name), "description": .string(description),
            "fields": .array(fields.map(\.json)),
        ]
    }

    /// Throws unless the template is within the limits.
    func check() throws(TemplateError) {
        guard fields.count <= Self.mostFields else { throw .tooManyProperties }
        guard Set(fields.map(\.name)).count == fields.count else { throw .conflictingPropertyNames }
        let names = [name] + fields.map(\.name)
        let texts = [description] + fields.map(\.description)
        guard names.allSatisfy({ $0.utf8.count <= Self.longestName }),
            texts.allSatisfy({ $0.utf8.count <= Self.longestText })
        else { throw .templateAttributeTooLarge }
    }

    /// Throws unless properties fit the template.
    func check(_ group: PropertyGroup) throws(PropertiesError) {
        guard
            group.fields.allSatisfy({
                $0.name.utf8.count <= Self.longestName && $0.value.utf8.count <= Self.longestText
            })
        else { throw .fieldTooLarge }
        let names = group.fields.map(\.name)
        guard Set(names).count == names.count,
            Set(names).isSubset(of: fields.map(\.name))
        else { throw .doesNotFitTemplate }
    }
}

/// A change of a file's properties.
enum PropertyChange: Hashable, Sendable {
    /// Adds groups by templates that the file has none of.
    case add([PropertyGroup])
    /// Adds or replaces groups.
    case overwrite([PropertyGroup])
    /// Changes fields of groups that the file has.
    case update([Update])
    /// Removes the groups by these templates.
    case remove([String])

    /// A change of one group.
    struct Update: Hashable, Sendable {
        let template: String
        let fields: [PropertyField]
        let removed: [String]
    }

    /// The templates that the change names.
    var templates: [String] {
        switch self {
        case .add(let groups), .overwrite(let groups): groups.map(\.template)
        case .update(let updates): updates.map(\.template)
        case .remove(let templates): templates
        }
    }
}

extension PropertyField {
    var json: JSONValue { ["name": .string(name), "value": .string(value)] }
}

extension PropertyTemplate.Field {
    var json: JSONValue {
        [
            "name": .string(name), "description": .string(description),
            "type": .tag("string"),
        ]
    }
}

/// `file_properties.ModifyTemplateError`, which has the cases of `TemplateError`.
enum TemplateError: APIUnion, Equatable {
    case notFound(String)
    case conflictingPropertyNames
    case tooManyProperties
    case templateAttributeTooLarge

    var json: JSONValue {
        switch self {
        case .notFound(let id): .tag("template_not_found", .string(id))
        case .conflictingPropertyNames: .tag("conflicting_property_names")
        case .tooManyProperties: .tag("too_many_properties")
        case .templateAttributeTooLarge: .tag("template_attribute_too_large")
        }
    }
}

/// The errors of the routes under `properties`, which share most cases.
enum PropertiesError: APIUnion, Equatable {
    case templateNotFound(String)
    case path(LookupError, of: String)
    case fieldTooLarge
    case doesNotFitTemplate
    case duplicateGroups
    case groupAlreadyExists
    case groupNotFound

    var json: JSONValue {
        switch self {
        case .templateNotFound(let id): .tag("template_not_found", .string(id))
        // In this namespace, the union's case has a value.
        case .path(.malformedPath, let path):
            .tag("path", .tag("malformed_path", .string(path)))
        case .path(let error, _): .tag("path", error.json)
        case .fieldTooLarge: .tag("property_field_too_large")
        case .doesNotFitTemplate: .tag("does_not_fit_template")
        case .duplicateGroups: .tag("duplicate_property_groups")
        case .groupAlreadyExists: .tag("property_group_already_exists")
        case .groupNotFound: .tag("property_group_lookup", .tag("property_group_not_found"))
        }
    }
}
