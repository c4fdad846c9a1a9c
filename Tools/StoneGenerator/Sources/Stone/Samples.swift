// Generated documents: one of each struct with all its fields, one of each tag of a union.
// The specification has examples for half of its types only; these reach every field and every tag.

extension Specification {
    /// A document with every field for each struct, and one for each tag of each union; by type and
    /// label.
    public func sampleDocuments() -> [ExampleDocument] {
        var maker = SampleMaker(specification: self)
        var documents: [ExampleDocument] = []
        for namespace in namespaces {
            for structure in namespace.structures {
                documents += maker.documents(structure)
            }
            for union in namespace.unions {
                for tag in union.tags {
                    documents.append(
                        ExampleDocument(
                            type: union.name, label: "tag \(tag.name)",
                            value: maker.document(tag)))
                }
            }
        }
        return documents.sorted { ($0.type, $0.label) < ($1.type, $1.label) }
    }

    /// A document for a type, with every field.
    public func sampleDocument(of type: ValueType) -> JSONValue {
        var maker = SampleMaker(specification: self)
        return maker.document(type)
    }
}

/// Makes up documents of a type.
struct SampleMaker {
    let specification: Specification
    /// The types that are being made: one within itself is left out where it may be.
    private var open: [TypeName] = []

    init(specification: Specification) {
        self.specification = specification
    }

    mutating func documents(_ structure: Structure) -> [ExampleDocument] {
        guard let subtypes = structure.subtypes else {
            return [
                ExampleDocument(
                    type: structure.name, label: "all fields",
                    value: document(.structure(structure.name)))
            ]
        }
        return subtypes.all.map { subtype in
            ExampleDocument(
                type: structure.name, label: "subtype \(subtype.tag)",
                value: document(.structure(subtype.name)).tagged(subtype.tag))
        }
    }

    mutating func document(_ tag: Field) -> JSONValue {
        specification.document(tag, tag.type == .void ? .null : document(tag.type))
    }

    mutating func document(_ type: ValueType) -> JSONValue {
        switch specification.resolved(type) {
        case .void, .alias: .null
        case .boolean: .boolean(true)
        case .integer(_, let minimum, _): .number(minimum ?? "7")
        case .float(_, let minimum): .number(minimum ?? "1.5")
        case .string(let limits): .string(limits.sample)
        case .timestamp(let format):
            .string(format.contains("%H") ? "2015-05-12T15:50:38Z" : "2015-05-12")
        case .list(let element, let minimum, _):
            isOpen(element) && (minimum ?? 0) == 0
                ? .array([])
                : .array(Array(repeating: document(element), count: max(1, minimum ?? 1)))
        case .map(let element): .object(["key": document(element)])
        case .nullable(let payload): isOpen(payload) ? .null : document(payload)
        case .structure(let name): structure(name)
        case .union(let name): union(name)
        }
    }

    private func isOpen(_ type: ValueType) -> Bool {
        switch specification.resolved(type) {
        case .structure(let name), .union(let name): open.contains(name)
        case .nullable(let payload): isOpen(payload)
        default: false
        }
    }

    private mutating func structure(_ name: TypeName) -> JSONValue {
        guard let structure = specification.structure(name) else { return .null }
        open.append(name)
        defer { open.removeLast() }
        if let subtype = structure.subtypes?.all.first {
            return self.structure(subtype.name).tagged(subtype.tag)
        }
        var object: [String: JSONValue] = [:]
        for field in structure.fields {
            let value = document(field.type)
            if value != .null { object[field.name] = value }
        }
        return .object(object)
    }

    /// Prefers a tag with a payload that is not this union again.
    private mutating func union(_ name: TypeName) -> JSONValue {
        guard let union = specification.union(.union(name)) else { return .null }
        open.append(name)
        defer { open.removeLast() }
        let tag =
            union.tags.first { $0.type != .void && !isOpen($0.type) }
            ?? union.tags.first { $0.type == .void }
        return tag.map { document($0) } ?? .object([".tag": .string("other")])
    }
}

extension StringLimits {
    /// Strings of which one fits nearly every pattern of the specification.
    private static let candidates = [
        "text", "/folder/file", "id:a4ayc_80_OEAAAAAAAAAYa", "a1c10ce0dd78", "user@example.com",
        "ptid:1a5n2i6d3OYEAAAAAAAAAYa", "pid_dbhid:abcd1234", "pid_dbtmr:abcd1234", "12345678",
        "en",
        "", "https://www.dropbox.com/s/2sn712vy1ovegw8",
    ]

    /// A string that fits, or "text" if none of the candidates does.
    ///
    /// Strings of one length may be hashes, so they are tried with digits alone.
    var sample: String {
        let digits = minimum != nil && minimum == maximum ? [""] : []
        return (digits + Self.candidates).lazy.map(padded).first(where: fits) ?? "text"
    }

    private func padded(_ text: String) -> String {
        text + String(repeating: "0", count: max(0, (minimum ?? 0) - text.count))
    }

    private func fits(_ text: String) -> Bool {
        if let maximum, text.count > maximum { return false }
        guard let pattern, let regex = try? Regex(pattern) else { return true }
        return (try? regex.wholeMatch(in: text)) != nil
    }
}
