// Structs: fields, initialisers and coding; and the enums of structs that stand for several.

import Stone

/// Writes a struct of the specification as one of Swift.
struct StructWriter {
    /// Names that the generated functions use for their parameters.
    private static let parameters: Set<String> = ["reader", "writer"]

    let namespace: NamespaceWriter
    let structure: Structure
    let isRouteError: Bool

    private var name: String { SwiftNames.type(structure.name.name) }

    func text() throws(EmissionError) -> String {
        try check()
        var text = SourceText(depth: 1)
        if let subtypes = structure.subtypes {
            writeSubtypes(subtypes, to: &text)
            text.line()
            text.documentation("The fields that all kinds of `\(structure.name)` have.")
            writeStruct(name + "Base", to: &text)
        } else {
            text.documentation(
                FieldWords.own.about(structure.name) ?? "The struct `\(structure.name)`.",
                and: structure.documentation)
            writeStruct(name, to: &text)
        }
        return text.text
    }

    private func check() throws(EmissionError) {
        try NamespaceWriter.checkDistinct(
            structure.fields.map(\.name), in: "\(structure.name)", SwiftNames.member)
        for field in structure.fields where Self.parameters.contains(field.name) {
            throw EmissionError("\(structure.name): a field cannot be called '\(field.name)'")
        }
    }

    private func writeStruct(_ name: String, to text: inout SourceText) {
        guard !structure.fields.isEmpty else {
            text.block("public struct \(name): \(protocols("EmptyStructValue"))") { text in
                text.documentation("The only value.")
                text.line("public init() {}")
            }
            return
        }
        text.block("public struct \(name): \(protocols("StructValue"))") { text in
            for field in structure.fields {
                text.documentation(namespace.help(field, of: structure), and: field.documentation)
                text.line("public var \(property(field)): \(namespace.spelled(field.type))")
            }
            text.line()
            writeInitialiser(to: &text)
            text.line()
            writeCoding(to: &text)
        }
    }

    private func protocols(_ coding: String) -> String {
        isRouteError ? "\(coding), RouteError" : coding
    }

    private func property(_ field: Field) -> String {
        SwiftNames.escaped(SwiftNames.member(field.name))
    }

    private func writeInitialiser(to text: inout SourceText) {
        text.documentation("Takes over all fields.")
        text.block("public init(\(namespace.parameters(structure).joined(separator: ", ")))") {
            text in
            for field in structure.fields {
                let name = SwiftNames.member(field.name)
                text.line("self.\(SwiftNames.afterDot(name)) = \(SwiftNames.escaped(name))")
            }
        }
    }

    private func writeCoding(to text: inout SourceText) {
        text.documentation("Reads the fields.")
        text.block("public init(_ reader: FieldReader) throws") { text in
            for field in structure.fields {
                text.line("\(property(field)) = try reader.\(reading(field))")
            }
        }
        text.line()
        text.documentation("Writes the fields.")
        text.block("public func write(to writer: inout FieldWriter) throws") { text in
            for field in structure.fields {
                text.line("try writer.\(writing(field))")
            }
        }
    }

    private func reading(_ field: Field) -> String {
        let verb = namespace.isParsed(field.type) ? "parsed" : "value"
        if namespace.isNullable(field.type) { return "\(verb)IfPresent(\"\(field.name)\")" }
        guard let value = field.defaultValue else { return "\(verb)(\"\(field.name)\")" }
        return "value(\"\(field.name)\", default: \(value.spelled))"
    }

    private func writing(_ field: Field) -> String {
        let arguments = "(\"\(field.name)\", \(property(field))"
        if namespace.isNullable(field.type) { return "writeIfPresent\(arguments))" }
        guard let value = field.defaultValue else { return "write\(arguments))" }
        return "write\(arguments), unless: \(value.spelled))"
    }

    // MARK: Structs that stand for several

