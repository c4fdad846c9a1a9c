// The journal's form of operations: a name, then the fields in a fixed order.

extension Operation {
    /// This operation's fields in the journal.
    var fields: [JSONValue] {
        switch self {
        case .commit(let commit, let content):
            ["commit"] + commit.fields + content.fields
        case .createFolder(let path, let autorename, let base):
            ["folder", .string(path), .boolean(autorename), base.field]
        case .delete(let path, let parentRev, let base):
            ["delete", .string(path), .optional(parentRev), base.field]
        case .relocate(let relocation):
            [
                relocation.copies ? "copy" : "move", .string(relocation.from),
                .string(relocation.to), .boolean(relocation.autorename), relocation.base.field,
            ]
        case .restore(let path, let rev, let base):
            ["restore", .string(path), .string(rev), base.field]
        case .link(let path, let secret, let base):
            ["link", .string(path), .string(secret), base.field]
        case .unlink(let secret): ["unlink", .string(secret)]
        case .mountFolder(let namespace): ["mount", .string(namespace)]
        case .unmountFolder(let namespace): ["unmount", .string(namespace)]
        default: settingFields
        }
    }

    private var settingFields: [JSONValue] {
        switch self {
        case .startSession(let id, let isConcurrent, let isClosed):
            ["start", .string(id), .boolean(isConcurrent), .boolean(isClosed)]
        case .append(let session, let offset, let length, let closes, let digests):
            [
                "append", .string(session), .integer(offset), .integer(length), .boolean(closes),
                .array(digests.map { .string($0.hex) }),
            ]
        case .endSession(let id): ["end", .string(id)]
        case .seed(let files, let folders, let bytes):
            ["seed", .integer(Int64(files)), .integer(Int64(folders)), .integer(Int64(bytes))]
        case .setQuota(let quota): ["quota", .integer(quota)]
        case .setRelocationLimit(let limit): ["relocation_limit", .integer(Int64(limit))]
        case .share(let path, let shared):
            [
                "share", .string(path), .string(shared.namespace), .boolean(shared.isReadOnly),
                .optional(shared.owner),
            ]
        case .mark(let path, let marks):
            [
                "mark", .string(path), .optional(marks.symlinkTarget), .optional(marks.exportAs),
                .array(marks.exportOptions.map { .string($0) }),
            ]
        case .resetCursors: ["reset"]
        case .addTemplate(let id, let template): ["template", .string(id), template.record]
        case .updateTemplate(let id, let template): ["retemplate", .string(id), template.record]
        case .removeTemplate(let id, let owner): ["untemplate", .string(id), .string(owner)]
        case .changeProperties(let path, let change, let owner, let base, let isTold):
            [
                "properties", .string(path), change.record, .string(owner), base.field,
                .boolean(isTold),
            ]
        case .commit, .createFolder, .delete, .relocate, .restore, .link, .unlink, .mountFolder,
            .unmountFolder:
            []
        }
    }

    /// Parses the fields of a record; nil for an invalid one.
    init?(fields: [JSONValue]) {
        var reader = FieldReader(fields)
        guard let name = reader.string() else { return nil }
        let operation: Operation? =
            switch name {
            case "commit": reader.commit()
            case "folder": reader.folder()
            case "delete": reader.delete()
            case "copy", "move": reader.relocation(copies: name == "copy")
            case "restore": reader.restoration()
            case "link": reader.link()
            case "unlink": reader.string().map { .unlink(secret: $0) }
            case "mount": reader.string().map { .mountFolder(namespace: $0) }
            case "unmount": reader.string().map { .unmountFolder(namespace: $0) }
            case "start": reader.session()
            case "append": reader.append()
            case "end": reader.string().map { .endSession(id: $0) }
            default: reader.setting(name)
            }
        guard let operation else { return nil }
        self = operation
    }
}

extension JSONValue {
    fileprivate static func optional(_ text: String?) -> JSONValue {
        text.map { .string($0) } ?? .null
    }
}

extension NodeID {
    fileprivate var field: JSONValue { .integer(Int64(index)) }
}

extension Commit {
    fileprivate var fields: [JSONValue] {
        let modeField: JSONValue =
            switch mode {
            case .add: "add"
            case .overwrite: "overwrite"
            case .update(let rev): .array([.string(rev)])
            }
        return [
            .string(path), base.field, modeField, .boolean(autorename), .boolean(strictConflict),
            clientModified.map { .integer($0.seconds) } ?? .null,
        ]
    }
}

extension Content {
    fileprivate var fields: [JSONValue] {
        let sourceField: JSONValue =
            switch source {
            case .stored: .null
            case .generated(let seed): .integer(Int64(bitPattern: seed))
            }
        return [.string(hash.hex), .integer(size), sourceField]
    }
}

