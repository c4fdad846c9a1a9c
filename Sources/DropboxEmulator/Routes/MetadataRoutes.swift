// Routes that read entries: metadata, listings, revisions and search. Not
// responsible for longpoll (`LongpollRoute`).

extension Routes {
    /// `files/get_metadata`: returns the metadata of an entry.
    static func getMetadata(_ call: Call) async throws -> RouteResponse {
        let (path, includesDeleted, wanted) = try call.arguments {
            reader throws(ArgumentError) -> (String, Bool, [String]) in
            let value = try reader.require("path")
            if value == "" {
                throw ArgumentError(message: "path: The root folder is unsupported.")
            }
            let path = try ArgumentReader.path(value, .readPath, at: "path")
            _ = try reader.boolean("include_media_info", default: false)
            let includesDeleted = try reader.boolean("include_deleted", default: false)
            _ = try reader.boolean("include_has_explicit_shared_members", default: false)
            let templates = try reader.templateFilter("include_property_groups") ?? []
            return (path, includesDeleted, templates)
        }
        let base = call.base
        let found = try call.space.tree { tree throws(PathFailure) -> JSONValue in
            switch try PathFailure.wrap({ () throws(LookupError) in
                try tree.resolve(path, from: base)
            }) {
            case .node(let node) where node == base || node == .root:
                throw PathFailure(.malformedPath)
            case .node(let node):
                let own = wanted.filter { tree.properties.template($0, of: call.account.id) != nil }
                return tree.metadata(of: node, from: base, with: own).json
            case .revision(let revision):
                // By rev the service omits symlink_info (samschott/maestral#781).
                return Metadata.file(tree.fileMetadata(of: revision, from: base).withoutMarks).json
            case .deleted(let display, _):
                guard includesDeleted else { throw PathFailure(.notFound) }
                return Metadata.deleted(tree.deletedMetadata(display: display, from: base)).json
            }
        }
        return .json(call.presented(found))
    }

    // MARK: Listings

    /// `files/list_folder`: returns the first page of a listing.
    static func listFolder(_ call: Call) async throws -> RouteResponse {
        let scope = try listingScope(call)
        let page = try call.space.tree { tree throws(ListingError) in
            try tree.page(tree.firstCursor(scope, account: call.account.id))
        }
        return .json(call.listing(page))
    }

    /// `files/list_folder/get_latest_cursor`: returns a cursor for later changes.
    static func latestCursor(_ call: Call) async throws -> RouteResponse {
        let scope = try listingScope(call)
        let cursor = call.space.tree { $0.latestCursor(scope, account: call.account.id) }
        return .json(["cursor": .string(cursor.text)])
    }

    /// `files/list_folder/continue`: returns the next page, or the changes since.
    static func listFolderContinue(_ call: Call) async throws -> RouteResponse {
        let text = try call.arguments { reader throws(ArgumentError) in
            try reader.string("cursor", length: 1...Int.max)
        }
        let plain = text.hasSuffix(emptyPageMark) ? String(text.dropLast()) : text
        guard let cursor = Cursor(plain), cursor.account == call.account.id else {
            throw ArgumentError(message: "Invalid \"cursor\" parameter: '\(text)'")
        }
        if call.emulator.settings.hasEmptyPages, !text.hasSuffix(emptyPageMark) {
            return .json([
                "entries": [], "cursor": .string(text + emptyPageMark), "has_more": true,
            ])
        }
        let page = try call.space.tree { tree throws(ListingError) in try tree.page(cursor) }
        return .json(call.listing(page))
    }

    /// Marks a cursor whose empty page has been sent; base64 text never ends with it.
    static let emptyPageMark = "."

    private static func listingScope(_ call: Call) throws -> ListingScope {
        let limit = call.emulator.settings.pageSize
        var (path, scope) = try call.arguments {
            reader throws(ArgumentError) -> (String, ListingScope) in
            let value = try reader.require("path")
            if value == "/" {
                throw ArgumentError(
                    message:
                        "path: Specify the root folder as an empty string rather than as \"/\".")
            }
            let path = try ArgumentReader.path(value, .pathROrID, at: "path")
            return (path, try reader.listingOptions(pageSize: limit))
        }
        scope.folderKey = try call.space.tree { tree throws(PathFailure) in
            try PathFailure.wrap { () throws(LookupError) in
                try tree.scope(
                    path, from: call.base, pageSize: scope.pageSize,
                    includesDeleted: scope.includesDeleted
                ).folderKey
            }
        }
        scope.base = call.base
        let templates = scope.templates
        try call.space.tree { tree throws(TemplateFilterError) in
            let unknown = templates.first {
                tree.properties.template($0, of: call.account.id) == nil
            }
            if let unknown { throw TemplateFilterError(error: .notFound(unknown)) }
        }
        return scope
    }