    private func writeSubtypes(_ subtypes: Subtypes, to text: inout SourceText) {
        text.documentation(
            FieldWords.own.about(structure.name)
                ?? "The struct `\(structure.name)`, which is one of several.",
            and: structure.documentation)
        text.block("@nonexhaustive public enum \(name): TaggedUnion") { text in
            for subtype in subtypes.all {
                text.line("case \(declared(subtype))(\(namespace.spelled(subtype.name)))")
            }
            text.documentation("A kind that this version does not know.")
            text.line("case unknown(String, \(name)Base)")
            text.line()
            writeSubtypeCoding(subtypes, to: &text)
            for field in structure.fields {
                text.line()
                writeCommon(field, subtypes, to: &text)
            }
        }
    }

    private func declared(_ subtype: Subtypes.Subtype) -> String {
        SwiftNames.escaped(SwiftNames.member(subtype.tag))
    }

    private func member(_ subtype: Subtypes.Subtype) -> String {
        SwiftNames.afterDot(SwiftNames.member(subtype.tag))
    }

    private func writeSubtypeCoding(_ subtypes: Subtypes, to text: inout SourceText) {
        text.documentation("Reads the kind of the tag.")
        text.block("public init(_ union: UnionReader) throws") { text in
            text.block("switch union.tag") { text in
                for subtype in subtypes.all {
                    text.line(
                        "case \"\(subtype.tag)\": self = .\(member(subtype))(try union.fields())")
                }
                text.line("default: self = .unknown(union.tag, try union.fields())")
            }
        }
        text.line()
        text.documentation("Writes the kind.")
        text.block("public func write(to union: inout UnionWriter) throws") { text in
            text.block("switch self") { text in
                for subtype in subtypes.all {
                    text.line(
                        "case .\(member(subtype))(let value): "
                            + "try union.write(\"\(subtype.tag)\", fields: value)")
                }
                text.line(
                    "case .unknown(let tag, let value): try union.write(tag, fields: value)")
            }
        }
    }

    /// A field that all kinds have.
    private func writeCommon(
        _ field: Field, _ subtypes: Subtypes, to text: inout SourceText
    ) {
        let name = SwiftNames.member(field.name)
        text.documentation(namespace.help(field, of: structure), and: field.documentation)
        text.block("public var \(SwiftNames.escaped(name)): \(namespace.spelled(field.type))") {
            text in
            text.block("switch self") { text in
                for subtype in subtypes.all {
                    text.line("case .\(member(subtype))(let value): value.\(name)")
                }
                text.line("case .unknown(_, let value): value.\(name)")
            }
        }
    }
}

extension NamespaceWriter {
    /// The parameters that a struct's fields are, those that are needed first.
    func parameters(_ structure: Structure) -> [String] {
        ordered(structure).map { field in
            let name = SwiftNames.escaped(SwiftNames.member(field.name))
            var text = "\(name): \(spelled(field.type))"
            if isNullable(field.type) {
                text += " = nil"
            } else if let value = field.defaultValue {
                text += " = \(value.spelled)"
            }
            return text
        }
    }

    /// The same fields as arguments.
    func arguments(_ structure: Structure) -> [String] {
        ordered(structure).map { field in
            let name = SwiftNames.escaped(SwiftNames.member(field.name))
            return "\(name): \(name)"
        }
    }

    /// The fields in the order of the parameters.
    func ordered(_ structure: Structure) -> [Field] {
        structure.fields.filter { !isOptional($0) } + structure.fields.filter(isOptional)
    }

    private func isOptional(_ field: Field) -> Bool {
        field.defaultValue != nil || isNullable(field.type)
    }
}

extension DefaultValue {
    /// The value as Swift.
    var spelled: String {
        switch self {
        case .boolean(let value): "\(value)"
        case .number(let digits): digits
        case .string(let text): "\(JSONValue.string(text))"
        case .tag(let tag): ".\(SwiftNames.afterDot(UnionTextWriter.caseName(tag)))"
        }
    }
}
