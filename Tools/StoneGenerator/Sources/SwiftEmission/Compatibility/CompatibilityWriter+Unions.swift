// Unions of SwiftyDropbox: enums with a case for each tag. Open ones have `other`, which is every
// tag that is not known.

import Stone

extension CompatibilityWriter {
    /// With more cases than this the compiler gives up on whether a switch names all of them.
    private static let checkedCases = 200

    func text(_ union: Union) throws(EmissionError) -> String {
        try NamespaceWriter.checkDistinct(
            tags(union).map(\.name), in: "\(union.name)", CompatibilityNames.member)
        guard !tags(union).isEmpty else {
            throw EmissionError("\(union.name): an enumeration needs a case")
        }
        return union.isVoid ? voidText(union) : payloadText(union)
    }

    /// The tags and, of an open union, the one for all others.
    private func tags(_ union: Union) -> [(name: String, type: ValueType)] {
        let known = union.tags.map { (name: $0.name, type: $0.type) }
        return union.isClosed ? known : known + [(name: "other", type: .void)]
    }

    /// Without payloads the tags are the enum's raw values, and there is nothing else to write.
    private func voidText(_ union: Union) -> String {
        var text = SourceText(depth: 1)
        text.documentation(
            FieldWords.own.about(union.name) ?? "The union `\(union.name)`.")
        let name = CompatibilityNames.type(union.name.name)
        text.block("public enum \(name): String, VoidStoneUnion") { text in
            for tag in tags(union) {
                let member = CompatibilityNames.member(tag.name)
                text.line("case \(member)" + (member == tag.name ? "" : " = \"\(tag.name)\""))
            }
        }
        return text.text
    }

    private func payloadText(_ union: Union) -> String {
        let isInCycle = CycleFinder(specification).isInCycle(union)
        let name = CompatibilityNames.type(union.name.name)
        var text = SourceText(depth: 1)
        text.documentation(
            FieldWords.own.about(union.name) ?? "The union `\(union.name)`.")
        text.block("public \(isInCycle ? "indirect " : "")enum \(name): StoneUnion") { text in
            for tag in tags(union) {
                let payload = tag.type == .void ? "" : "(\(spelled(tag.type)))"
                text.line("case \(CompatibilityNames.member(tag.name))\(payload)")
            }
            text.line()
            text.documentation("Reads the case of the tag.")
            text.block("public init(stone json: JSON) throws") { text in
                text.line("let union = try StoneTag(json, Self.self)")
                text.block("switch union.tag") { text in
                    for tag in union.tags {
                        text.line(
                            "case \"\(tag.name)\": self = .\(CompatibilityNames.member(tag.name))"
                                + reading(tag.type))
                    }
                    text.line(
                        union.isClosed
                            ? "default: throw union.unknownTag(Self.self)"
                            : "default: self = .other")
                }
            }
            text.line()
            text.documentation("Writes the case.")
            text.block("public var stone: JSON") { text in
                text.block("switch self") { text in
                    for tag in tags(union) {
                        let isLast = tag.name == "other" && tags(union).count > Self.checkedCases
                        text.line(
                            isLast
                                ? "default: StoneTag.json(\"other\")" : writing(tag.name, tag.type))
                    }
                }
            }
        }
        return text.text
    }

    private func reading(_ type: ValueType) -> String {
        guard type != .void else { return "" }
        guard specification.payloadIsFlat(type) else { return "(try union.value())" }
        return isNullable(type) ? "(try union.fieldsIfPresent())" : "(try union.fields())"
    }

    private func writing(_ tag: String, _ type: ValueType) -> String {
        let member = CompatibilityNames.member(tag)
        guard type != .void else { return "case .\(member): StoneTag.json(\"\(tag)\")" }
        let label = specification.payloadIsFlat(type) ? "fields" : "value"
        return "case .\(member)(let payload): StoneTag.json(\"\(tag)\", \(label): payload)"
    }
}