    // MARK: History and search

    /// `files/list_revisions`: returns the revisions of a file.
    static func listRevisions(_ call: Call) async throws -> RouteResponse {
        let (path, mode, limit, before) = try call.arguments {
            reader throws(ArgumentError) -> (String, RevisionsMode, Int64, String?) in
            let path = try reader.path("path", .pathOrID)
            var mode = RevisionsMode.path
            if let value = try reader.take("mode") {
                let tag = try ArgumentReader.tag(of: value, among: ["path", "id"], at: "mode")
                mode = RevisionsMode(rawValue: tag) ?? .path
            }
            let limit = try reader.integer("limit", in: 1...100, default: 10)
            let before = try reader.optionalRev("before_rev")
            _ = try reader.boolean("include_restorable_info", default: false)
            return (path, mode, limit, before)
        }
        let page = try call.space.tree { tree throws(RevisionsError) in
            try tree.revisions(path, mode: mode, limit: Int(limit), before: before, from: call.base)
        }
        return .json(
            JSONValue.object([
                .init("is_deleted", .boolean(page.isDeleted)),
                .init("entries", .array(page.entries.map { call.presented($0.json) })),
                .init("has_more", .boolean(page.hasMore)),
            ]).adding("server_deleted", page.serverDeleted.map { .string($0.text) }))
    }

    /// `files/search_v2`: returns the first entries whose names match.
    static func search(_ call: Call) async throws -> RouteResponse {
        let arguments = try call.arguments { reader throws(ArgumentError) in
            try SearchArguments(&reader)
        }
        return try matches(call, arguments, skipping: 0)
    }

    /// `files/search/continue_v2`: returns the next matches.
    static func searchContinue(_ call: Call) async throws -> RouteResponse {
        let text = try call.arguments { reader throws(ArgumentError) in
            try reader.string("cursor", length: 1...Int.max)
        }
        guard let (arguments, skipping) = SearchArguments.read(cursor: text) else {
            throw ArgumentError(message: "Invalid \"cursor\" parameter: '\(text)'")
        }
        return try matches(call, arguments, skipping: skipping)
    }

    private static func matches(
        _ call: Call, _ arguments: SearchArguments, skipping: Int
    ) throws -> RouteResponse {
        let base = call.base
        let (entries, hasMore) = try call.space.tree {
            tree throws(PathFailure) -> ([JSONValue], Bool) in
            let folder: NodeID
            do throws(LookupError) {
                folder = try tree.livingNode(arguments.path, from: base)
            } catch {
                guard error == .notFound else { throw PathFailure(error) }
                return ([], false)
            }
            let (found, hasMore) = tree.search(
                arguments.query, in: folder, skipping: skipping, limit: arguments.limit)
            return (found.map { tree.metadata(of: $0, from: base).json }, hasMore)
        }
        let results = entries.map { entry -> JSONValue in
            [
                "metadata": .tag("metadata", call.presented(entry)),
                "match_type": .tag("filename"),
            ]
        }
        let response: JSONValue = ["matches": .array(results), "has_more": .boolean(hasMore)]
        let cursor = hasMore ? arguments.cursor(skipping: skipping + results.count) : nil
        return .json(response.adding("cursor", cursor.map { .string($0) }))
    }
}

/// A listing was to have properties by a template that there is not.
struct TemplateFilterError: APIUnion {
    let error: TemplateError

    var json: JSONValue { .tag("template_error", error.json) }
}

/// A failed lookup in the form that most unions use: under `path`.
struct PathFailure: APIUnion {
    let error: LookupError

    init(_ error: LookupError) {
        self.error = error
    }

    var json: JSONValue { .tag("path", error.json) }

    /// Runs a lookup, and wraps its errors under `path`.
    static func wrap<Value>(
        _ lookup: () throws(LookupError) -> Value
    ) throws(PathFailure) -> Value {
        do throws(LookupError) {
            return try lookup()
        } catch {
            throw PathFailure(error)
        }
    }
}

extension Call {
    /// An entry after the changes that the settings demand.
    func presented(_ entry: JSONValue) -> JSONValue {
        emulator.settings.hasUnreliableParentCase ? entry.withUnreliableParentCase : entry
    }

    /// The page as a `ListFolderResult`.
    func listing(_ page: ListingPage) -> JSONValue {
        [
            "entries": .array(page.entries.map { presented($0.json) }),
            "cursor": .string(page.next.text), "has_more": .boolean(page.hasMore),
        ]
    }
}

extension FileMetadata {
    /// This metadata without the attributes of the file that its revisions do not have.
    fileprivate var withoutMarks: FileMetadata {
        FileMetadata(
            path: path, id: id, rev: rev, clientModified: clientModified,
            serverModified: serverModified, content: content, marks: nil, shared: shared)
    }
}
