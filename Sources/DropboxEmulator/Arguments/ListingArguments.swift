// The arguments of listings and searches.

import Foundation

extension ArgumentReader {
    /// Takes the fields of `ListFolderArg` except for the path.
    mutating func listingOptions(pageSize: Int64) throws(ArgumentError) -> ListingScope {
        let isRecursive = try boolean("recursive", default: false)
        _ = try boolean("include_media_info", default: false)
        let includesDeleted = try boolean("include_deleted", default: false)
        _ = try boolean("include_has_explicit_shared_members", default: false)
        _ = try boolean("include_mounted_folders", default: true)
        var limit = pageSize
        if let value = try nullable("limit") {
            limit = min(limit, try Self.integer(value, in: 1...2000, at: at("limit")))
        }
        if try nullable("shared_link") != nil {
            throw Self.error(at("shared_link"), "no such shared link")
        }
        let templates = try templateFilter("include_property_groups") ?? []
        let includesNonDownloadable = try boolean("include_non_downloadable_files", default: true)
        _ = try boolean("include_restorable_info", default: false)
        return ListingScope(
            folderKey: "", isRecursive: isRecursive, includesDeleted: includesDeleted,
            includesNonDownloadable: includesNonDownloadable, templates: templates,
            pageSize: Int(limit))
    }
}

/// `files.SearchV2Arg`, as far as the emulator supports it.
struct SearchArguments: Sendable {
    let query: String
    let path: String
    let limit: Int

    init(_ reader: inout ArgumentReader) throws(ArgumentError) {
        query = try reader.string("query", length: 0...1000)
        var path = ""
        var limit: Int64 = 100
        if let value = try reader.nullable("options") {
            var options = try ArgumentReader(value, at: "options")
            if let value = try options.nullable("path") {
                path = try ArgumentReader.path(value, .pathROrID, at: "options.path")
            }
            limit = try options.integer("max_results", in: 1...1000, default: limit)
            _ = try options.nullable("order_by")
            _ = try options.take("file_status")
            _ = try options.boolean("filename_only", default: false)
            _ = try options.nullable("file_extensions")
            _ = try options.nullable("file_categories")
            _ = try options.optionalString("account_id")
            try options.finish()
        }
        if let value = try reader.nullable("match_field_options") {
            var options = try ArgumentReader(value, at: "match_field_options")
            _ = try options.boolean("include_highlights", default: false)
            try options.finish()
        }
        _ = try reader.nullable("include_highlights")
        self.path = path
        self.limit = Int(limit)
    }

    private init(query: String, path: String, limit: Int) {
        self.query = query
        self.path = path
        self.limit = limit
    }

    /// A cursor that skips the given number of matches.
    func cursor(skipping: Int) -> String {
        let fields: JSONValue = [
            .string(query), .string(path), .integer(Int64(limit)), .integer(Int64(skipping)),
        ]
        return Data(fields.utf8()).base64EncodedString()
    }

    /// Parses the text of `cursor(skipping:)`; nil for any other.
    static func read(cursor: String) -> (SearchArguments, skipping: Int)? {
        guard let data = Data(base64Encoded: cursor), let fields = try? JSONParser.parse(data),
            let query = fields[0]?.string, let path = fields[1]?.string,
            let limit = fields[2]?.integer, let skipping = fields[3]?.integer
        else { return nil }
        return (
            SearchArguments(query: query, path: path, limit: Int(limit)), skipping: Int(skipping)
        )
    }
}
