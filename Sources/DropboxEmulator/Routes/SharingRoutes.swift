// Routes for shared links. The links' targets are not served: they would be web pages.

extension Routes {
    /// The prefix of all links; the real service has a page there.
    private static let site = "https://www.dropbox.com/scl/"
    /// The prefixes of all links that the real service has made.
    private static let sites = [
        site, "https://www.dropbox.com/s/", "https://www.dropbox.com/sh/",
        "https://www.dropbox.com/l/",
    ]
    /// Maximum links of a page.
    private static let pageSize = 200

    /// `sharing/create_shared_link_with_settings`: makes a link to an entry.
    static func createSharedLink(_ call: Call) async throws -> RouteResponse {
        let path = try call.arguments { reader throws(ArgumentError) -> String in
            // Audience, access, expiry and password need plans that the emulator does not support.
            _ = try reader.take("settings")
            return try reader.path("path", .readPath)
        }
        let secret = AccountRegistry.secret("fi")
        let made = try call.apply(.link(path: path, secret: secret, base: call.base)) {
            state, node in
            node.map { Self.link(to: $0, in: state.tree, call) } ?? JSONValue.null
        }
        return .json(call.presented(made))
    }

    /// `sharing/list_shared_links`: lists the links of the account, or of a path.
    static func listSharedLinks(_ call: Call) async throws -> RouteResponse {
        let (path, cursor, directOnly) = try call.arguments {
            reader throws(ArgumentError) -> (String?, String?, Bool) in
            let path = try reader.take("path").map { value throws(ArgumentError) in
                try ArgumentReader.path(value, .readPath, at: "path")
            }
            let cursor = try reader.take("cursor").map { value throws(ArgumentError) in
                try ArgumentReader.string(value, at: "cursor", length: 1...Int.max)
            }
            return (path, cursor, try reader.boolean("direct_only", default: false))
        }
        let (links, next) = try call.space.tree { tree throws(ListLinksError) in
            let all = try tree.linked(path, directOnly: directOnly, from: call.base)
            guard let start = cursor.map({ Int($0) }) ?? 0, (0...all.count).contains(start) else {
                throw .reset
            }
            let end = min(all.count, start + pageSize)
            return (
                all[start..<end].map { link(to: $0, in: tree, call) }, end < all.count ? end : nil
            )
        }
        var members: [JSONValue.Member] = [
            .init("links", .array(links.map(call.presented))),
            .init("has_more", .boolean(next != nil)),
        ]
        if let next { members.append(.init("cursor", .string(String(next)))) }
        return .json(.object(members))
    }

    /// `sharing/revoke_shared_link`: ends a link.
    static func revokeSharedLink(_ call: Call) async throws -> RouteResponse {
        let url = try call.arguments { reader throws(ArgumentError) in
            try reader.string("url", length: 1...Int.max)
        }
        guard sites.contains(where: url.hasPrefix) else { throw RevokeLinkError.malformed }
        let secret = url.hasPrefix(site) ? url.dropFirst(site.count).prefix { $0 != "/" } : ""
        try call.apply(.unlink(secret: String(secret)))
        return .json(.null)
    }

    /// The JSON of a `sharing.SharedLinkMetadata`.
    private static func link(to node: NodeID, in tree: AccountTree, _ call: Call) -> JSONValue {
        let (kind, entry) =
            switch tree.metadata(of: node, from: call.base) {
            case .file(let file): ("file", file.json)
            case .folder(let folder): ("folder", folder.json)
            case .deleted(let deleted): ("deleted", deleted.json)
            }
        let name = entry["name"]?.string ?? ""
        let secret = tree.sharedLinks[node] ?? ""
        var members: [JSONValue.Member] = [
            .init("url", .string(site + secret + "/" + escaped(name) + "?dl=0")),
            .init(
                "link_permissions",
                [
                    "can_revoke": true, "resolved_visibility": .tag("public"),
                    "requested_visibility": .tag("public"), "visibility_policies": [],
                    "can_set_expiry": false, "can_remove_expiry": false, "allow_download": true,
                    "can_allow_download": true, "can_disallow_download": false,
                    "allow_comments": true, "team_restricts_comments": false,
                ]),
        ]
        let shown = [
            "id", "name", "path_lower", "client_modified", "server_modified", "rev", "size",
        ]
        members += shown.compactMap { field in entry[field].map { .init(field, $0) } }
        return .tagged(kind, .object(members))
    }

    private static func escaped(_ name: String) -> String {
        name.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                String(Unicode.Scalar(byte))
            default: "%" + String(256 + Int(byte), radix: 16, uppercase: true).dropFirst()
            }
        }.joined()
    }
}