/// Takes fields one after another.
private struct FieldReader {
    private var rest: ArraySlice<JSONValue>

    init(_ fields: [JSONValue]) {
        rest = fields[...]
    }

    mutating func value() -> JSONValue? { rest.popFirst() }
    mutating func string() -> String? { value()?.string }
    mutating func integer() -> Int64? { value()?.integer }
    mutating func boolean() -> Bool? { value()?.boolean }

    mutating func node() -> NodeID? {
        integer().flatMap { Int32(exactly: $0) }.map { NodeID(index: $0) }
    }

    mutating func commit() -> Operation? {
        guard let path = string(), let base = node(), let modeField = value(),
            let autorename = boolean(), let strict = boolean(), let modified = value(),
            let hash = string().flatMap({ ContentDigest(hex: $0) }), let size = integer(),
            let source = value()
        else { return nil }
        let mode: WriteMode =
            switch modeField {
            case "add": .add
            case "overwrite": .overwrite
            default: .update(rev: modeField[0]?.string ?? "")
            }
        let commit = Commit(
            base: base, path: path, mode: mode, autorename: autorename,
            clientModified: modified.integer.map { APITime(seconds: $0) },
            strictConflict: strict)
        let content = Content(
            hash: hash, size: size,
            source: source.integer.map { .generated(seed: UInt64(bitPattern: $0)) } ?? .stored)
        return .commit(commit, content)
    }

    mutating func folder() -> Operation? {
        guard let path = string(), let autorename = boolean(), let base = node() else {
            return nil
        }
        return .createFolder(path: path, autorename: autorename, base: base)
    }

    mutating func delete() -> Operation? {
        guard let path = string(), let rev = value(), let base = node() else { return nil }
        return .delete(path: path, parentRev: rev.string, base: base)
    }

    mutating func relocation(copies: Bool) -> Operation? {
        guard let from = string(), let to = string(), let autorename = boolean(),
            let base = node()
        else { return nil }
        return .relocate(
            Relocation(base: base, from: from, to: to, autorename: autorename, copies: copies))
    }

    mutating func restoration() -> Operation? {
        guard let path = string(), let rev = string(), let base = node() else { return nil }
        return .restore(path: path, rev: rev, base: base)
    }

    mutating func link() -> Operation? {
        guard let path = string(), let secret = string(), let base = node() else { return nil }
        return .link(path: path, secret: secret, base: base)
    }

    mutating func session() -> Operation? {
        guard let id = string(), let isConcurrent = boolean(), let isClosed = boolean() else {
            return nil
        }
        return .startSession(id: id, isConcurrent: isConcurrent, isClosed: isClosed)
    }

    mutating func append() -> Operation? {
        guard let session = string(), let offset = integer(), let length = integer(),
            let closes = boolean(), let digests = value()?.array
        else { return nil }
        return .append(
            session: session, offset: offset, length: length, closes: closes,
            digests: digests.compactMap { $0.string.flatMap { ContentDigest(hex: $0) } })
    }

    mutating func setting(_ name: String) -> Operation? {
        switch name {
        case "seed":
            guard let files = integer(), let folders = integer(), let bytes = integer() else {
                return nil
            }
            return .seed(files: Int(files), folders: Int(folders), bytes: Int(bytes))
        case "quota": return integer().map { .setQuota($0) }
        case "relocation_limit": return integer().map { .setRelocationLimit(Int($0)) }
        case "share":
            guard let path = string(), let namespace = string(), let isReadOnly = boolean() else {
                return nil
            }
            return .share(
                path: path,
                SharedFolder(
                    namespace: namespace, isReadOnly: isReadOnly, owner: string()))
        case "mark":
            guard let path = string(), let target = value(), let format = value() else {
                return nil
            }
            // Journals from before documents had further formats end here.
            let options = value()?.array?.compactMap(\.string) ?? []
            return .mark(
                path: path,
                FileMarks(
                    symlinkTarget: target.string, exportAs: format.string, exportOptions: options))
        case "reset": return .resetCursors
        default: return properties(name)
        }
    }

    private mutating func properties(_ name: String) -> Operation? {
        guard let subject = string() else { return nil }
        switch name {
        case "template":
            return PropertyTemplate(record: value()).map { .addTemplate(id: subject, $0) }
        case "retemplate":
            return PropertyTemplate(record: value()).map { .updateTemplate(id: subject, $0) }
        case "untemplate": return string().map { .removeTemplate(id: subject, owner: $0) }
        case "properties":
            guard let change = PropertyChange(record: value()), let owner = string(),
                let base = node(), let isTold = boolean()
            else { return nil }
            return .changeProperties(
                path: subject, change, owner: owner, base: base, isTold: isTold)
        default: return nil
        }
    }
}
