// The examples of a specification as the documents that they stand for.
// An example names other examples by their labels; here each is put together to one document.

/// A document that a type has to be able to read.
public struct ExampleDocument: Hashable, Sendable {
    /// The type of which this is an example.
    public let type: TypeName
    /// The example's label, or what the document was made to show.
    public let label: String
    /// The document that the specification gives.
    public let value: JSONValue
}

extension Specification {
    /// The documents of all examples, by type and label.
    ///
    /// Throws where an example does not fit its type.
    public func exampleDocuments() throws(StoneError) -> [ExampleDocument] {
        let reader = ExampleReader(specification: self)
        var documents: [ExampleDocument] = []
        for namespace in namespaces {
            for structure in namespace.structures {
                for example in structure.examples {
                    documents.append(
                        ExampleDocument(
                            type: structure.name, label: example.label,
                            value: try reader.document(structure, example)))
                }
            }
            for union in namespace.unions {
                for example in union.examples {
                    documents.append(
                        ExampleDocument(
                            type: union.name, label: example.label,
                            value: try reader.document(union, example)))
                }
            }
        }
        return documents.sorted { ($0.type, $0.label) < ($1.type, $1.label) }
    }
}

/// Puts the examples of a specification together.
struct ExampleReader {
    let specification: Specification

    func document(
        _ structure: Structure, _ example: ExampleDefinition
    ) throws(StoneError) -> JSONValue {
        guard structure.subtypes == nil else { return try subtype(structure, example) }
        var object: [String: JSONValue] = [:]
        for value in example.values {
            guard let field = structure.fields.first(where: { $0.name == value.name }) else {
                throw StoneError(
                    value.position, "'\(structure.name)' has no field '\(value.name)'")
            }
            object[field.name] = try document(field.type, value.value, at: value.position)
        }
        for field in structure.fields
        where object[field.name] == nil && field.defaultValue == nil
            && specification.nullablePayload(field.type) == nil
        {
            throw StoneError(example.position, "the example lacks '\(field.name)'")
        }
        return .object(object)
    }

    /// The example of a struct that stands for several names one of them, and its example.
    private func subtype(
        _ structure: Structure, _ example: ExampleDefinition
    ) throws(StoneError) -> JSONValue {
        guard let value = example.values.first, example.values.count == 1,
            let subtype = structure.subtypes?.all.first(where: { $0.tag == value.name })
        else { throw StoneError(example.position, "the example has to name one subtype") }
        let fields = try document(.structure(subtype.name), value.value, at: value.position)
        return fields.tagged(subtype.tag)
    }

    func document(_ union: Union, _ example: ExampleDefinition) throws(StoneError) -> JSONValue {
        guard let value = example.values.first, example.values.count == 1,
            let tag = union.tags.first(where: { $0.name == value.name })
        else { throw StoneError(example.position, "the example has to name one tag") }
        let payload =
            tag.type == .void
            ? .null : try document(tag.type, value.value, at: value.position)
        return specification.document(tag, payload)
    }

    private func document(
        _ type: ValueType, _ literal: Literal, at position: SourcePosition
    ) throws(StoneError) -> JSONValue {
        switch (specification.resolved(type), literal) {
        case (.nullable, .null): return .null
        case (.nullable(let payload), _): return try document(payload, literal, at: position)
        case (.boolean, .boolean(let value)): return .boolean(value)
        case (.integer, .integer(let digits)), (.float, .integer(let digits)),
            (.float, .decimal(let digits)):
            return .number(digits)
        case (.string, .string(let text)), (.timestamp, .string(let text)): return .string(text)
        case (.list(let element, _, _), .list(let literals)):
            var values: [JSONValue] = []
            for literal in literals {
                values.append(try document(element, literal, at: position))
            }
            return .array(values)
        case (.map(let element), .map(let entries)):
            var object: [String: JSONValue] = [:]
            for entry in entries {
                guard case .string(let key) = entry.key else {
                    throw StoneError(position, "the keys of a map have to be strings")
                }
                object[key] = try document(element, entry.value, at: position)
            }
            return .object(object)
        case (.structure, .name(let label)):
            return try labelled(label, structure: type, at: position)
        case (.union, .name(let label)):
            return try labelled(label, union: type, at: position)
        default: throw StoneError(position, "the example does not fit its type")
        }
    }

    private func labelled(
        _ label: String, structure type: ValueType, at position: SourcePosition
    ) throws(StoneError) -> JSONValue {
        guard let structure = specification.structure(type),
            let example = structure.examples.first(where: { $0.label == label })
        else { throw StoneError(position, "there is no example '\(label)'") }
        return try document(structure, example)
    }

    /// Each tag without payload is an example of its own; an open union has the tag `other`.
    private func labelled(
        _ label: String, union type: ValueType, at position: SourcePosition
    ) throws(StoneError) -> JSONValue {
        guard let union = specification.union(type) else {
            throw StoneError(position, "there is no example '\(label)'")
        }
        if let example = union.examples.first(where: { $0.label == label }) {
            return try document(union, example)
        }
        let isTag = union.tags.contains { $0.name == label && $0.type == .void }
        guard isTag || label == "other" && !union.isClosed else {
            throw StoneError(position, "there is no example '\(label)'")
        }
        return .object([".tag": .string(label)])
    }
}

extension Specification {
    /// How a tag with a payload stands in JSON: the fields of a struct beside the tag, anything
    /// else under its name; `null` stands for no payload.
    func document(_ tag: Field, _ payload: JSONValue) -> JSONValue {
        if payload == .null { return .object([".tag": .string(tag.name)]) }
        if payloadIsFlat(tag.type) { return payload.tagged(tag.name) }
        return .object([".tag": .string(tag.name), tag.name: payload])
    }

    /// Whether the fields of a tag's payload stand beside the tag.
    public func payloadIsFlat(_ type: ValueType) -> Bool {
        let payload = nullablePayload(type) ?? type
        return structure(payload).map { $0.subtypes == nil } ?? false
    }
}

extension JSONValue {
    /// The fields of an object and a tag beside them.
    func tagged(_ tag: String) -> JSONValue {
        guard case .object(var fields) = self else { return self }
        fields[".tag"] = .string(tag)
        return .object(fields)
    }
}
