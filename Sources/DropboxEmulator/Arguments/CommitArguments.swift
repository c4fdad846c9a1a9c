// The arguments that describe a write: `CommitInfo`, `RelocationPath` and their parts.

/// The validated fields of a `files.CommitInfo`.
struct CommitArguments: Sendable {
    let commit: Commit
    /// The properties that the file gets once it is written.
    let properties: [PropertyGroup]

    /// Takes the fields of a `CommitInfo` out of a struct, which may have other fields.
    init(_ reader: inout ArgumentReader, base: NodeID) throws(ArgumentError) {
        let path = try reader.path("path", .writePathOrID)
        let mode = try reader.writeMode()
        let autorename = try reader.boolean("autorename", default: false)
        let clientModified = try reader.optionalTimestamp("client_modified")
        _ = try reader.boolean("mute", default: false)
        let strictConflict = try reader.boolean("strict_conflict", default: false)
        properties = try reader.optionalPropertyGroups("property_groups")
        commit = Commit(
            base: base, path: path, mode: mode, autorename: autorename,
            clientModified: clientModified, strictConflict: strictConflict)
    }

    /// Reads a whole `CommitInfo`.
    init(_ value: JSONValue, at place: String, base: NodeID) throws(ArgumentError) {
        var reader = try ArgumentReader(value, at: place)
        self = try CommitArguments(&reader, base: base)
        try reader.finish()
    }
}

extension ArgumentReader {
    fileprivate mutating func writeMode() throws(ArgumentError) -> WriteMode {
        guard let value = try take("mode") else { return .add }
        switch try Self.tag(of: value, among: ["add", "overwrite", "update"], at: at("mode")) {
        case "add": return .add
        case "overwrite": return .overwrite
        default:
            guard let rev = value["update"] else {
                throw Self.error(at("mode"), "missing 'update' key")
            }
            return .update(rev: try Self.rev(rev, at: at("mode.update")))
        }
    }

    /// Takes the `UploadSessionCursor` in a field.
    mutating func sessionCursor(
        _ name: String
    ) throws(ArgumentError) -> (session: String, offset: Int64) {
        var reader = try ArgumentReader(try require(name), at: at(name))
        let session = try reader.string("session_id")
        let offset = try reader.integer("offset")
        try reader.finish()
        return (session, offset)
    }

    /// Takes the `UploadSessionType` in a field; true for a concurrent session.
    mutating func isConcurrent(_ name: String) throws(ArgumentError) -> Bool {
        guard let value = try nullable(name) else { return false }
        return try Self.tag(of: value, among: ["sequential", "concurrent"], at: at(name))
            == "concurrent"
    }

    /// Takes the fields of a `RelocationPath`.
    mutating func relocation(
        base: NodeID, autorename: Bool, copies: Bool
    ) throws(ArgumentError) -> Relocation {
        let from = try path("from_path", .writePathOrID)
        let to = try path("to_path", .writePathOrID)
        return Relocation(
            base: base, from: from, to: to, autorename: autorename, copies: copies)
    }
}
