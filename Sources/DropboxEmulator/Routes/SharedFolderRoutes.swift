// Routes for shared folders that the account may have in its tree, or not. Folders are shared by an
// admin route only.

extension Routes {
    /// The actions whose permissions a client may ask for: `sharing.FolderAction`.
    private static let folderActions = [
        "change_options", "disable_viewer_info", "edit_contents", "enable_viewer_info",
        "invite_editor", "invite_viewer", "invite_viewer_no_comment", "relinquish_membership",
        "unmount", "unshare", "leave_a_copy", "share_link", "create_link", "create_view_link",
        "create_edit_link", "set_access_inheritance",
    ]
    /// Most folders of a page.
    private static let mostFolders = 1000

    /// `sharing/list_mountable_folders`: lists the shared folders that can be mounted or unmounted.
    static func mountableFolders(_ call: Call) async throws -> RouteResponse {
        let (limit, actions) = try call.arguments {
            reader throws(ArgumentError) -> (Int, [String]) in
            let limit = try reader.integer(
                "limit", in: 1...Int64(mostFolders), default: Int64(mostFolders))
            guard let value = try reader.nullable("actions") else { return (Int(limit), []) }
            guard case .array(let tags) = value else {
                throw ArgumentReader.error("actions", "expected list, got \(value.kind)")
            }
            var actions: [String] = []
            for (index, tag) in tags.enumerated() {
                actions.append(
                    try ArgumentReader.tag(
                        of: tag, among: folderActions, at: "actions[\(index)]"))
            }
            return (Int(limit), actions)
        }
        return folderPage(call, FolderCursor(limit: limit, last: "", actions: actions))
    }

    /// `sharing/list_mountable_folders/continue`: lists more of them.
    static func continueMountableFolders(_ call: Call) async throws -> RouteResponse {
        let text = try call.arguments { reader throws(ArgumentError) in
            try reader.string("cursor")
        }
        guard let cursor = FolderCursor(text) else {
            throw RouteFailure.route(.tag("invalid_cursor"))
        }
        return folderPage(call, cursor)
    }

    /// `sharing/mount_folder`: puts a shared folder into the account's home.
    static func mountFolder(_ call: Call) async throws -> RouteResponse {
        let id = try call.arguments(sharedFolderID)
        let folder = try call.apply(.mountFolder(namespace: id)) { state, node in
            node.map { Self.sharedFolder($0, in: state.tree, [], call) } ?? JSONValue.null
        }
        return .json(call.presented(folder))
    }

    /// `sharing/unmount_folder`: takes a shared folder out of the account's tree.
    static func unmountFolder(_ call: Call) async throws -> RouteResponse {
        let id = try call.arguments(sharedFolderID)
        try call.apply(.unmountFolder(namespace: id))
        return .json(.null)
    }

    /// Takes the field of a `sharing.MountFolderArg`.
    private static func sharedFolderID(
        _ reader: inout ArgumentReader
    ) throws(ArgumentError) -> String {
        let text = try reader.string("shared_folder_id")
        let isID = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard isID, !text.isEmpty else {
            throw ArgumentReader.error(
                "shared_folder_id", "'\(text)' did not match pattern '[-_0-9a-zA-Z:]+'")
        }
        return text
    }

    private static func folderPage(_ call: Call, _ cursor: FolderCursor) -> RouteResponse {
        let (entries, next) = call.space.tree { tree -> ([JSONValue], String?) in
            let rest = tree.mountableFolders.drop { node in
                let namespace = tree.sharedFolders[node]?.namespace ?? ""
                return !AccountTree.precedes(cursor.last, namespace)
            }
            let page = rest.prefix(cursor.limit)
            let last = page.last.flatMap { tree.sharedFolders[$0]?.namespace }
            return (
                page.map { sharedFolder($0, in: tree, cursor.actions, call) },
                page.count < rest.count ? last : nil
            )
        }
        let page: JSONValue = ["entries": .array(entries.map(call.presented))]
        let more = next.map { FolderCursor(limit: cursor.limit, last: $0, actions: cursor.actions) }
        return .json(page.adding("cursor", more.map { .string($0.text) }))
    }

    /// The JSON of a `sharing.SharedFolderMetadata`.
    private static func sharedFolder(
        _ node: NodeID, in tree: AccountTree, _ actions: [String], _ call: Call
    ) -> JSONValue {
        guard let shared = tree.sharedFolders[node] else { return .null }
        let access = shared.isReadOnly ? "viewer" : shared.owner == nil ? "owner" : "editor"
        var folder: JSONValue = [
            "access_type": .tag(access), "is_inside_team_folder": false, "is_team_folder": false,
            "owner_display_names": [.string(shared.owner ?? call.account.displayName)],
            "name": .string(shared.name),
            "policy": [
                "acl_update_policy": .tag("editors"), "shared_link_policy": .tag("anyone"),
            ],
            "preview_url": .string("https://www.dropbox.com/scl/fo/\(shared.namespace)"),
            "shared_folder_id": .string(shared.namespace),
            "time_invited": .string(shared.since.text), "access_inheritance": .tag("inherit"),
            "folder_id": .string(tree.idText(node)),
        ]
        if !actions.isEmpty {
            let permissions = actions.map { action -> JSONValue in
                let isAllowed =
                    action == "unmount" || (action == "edit_contents" && !shared.isReadOnly)
                return ["action": .tag(action), "allow": .boolean(isAllowed)]
            }
            folder = folder.adding("permissions", .array(permissions))
        }
        guard tree[node].isAlive else { return folder }
        let path = tree.nodes.paths(of: node, from: call.base)
        return folder.adding("path_lower", .string(path.key))
            .adding("path_display", .string(path.display))
    }
}

/// The position in a listing of shared folders, which is in the order of their namespaces.
private struct FolderCursor {
    var limit: Int
    /// The namespace of the last folder that was listed; empty at the beginning.
    var last: String
    var actions: [String]

    /// The text that a client sends back.
    var text: String { "\(limit)/\(last)/\(actions.joined(separator: ","))" }

    init(limit: Int, last: String, actions: [String]) {
        self.limit = limit
        self.last = last
        self.actions = actions
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 3, let limit = Int(parts[0]), limit > 0 else { return nil }
        self.init(
            limit: limit, last: String(parts[1]),
            actions: parts[2].split(separator: ",").map(String.init))
    }
}
