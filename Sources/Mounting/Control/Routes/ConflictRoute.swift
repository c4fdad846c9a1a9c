// `conflicts`: the conflicted copies on a mount. Their text is in `Presentation`.

extension ControlRoutes {
    /// Asks for the conflicted copies at a path and below. The last reply is empty.
    package static let conflicts = ControlRoute<PathsRequest, ConflictsReply>(.conflicts) {
        request, call throws(CommandError) in
        let copies = try call.service.conflicts(below: request.first)
        for piece in copies.pieces(of: conflictsPerLine) {
            guard call.send(ConflictsReply(conflicts: piece)) else { return nil }
        }
        var end = ConflictsReply(conflicts: [], isTreeKnown: call.service.isTreeKnown)
        end.listing = call.service.listing
        return end
    }

    /// Conflicts per line, because a line is limited to a mebibyte: two paths each, of up to 4,096
    /// bytes, most of which take two in JSON at worst.
    private static let conflictsPerLine = 50
}

/// A reply to `conflicts`.
package struct ConflictsReply: Hashable, Sendable, Codable {
    /// The next ones, sorted by path; empty at the end.
    package var conflicts: [ConflictReport]
    /// Whether all of the account's tree is known; nil before the end.
    package var isTreeKnown: Bool?
    /// How far the listing of the account is; nil without one, and from a mount of an earlier
    /// version.
    package var listing: ListingStatus?
}

/// One conflicted copy, as `dbxfs conflicts` lists it.
package struct ConflictReport: Hashable, Sendable, Codable {
    /// Its path on the mount, without the mountpoint.
    package var path: String
    /// The path of the original; nil if that file no longer exists.
    package var original: String?
    /// The machine or person that made it; nil if its name does not say.
    package var maker: String?
    /// The day when it was made, as year-month-day; nil if its name does not say.
    package var day: String?
    /// Whether it was made on this machine.
    package var isMadeHere: Bool
    /// Size of the copy in bytes.
    package var bytes: Int64

    /// Memberwise and without defaults.
    package init(
        path: String, original: String?, maker: String?, day: String?, isMadeHere: Bool,
        bytes: Int64
    ) {
        self.path = path
        self.original = original
        self.maker = maker
        self.day = day
        self.isMadeHere = isMadeHere
        self.bytes = bytes
    }

    private enum CodingKeys: String, CodingKey {
        case path, original, maker, day, bytes
        case isMadeHere = "made_here"
    }

    /// Writes every field, unknown ones as null, so that scripts find them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(original, forKey: .original)
        try container.encode(maker, forKey: .maker)
        try container.encode(day, forKey: .day)
        try container.encode(isMadeHere, forKey: .isMadeHere)
        try container.encode(bytes, forKey: .bytes)
    }

    /// The same report with the paths that a place of the mount has for them; nil if it does not
    /// show the copy.
    package func shown(_ absolutePath: (String) -> String?) -> ConflictReport? {
        guard let path = absolutePath(path) else { return nil }
        var report = self
        report.path = path
        report.original = original.flatMap(absolutePath)
        return report
    }
}
