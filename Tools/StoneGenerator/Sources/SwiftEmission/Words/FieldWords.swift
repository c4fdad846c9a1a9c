// Finds the sentence of our own about a type, a field or a case: the specification's texts are not
// ours to commit. Not responsible for limits and defaults: those are facts of the specification,
// and the writers add them.

import Stone

/// Sentences about types and their members, which are fields or cases.
///
/// A table is text. A line that is not indented is a type, and the indented lines below it are its
/// members; a colon separates name and sentence. `fields` stands for all structs of its namespace
/// and `cases` for all unions, and the namespace `*` for all. The sentence of a type itself goes
/// before those of the types from which it inherits, and these go before those of all types.
struct FieldWords: Sendable {
    /// The sentences of all tables of the generator.
    static let own = FieldWords([
        ("*", all), ("async", async), ("check", check), ("common", common),
        ("file_properties", fileProperties), ("file_requests", fileRequests),
        ("files", filesReading), ("files", filesMetadata), ("files", filesWriting),
        ("files", filesMoving), ("files", uploadSessions),
        ("secondary_emails", secondaryEmails), ("seen_state", seenState),
        ("sharing", sharingArguments), ("sharing", sharingErrors), ("sharing", sharingLinks),
        ("sharing", sharingMembers), ("team", teamErrors), ("team", teamMembers),
        ("team_common", teamCommon), ("team_policies", teamPolicies), ("users", users),
        ("users_common", usersCommon),
    ])

    /// The sentences by `namespace.Type` and `namespace.Type.member`.
    private(set) var sentences: [String: String] = [:]
    /// Keys that the tables have more than once, and lines that are neither a type nor a member.
    private(set) var mistakes: [String] = []

    /// Reads tables, each with its namespace.
    init(_ tables: [(namespace: String, text: String)]) {
        for table in tables {
            var type = ""
            for line in table.text.split(separator: "\n") {
                guard let colon = line.firstIndex(of: ":") else {
                    mistakes.append(String(line))
                    continue
                }
                let isMember = line.first == " "
                let name = line[..<colon].drop { $0 == " " }
                let sentence = line[colon...].dropFirst().drop { $0 == " " }
                if !isMember { type = "\(table.namespace).\(name)" }
                add(String(sentence), as: isMember ? "\(type).\(name)" : type)
            }
        }
    }

    private mutating func add(_ sentence: String, as key: String) {
        guard !sentence.isEmpty else { return }
        if sentences.updateValue(sentence, forKey: key) != nil { mistakes.append(key) }
    }

    /// The sentence about a type; nil if none is written.
    func about(_ type: TypeName) -> String? { sentences["\(type)"] }

    /// The sentence about a field or a case of a type; nil if none is written.
    func about(
        _ member: Field, of type: TypeName, in specification: Specification
    ) -> String? {
        var next: TypeName? = type
        while let holder = next {
            if let sentence = sentences["\(holder).\(member.name)"] { return sentence }
            next =
                specification.structure(holder)?.parent
                ?? specification.union(.union(holder))?.parent
        }
        let all = specification.structure(type) == nil ? "cases" : "fields"
        return sentences["\(type.namespace).\(all).\(member.name)"]
            ?? sentences["*.\(all).\(member.name)"]
    }
}

extension NamespaceWriter {
    /// The help of a field: its sentence, its limits and its default. An alias has its limits
    /// itself; the help of a parameter has them in any case.
    func help(
        _ field: Field, of structure: Structure, asParameter isParameter: Bool = false
    ) -> String {
        let deprecation = field.isDeprecated ? " Deprecated." : ""
        let limits = limits(isParameter ? specification.resolved(field.type) : field.type)
        let words = FieldWords.own.about(field, of: structure.name, in: specification)
        guard let words else {
            return "The field `\(field.name)`\(limits).\(deprecation)"
        }
        let standard = field.defaultValue.map { " Default: `\($0.spelled)`." } ?? ""
        return words + (limits.isEmpty ? "" : " Limits\(limits).") + standard + deprecation
    }
}
