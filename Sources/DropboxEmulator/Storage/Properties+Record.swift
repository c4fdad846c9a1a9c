// The journal's form of templates and of changes of properties. Not responsible for the operations
// that hold them (`Operation+Record.swift`).

extension PropertyTemplate {
    var record: JSONValue {
        [
            .string(owner), .string(name), .string(description),
            .array(fields.map { [.string($0.name), .string($0.description)] }),
        ]
    }

    init?(record: JSONValue?) {
        guard let owner = record?[0]?.string, let name = record?[1]?.string,
            let description = record?[2]?.string, let fields = record?[3]?.array
        else { return nil }
        self.init(
            owner: owner, name: name, description: description,
            fields: fields.map {
                Field(name: $0[0]?.string ?? "", description: $0[1]?.string ?? "")
            })
    }
}

extension PropertyChange {
    var record: JSONValue {
        switch self {
        case .add(let groups): ["add", .array(groups.map(\.record))]
        case .overwrite(let groups): ["overwrite", .array(groups.map(\.record))]
        case .update(let updates):
            [
                "update",
                .array(
                    updates.map { update in
                        [
                            .string(update.template), .array(update.fields.map(\.record)),
                            .array(update.removed.map { .string($0) }),
                        ]
                    }),
            ]
        case .remove(let templates): ["remove", .array(templates.map { .string($0) })]
        }
    }

    init?(record: JSONValue?) {
        guard let kind = record?[0]?.string, let parts = record?[1]?.array else { return nil }
        switch kind {
        case "add": self = .add(parts.map { PropertyGroup(record: $0) })
        case "overwrite": self = .overwrite(parts.map { PropertyGroup(record: $0) })
        case "update":
            self = .update(
                parts.map { part in
                    Update(
                        template: part[0]?.string ?? "",
                        fields: part[1]?.array?.map { PropertyField(record: $0) } ?? [],
                        removed: part[2]?.array?.compactMap(\.string) ?? [])
                })
        case "remove": self = .remove(parts.compactMap(\.string))
        default: return nil
        }
    }
}

extension PropertyGroup {
    fileprivate var record: JSONValue { [.string(template), .array(fields.map(\.record))] }

    fileprivate init(record: JSONValue) {
        self.init(
            template: record[0]?.string ?? "",
            fields: record[1]?.array?.map { PropertyField(record: $0) } ?? [])
    }
}

extension PropertyField {
    fileprivate var record: JSONValue { [.string(name), .string(value)] }

    fileprivate init(record: JSONValue) {
        self.init(name: record[0]?.string ?? "", value: record[1]?.string ?? "")
    }
}
