// Positions in a listing, each with the templates that the listing was requested with. The server's
// cursor continues with the parameters of the first request, and does not tell them. So a feed from
// before the account had a template never contains facts, and has to be begun anew.

import Core
import DropboxAPI

/// A server's cursor, and the templates whose properties its pages have.
struct FeedPosition: Hashable, Sendable {
    /// The templates that the listing asks for.
    var templates: [String]
    /// Whether it is the feed of the whole account, which must tell of facts if there are any.
    /// Other listings are about names only.
    var isFeed: Bool
    /// The server's cursor; empty before the first page.
    var cursor = ""

    private static let feedTag = "facts"
    private static let otherTag = "names"

    init(templates: [String], isFeed: Bool) {
        self.templates = templates
        self.isFeed = isFeed
    }

    /// Reads a stored position. A bare cursor is that of a feed without facts.
    init(_ stored: Core.Cursor) {
        // Cursors of the server have no spaces.
        let parts = stored.rawValue.split(
            separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == Self.feedTag || parts[0] == Self.otherTag else {
            self.init(templates: [], isFeed: true)
            cursor = stored.rawValue
            return
        }
        self.init(
            templates: parts[1].split(separator: ",").map(String.init),
            isFeed: parts[0] == Self.feedTag)
        cursor = String(parts[2])
    }

    /// The position behind a page. Throws `malformed` for a cursor that is too long to store.
    func at(_ next: String) throws(RemoteError) -> Core.Cursor {
        let cursor = try MetadataReader.cursor(next)
        if isFeed && templates.isEmpty { return cursor }
        let tag = isFeed ? Self.feedTag : Self.otherTag
        return Core.Cursor("\(tag) \(templates.joined(separator: ",")) \(cursor.rawValue)")
    }

    /// The parameter of a request for the properties by the templates.
    var filter: FileProperties.TemplateFilterBase? { Self.filter(of: templates) }

    static func filter(of templates: [String]) -> FileProperties.TemplateFilterBase? {
        templates.isEmpty ? nil : .filterSome(templates)
    }
}
