// A team's space: the folders of its members in it, and its team folders. Asked of an emulator with
// a member that is made for the statement; of the real service if the account is one, in folders
// that the team has already.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/sync.md#roots"

    static let teams: [Statement] = [
        .init(
            "team-root", "The root of a team's member is another namespace than the home.",
            .specification(file: "common", name: "TeamRootInfo"), rule: place,
            expects: "another"
        ) { box in
            let (_, info) = try await member(box)
            return info.rootNamespaceID == info.homeNamespaceID ? "the same" : "another"
        },
        .init(
            "team-home-path", "The account tells the path of the home in the team's space.",
            .specification(file: "common", name: "TeamRootInfo"), rule: place, expects: "text"
        ) { box in
            let (own, info) = try await member(box)
            _ = try await own.given { try await $0.put("a", "text", .overwrite) }
            let root = own.rooted(at: info.rootNamespaceID)
            return try await root.inFolder(info.homePath + own.folder).text("a")
        },
        .init(
            "team-home-is-namespace", "The home is a namespace in the team's space.", .pathRoots,
            rule: place, expects: "the home"
        ) { box in
            let (own, info) = try await member(box)
            let root = own.rooted(at: info.rootNamespaceID)
            guard case .folder(let home) = try await root.files.getMetadata(path: info.homePath)
            else { return "no folder" }
            return home.sharedFolderID == info.homeNamespaceID ? "the home" : "another namespace"
        },
        .init(
            "team-home-by-namespace",
            "A member's paths without a header are those relative to the home.", .pathRoots,
            rule: place, expects: "text"
        ) { box in
            let (own, info) = try await member(box)
            _ = try await own.given { try await $0.put("a", "text", .overwrite) }
            return try await own.rooted(at: info.homeNamespaceID).text("a")
        },
        .init(
            "team-folder", "A team folder is in the team's space, and names its namespace.",
            .specification(file: "files", name: "FolderSharingInfo"), rule: place, expects: "digits"
        ) { box in
            let id = try await teamFolder(box).id
            return !id.isEmpty && id.allSatisfy(\.isNumber) ? "digits" : id
        },
        .init(
            "team-folder-not-in-home", "A team folder is not in the home.", .pathRoots, rule: place,
            expects: "path/not_found"
        ) { box in
            let folder = try await teamFolder(box)
            return box.line(try await folder.own.files.getMetadata(path: folder.path))
        },
        .init(
            "team-folder-by-namespace", "Paths can be relative to a team folder.", .pathRoots,
            rule: "docs/operations.md#everyday", expects: "the same names"
        ) { box in
            let folder = try await teamFolder(box)
            let root = folder.own.rooted(at: folder.root)
            let inside = folder.own.rooted(at: folder.id)
            let names = try await root.names(folder.path)
            return try await inside.names("") == names ? "the same names" : "other names"
        },
        .init(
            "team-folder-path-in-namespace",
            "Relative to a team folder, paths begin there, in metadata, too.", .pathRoots,
            rule: place, expects: "one level"
        ) { box in
            let folder = try await teamFolder(box)
            let paths = try await folder.own.rooted(at: folder.id).paths("")
            return paths.allSatisfy { $0.split(separator: "/").count == 1 }
                ? "one level" : ConformanceAccount.list(paths)
        },
        .init(
            "team-other-namespace", "A namespace of another account is no root of a member.",
            .pathRoots, rule: place, expects: "422 no_permission"
        ) { box in
            let (own, _) = try await member(box)
            return ConformanceAccount.list(try await own.rooted(at: "1234567890").names(""))
        },
    ]

    /// The account as a team's member: one that is made, or the real one if it is.
    private static func member(
        _ box: ConformanceAccount
    ) async throws -> (ConformanceAccount, Common.TeamRootInfo) {
        var own = box
        if box.emulator != nil {
            let name = "ada\(UInt32.random(in: 0...UInt32.max))"
            try await box.admin(
                "accounts",
                #"{"given_name":"Ada","surname":"Member","email":"\#(name)@example.com","#
                    + #""team":true,"token":"\#(name)"}"#, reason: "")
            own = box.with(token: AccessToken(name))
        }
        let account = own
        let info = try await account.given {
            try await $0.client.users.getCurrentAccount().rootInfo
        }
        guard case .team(let team) = info else {
            throw Unaskable(reason: "the account is no team's member")
        }
        return (account, team)
    }

    /// A team folder with something in it.
    private struct TeamFolder {
        let own: ConformanceAccount
        /// The namespace of the team's space.
        let root: String
        let path: String
        /// The folder's own namespace.
        let id: String
    }

    private static func teamFolder(_ box: ConformanceAccount) async throws -> TeamFolder {
        let (own, info) = try await member(box)
        let space = own.rooted(at: info.rootNamespaceID)
        if own.emulator != nil {
            let folder = space.inFolder("/projects")
            _ = try await folder.given { try await $0.put("d/a", "text", .overwrite) }
            try await box.admin(
                "share",
                #"{"token":"\#(own.token.secret)","path":"/projects","namespace_id":"#
                    + #""\#(UInt32.random(in: 1_000_000_000...4_000_000_000))"}"#, reason: "")
        }
        let found = try await space.given { try await $0.files.listFolder(path: "").entries }
        for case .folder(let folder) in found {
            guard let id = folder.sharedFolderID, id != info.homeNamespaceID,
                let path = folder.pathLower
            else { continue }
            return TeamFolder(own: own, root: info.rootNamespaceID, path: path, id: id)
        }
        throw Unaskable(reason: "the team has no team folder")
    }
}

extension ConformanceAccount {
    /// The same folder of the account of another token.
    fileprivate func with(token: AccessToken) -> ConformanceAccount {
        ConformanceAccount(
            client: DropboxClient(
                configuration: client.configuration, tokens: FixedAccessToken(token),
                transport: transport),
            transport: transport, token: token, emulator: emulator, folder: folder)
    }

    /// The same account, with paths relative to a namespace.
    fileprivate func rooted(at namespace: String) -> ConformanceAccount {
        ConformanceAccount(
            client: client.rooted(at: .namespaceID(namespace)), transport: transport, token: token,
            emulator: emulator, folder: folder)
    }

    /// The names in a folder of the root, in order.
    fileprivate func names(_ path: String) async throws -> [String] {
        try await paths(path).map { String($0.split(separator: "/").last ?? "") }
    }

    /// The paths in a folder of the root, in order.
    fileprivate func paths(_ path: String) async throws -> [String] {
        try await files.listFolder(path: path).entries.map { entry in
            switch entry {
            case .file(let file): file.pathLower ?? "?"
            case .folder(let folder): folder.pathLower ?? "?"
            case .deleted(let deleted): deleted.pathLower ?? "?"
            case .unknown(let tag, _): tag
            }
        }.sorted()
    }
}
