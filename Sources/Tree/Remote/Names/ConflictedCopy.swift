// Parses the names of conflicted copies: the original name, and the maker. `ConflictName` builds
// such names.

package import Core

/// A parsed name of a conflicted copy, by `ConflictName` or by Dropbox's own clients in English.
/// These translate the words, so other languages are not recognised.
package struct ConflictedCopy: Hashable, Sendable {
    /// The folded text that every such name contains: a filter before parsing.
    package static let mark = "conflict"

    /// The original name. A long one may have lost the end of its stem.
    package var original: FileName
    /// The machine or person that made it; nil if the name does not say.
    package var maker: String?
    /// The day, as year-month-day; nil if the name does not say.
    package var day: String?

    /// Parses a name; nil if it is not a conflicted copy's.
    package init?(_ name: FileName) {
        // `NAME (HOST's conflicted copy 2026-11-22).EXT` with a number before or after the bracket
        // from the second one on, and `NAME (Case Conflict 1).EXT`, of which Dropbox has a few.
        let form =
            /(?<stem>.+) \((?:(?:(?<maker>.+)['’]s )?conflicted copy(?: (?<day>[0-9]{4}-[0-9]{2}-[0-9]{2}))?(?: [0-9]+| \([0-9]+\))*|(?:Case|Selective Sync|Unicode Encoding|White ?space) Conflict(?: [0-9]+| \([0-9]+\))*)\)(?: \([0-9]+\))?(?<suffix>\.[^.\/]+)?/
            .ignoresCase()
        guard let match = name.string.wholeMatch(of: form),
            let original = try? FileName("\(match.stem)\(match.suffix ?? "")")
        else { return nil }
        self.original = original
        maker = match.maker.map(String.init)
        day = match.day.map(String.init)
    }
}
