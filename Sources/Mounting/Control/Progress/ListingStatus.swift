// How far a listing of the whole account is: for `status`, `doctor`, and commands that wait for it.

/// A listing of the whole account that is running. Dropbox has no count of an account's entries, so
/// the expectation comes from elsewhere, and is nil where nothing honest is known.
package struct ListingStatus: Hashable, Sendable, Codable {
    /// Seconds since it began, or continued after a start.
    package var seconds: Double
    /// Whether it is the first one, so that names are still missing. A later one compares a known
    /// tree.
    package var isFirst: Bool
    /// Number of entries that it has seen.
    package var entries: Int
    /// Sum of their sizes in bytes.
    package var bytes: Int64
    /// The number that was known before; nil if it is the first one.
    package var expectedEntries: Int?
    /// The space that the account uses, as Dropbox says, in bytes; nil if a part of it is mounted,
    /// or a team's files.
    package var expectedBytes: Int64?

    /// Creates a status that expects nothing.
    package init(seconds: Double, isFirst: Bool, entries: Int, bytes: Int64) {
        self.seconds = seconds
        self.isFirst = isFirst
        self.entries = entries
        self.bytes = bytes
    }

    private enum CodingKeys: String, CodingKey {
        case seconds, entries, bytes
        case isFirst = "first"
        case expectedEntries = "expected_entries"
        case expectedBytes = "expected_bytes"
    }

    /// Writes every field, so that scripts find them: nil is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(seconds, forKey: .seconds)
        try container.encode(isFirst, forKey: .isFirst)
        try container.encode(entries, forKey: .entries)
        try container.encode(bytes, forKey: .bytes)
        try container.encode(expectedEntries, forKey: .expectedEntries)
        try container.encode(expectedBytes, forKey: .expectedBytes)
    }
}
