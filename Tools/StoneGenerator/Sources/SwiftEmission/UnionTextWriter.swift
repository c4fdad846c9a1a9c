// Unions: enums with a case for each tag and one for those that are not known.

import Stone

/// Writes a union of the specification as a Swift enumeration.
struct UnionTextWriter {
    /// Cases would clash with what every union has.
    private static let reserved: Set<String> = ["unknown", "tags"]
    /// With more cases than this the compiler gives up on whether a switch names all of them.
    private static let checkedCases = 200

    let namespace: NamespaceWriter
    let union: Union
    let remedies: Remedies
    let isRouteError: Bool

    /// The case of a tag, without quotation.
    static func caseName(_ tag: String) -> String {
        let name = SwiftNames.member(tag)
        return reserved.contains(name) ? name + "Value" : name
    }

    func text() throws(EmissionError) -> String {
        try NamespaceWriter.checkDistinct(
            union.tags.map(\.name), in: "\(union.name)", Self.caseName)
        var protocols = [union.isVoid ? "VoidUnion" : "TaggedUnion"]
        if isRouteError { protocols.append("RouteError") }
        let isInCycle = CycleFinder(namespace.specification).isInCycle(union)
        let keyword = isInCycle ? "indirect enum" : "enum"
        var text = SourceText(depth: 1)
        text.documentation(
            FieldWords.own.about(union.name) ?? "The union `\(union.name)`.",
            and: union.documentation)
        text.block(
            "@nonexhaustive public \(keyword) \(SwiftNames.type(union.name.name)): "
                + protocols.joined(separator: ", ")
        ) { text in
            writeCases(to: &text)
            text.line()
            if union.isVoid { writeTags(to: &text) } else { writeCoding(to: &text) }
            writeRemedy(to: &text)
        }
        return text.text
    }

    private func member(_ tag: Field) -> String { SwiftNames.afterDot(Self.caseName(tag.name)) }

    private func writeCases(to text: inout SourceText) {
        for tag in union.tags {
            let words = FieldWords.own.about(
                tag, of: union.name, in: namespace.specification)
            let deprecation = tag.isDeprecated ? "Deprecated." : nil
            let about = [words, deprecation].compactMap(\.self).joined(separator: " ")
            if !about.isEmpty || tag.documentation != nil {
                text.documentation(
                    about.isEmpty ? "The tag `\(tag.name)`." : about, and: tag.documentation)
            }
            let payload = tag.type == .void ? "" : "(\(namespace.spelled(tag.type)))"
            text.line("case \(SwiftNames.escaped(Self.caseName(tag.name)))\(payload)")
        }
        if FieldWords.own.about(union.name) != nil {
            text.documentation("A tag that this version does not know.")
        }
        text.line("case unknown(String)")
    }

    private func writeTags(to text: inout SourceText) {
        text.documentation("The tags on the wire.")
        if union.tags.isEmpty {
            text.line("public static let tags: KeyValuePairs<String, Self> = [:]")
        } else {
            let pairs = union.tags.map { "\"\($0.name)\": .\(member($0))" }
            text.line(
                "public static let tags: KeyValuePairs<String, Self> = ["
                    + pairs.joined(separator: ", ") + "]")
        }
        text.line()
        text.documentation("The tag, if this version does not know it.")
        text.line(
            "public var unknownTag: String? { if case .unknown(let tag) = self { tag } else { nil } }"
        )
    }

    private func writeCoding(to text: inout SourceText) {
        text.documentation("Reads the case of the tag.")
        text.block("public init(_ union: UnionReader) throws") { text in
            text.block("switch union.tag") { text in
                for tag in union.tags {
                    text.line("case \"\(tag.name)\": self = .\(member(tag))\(reading(tag))")
                }
                text.line("default: self = .unknown(union.tag)")
            }
        }
        text.line()
        text.documentation("Writes the case.")
        text.block("public func write(to union: inout UnionWriter) throws") { text in
            text.block("switch self") { text in
                for tag in union.tags {
                    let binding = tag.type == .void ? "" : "(let payload)"
                    text.line("case .\(member(tag))\(binding): try union.write(\(writing(tag)))")
                }
                if union.tags.count > Self.checkedCases {
                    text.line("default: if case .unknown(let tag) = self { try union.write(tag) }")
                } else {
                    text.line("case .unknown(let tag): try union.write(tag)")
                }
            }
        }
    }

    private func reading(_ tag: Field) -> String {
        guard tag.type != .void else { return "" }
        let isFlat = namespace.specification.payloadIsFlat(tag.type)
        let suffix = namespace.isNullable(tag.type) ? "IfPresent" : ""
        return "(try union.\(isFlat ? "fields" : "value")\(suffix)())"
    }

    private func writing(_ tag: Field) -> String {
        guard tag.type != .void else { return "\"\(tag.name)\"" }
        guard namespace.specification.payloadIsFlat(tag.type) else {
            return "\"\(tag.name)\", value: payload"
        }
        let label = namespace.isNullable(tag.type) ? "fieldsIfPresent" : "fields"
        return "\"\(tag.name)\", \(label): payload"
    }

    private func writeRemedy(to text: inout SourceText) {
        let branches = remedies.branches(of: union)
        guard !branches.isEmpty else { return }
        text.line()
        text.documentation("What the retry policy may do about it.")
        text.block("public var remedy: RouteErrorRemedy") { text in
            text.block("switch self") { text in
                for branch in branches {
                    let binding = branch.path == nil ? "" : "(let payload)"
                    text.line(
                        "case .\(member(branch.tag))\(binding): "
                            + remedies.spelled(branch, of: union))
                }
                text.line("default: .none")
            }
        }
    }
}

/// Finds unions that hold themselves other than in a list: their cases need a place of their own.
struct CycleFinder {
    private let specification: Specification

    init(_ specification: Specification) {
        self.specification = specification
    }

    func isInCycle(_ union: Union) -> Bool {
        var seen: Set<TypeName> = []
        return union.tags.contains { reaches(union.name, from: $0.type, &seen) }
    }

    private func reaches(
        _ target: TypeName, from type: ValueType, _ seen: inout Set<TypeName>
    ) -> Bool {
        switch specification.resolved(type) {
        case .nullable(let payload): return reaches(target, from: payload, &seen)
        case .union(let name):
            if name == target { return true }
            guard seen.insert(name).inserted else { return false }
            let tags = specification.union(.union(name))?.tags ?? []
            return tags.contains { reaches(target, from: $0.type, &seen) }
        case .structure(let name):
            guard seen.insert(name).inserted, let structure = specification.structure(name)
            else { return false }
            let parts =
                structure.fields.map(\.type)
                + (structure.subtypes?.all ?? []).map { .structure($0.name) }
            return parts.contains { reaches(target, from: $0, &seen) }
        default: return false
        }
    }
}
