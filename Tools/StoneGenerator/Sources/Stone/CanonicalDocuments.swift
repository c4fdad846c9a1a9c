// Documents as the generated code writes them: without nulls, and without fields that have their
// defaults.

extension Specification {
    /// The document that a decoder writes again after reading one.
    public func canonical(_ value: JSONValue, as type: ValueType) -> JSONValue {
        switch (resolved(type), value) {
        case (.nullable(let payload), _): value == .null ? .null : canonical(value, as: payload)
        case (.list(let element, _, _), .array(let values)):
            .array(values.map { canonical($0, as: element) })
        case (.map(let element), .object(let fields)):
            .object(fields.mapValues { canonical($0, as: element) })
        case (.structure(let name), .object(let object)):
            canonical(object, structure: name)
        case (.union(let name), .object(let object)):
            canonical(object, union: name)
        default: value
        }
    }

    private func canonical(_ object: [String: JSONValue], structure name: TypeName) -> JSONValue {
        guard let structure = structure(name) else { return .object(object) }
        if case .string(let tag)? = object[".tag"],
            let subtype = structure.subtypes?.all.first(where: { $0.tag == tag })
        {
            return canonical(object, structure: subtype.name).tagged(tag)
        }
        var result: [String: JSONValue] = [:]
        for field in structure.fields {
            guard let value = object[field.name], value != .null else { continue }
            let written = canonical(value, as: field.type)
            if written != field.defaultValue?.document { result[field.name] = written }
        }
        return .object(result)
    }

    private func canonical(_ object: [String: JSONValue], union type: TypeName) -> JSONValue {
        guard case .string(let name)? = object[".tag"], let union = union(.union(type)) else {
            return .object(object)
        }
        guard let tag = union.tags.first(where: { $0.name == name }), tag.type != .void else {
            return .object([".tag": .string(name)])
        }
        guard payloadIsFlat(tag.type) else {
            return document(tag, canonical(object[name] ?? .null, as: tag.type))
        }
        return canonical(.object(object), as: nullablePayload(tag.type) ?? tag.type).tagged(name)
    }
}

extension DefaultValue {
    /// The value in JSON.
    fileprivate var document: JSONValue {
        switch self {
        case .boolean(let value): .boolean(value)
        case .number(let digits): .number(digits)
        case .string(let text): .string(text)
        case .tag(let tag): .object([".tag": .string(tag)])
        }
    }
}
