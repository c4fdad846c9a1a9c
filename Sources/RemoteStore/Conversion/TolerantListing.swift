// Listings in which an invalid entry does not invalidate the whole page.

import DropboxAPI

/// A page of a listing or of changes.
struct TolerantListing: Decodable, Sendable {
    /// An entry, or nil if its fields are missing, of other types, or out of range.
    struct Item: Decodable, Sendable {
        let metadata: Files.Metadata?

        init(from decoder: any Decoder) throws {
            metadata = try? Files.Metadata(from: decoder)
        }
    }

    let entries: [Item]
    let cursor: Files.ListFolderCursor
    let hasMore: Bool

    /// Maximum entries accepted in a page; the server sends about 2,000.
    private static let mostEntries = 10_000

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        cursor = try fields.decode(Files.ListFolderCursor.self, forKey: .cursor)
        hasMore = try fields.decode(Bool.self, forKey: .hasMore)
        var list = try fields.nestedUnkeyedContainer(forKey: .entries)
        var entries: [Item] = []
        while !list.isAtEnd {
            guard entries.count < Self.mostEntries else {
                throw DecodingError.dataCorruptedError(
                    in: list, debugDescription: "more entries than a page has")
            }
            entries.append(try list.decode(Item.self))
        }
        self.entries = entries
    }

    private enum CodingKeys: String, CodingKey {
        case entries
        case cursor
        case hasMore = "has_more"
    }

    /// `files/list_folder`, with entries decoded one by one.
    static var listFolder: Route<Files.ListFolderArg, Self, Files.ListFolderError> {
        let strict = Files.listFolder
        return .init(strict.name, scope: strict.scope, isSafeToRepeat: strict.isSafeToRepeat)
    }

    /// `files/list_folder/continue`, with entries decoded one by one.
    static var listFolderContinue:
        Route<Files.ListFolderContinueArg, Self, Files.ListFolderContinueError>
    {
        let strict = Files.listFolderContinue
        return .init(strict.name, scope: strict.scope, isSafeToRepeat: strict.isSafeToRepeat)
    }
}
