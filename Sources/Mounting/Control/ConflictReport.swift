// The report of a conflicted copy, and its text.

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

    /// The same report with absolute paths.
    package func below(_ mountpoint: String) -> ConflictReport {
        var report = self
        report.path = "\(mountpoint)\(path)"
        report.original = original.map { "\(mountpoint)\($0)" }
        return report
    }

    /// The text for people.
    package var text: String {
        let size = Terminal.size(bytes)
        return StatusRows.text(
            path,
            [
                ("made", [day, whose, size].compactMap(\.self).joined(separator: ", ")),
                ("original", original ?? "gone"),
            ])
    }

    private var whose: String? {
        maker.map { "by \($0)" + (isMadeHere ? " (this machine)" : "") }
    }

    /// The advice below a list of conflicted copies.
    package static let advice = """
        Compare each copy with its original, keep what you want under the original's name, and delete or \
        rename the copy: it is listed for as long as its name says that it is one.
        """
}
