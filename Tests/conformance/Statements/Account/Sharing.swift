// Shared links, and folders that are shared.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/operations.md#everyday"
    private static let namespaces = "docs/sync.md#roots"

    static let sharing: [Statement] = [
        .init(
            "link", "A link is an address at Dropbox.",
            .recording("create_shared_link_with_settings/success_file"), rule: place,
            expects: "https://www.dropbox.com/"
        ) { box in
            try await box.file("a")
            let link = try await box.client.sharing.createSharedLinkWithSettings(
                path: box.path("a"))
            return String(url(link).prefix("https://www.dropbox.com/".count))
        },
        .init(
            "link-twice", "A second link to an entry is refused.",
            .recording("create_shared_link_with_settings/already_shared"), rule: place,
            expects: "shared_link_already_exists"
        ) { box in
            try await box.file("a")
            _ = try await box.given { try await linked($0, "a") }
            return try await linked(box, "a")
        },
        .init(
            "link-to-nothing", "There is no link to a missing entry.",
            .client(
                "https://github.com/samschott/maestral/blob/main/tests/linked/unit/test_client.py"),
            rule: place, expects: "path/not_found"
        ) { try await linked($0, "a") },
        .init(
            "link-list", "The links of a file are listed with those of its parent folders.",
            .recording("list_shared_links/success_file"), rule: place, expects: "2"
        ) { box in
            try await box.file("d/a")
            _ = try await box.given { try await linked($0, "d") }
            _ = try await box.given { try await linked($0, "d/a") }
            let links = try await box.client.sharing.listSharedLinks(path: box.path("d/a")).links
            return "\(links.count)"
        },
        .init(
            "link-list-direct", "Links to a file alone are listed on demand.",
            .recording("list_shared_links/success_file_direct_only"), rule: place, expects: "1"
        ) { box in
            try await box.file("d/a")
            _ = try await box.given { try await linked($0, "d") }
            _ = try await box.given { try await linked($0, "d/a") }
            let links = try await box.client.sharing.listSharedLinks(
                path: box.path("d/a"), directOnly: true
            ).links
            return "\(links.count)"
        },
        .init(
            "link-list-of-nothing", "A missing entry has no list of links.",
            .client(
                "https://github.com/samschott/maestral/blob/main/tests/linked/unit/test_client.py"),
            rule: place, expects: "path/not_found"
        ) { box in
            "\(try await box.client.sharing.listSharedLinks(path: box.path("a")).links.count)"
        },
        .init(
            "link-revoked", "A revoked link is no longer listed.",
            .recording("revoke_shared_link/success"), rule: place, expects: "0"
        ) { box in
            try await box.file("a")
            let link = try await box.given { try await linked($0, "a") }
            try await box.client.sharing.revokeSharedLink(url: link)
            let links = try await box.client.sharing.listSharedLinks(
                path: box.path("a"), directOnly: true
            ).links
            return "\(links.count)"
        },
        .init(
            "link-revoked-unknown", "A link that there is not cannot be revoked.",
            .recording("revoke_shared_link/not_found"), rule: place,
            expects: "shared_link_not_found"
        ) { box in
            try await box.client.sharing.revokeSharedLink(
                url: "https://www.dropbox.com/sh/t0ebpiojwy4l1bn/AAAcU6qf20b8R-SG5_PJCBOQa?dl=0")
            return "revoked"
        },
        .init(
            "link-revoked-malformed", "An address that is no link cannot be revoked.",
            .recording("revoke_shared_link/malformed_shared_link"), rule: place,
            expects: "shared_link_malformed"
        ) { box in
            try await box.client.sharing.revokeSharedLink(
                url: "https://www.dropbox.com/al0w4e11j0e1kp3/file_for_sharing.docx?dl=0")
            return "revoked"
        },
        .init(
            "shared-folder", "A shared folder is a namespace, and its metadata names it.",
            .files("FolderSharingInfo"), rule: namespaces, expects: "named"
        ) { box in
            let namespace = try await box.share("d")
            guard case .folder(let folder) = try await box.metadata("d") else { return "no folder" }
            return folder.sharedFolderID == namespace ? "named" : "not named"
        },
        .init(
            "shared-folder-content", "An entry in a shared folder names its namespace.",
            .files("FileSharingInfo"), rule: namespaces, expects: "named"
        ) { box in
            let namespace = try await box.share("d")
            let file = try await box.file("d/a")
            return file.parentSharedFolderID == namespace ? "named" : "not named"
        },
        .init(
            "shared-folder-by-namespace", "A path may begin with the id of a namespace.",
            .files("ReadPath"), rule: namespaces, expects: "text"
        ) { box in
            let namespace = try await box.share("d")
            try await box.file("d/a")
            return try await box.text("ns:\(namespace)/a")
        },
        .init(
            "shared-folder-read-only", "Nothing is stored in a folder that may only be read.",
            .files("WriteError"), rule: "docs/semantics.md#posix-on-dropbox",
            expects: "path/no_write_permission"
        ) { box in
            try await box.share("d", readOnly: true)
            try await box.put("d/a", "text")
            return "stored"
        },
        .init(
            "shared-folder-read-only-metadata", "A folder that may only be read says so.",
            .files("SharingInfo"), rule: "docs/semantics.md#posix-on-dropbox", expects: "true"
        ) { box in
            try await box.share("d", readOnly: true)
            guard case .folder(let folder) = try await box.metadata("d") else { return "no folder" }
            return "\(folder.sharingInfo?.readOnly ?? false)"
        },
    ]

    private static func linked(
        _ box: ConformanceAccount, _ name: String
    ) async throws -> Observation {
        url(try await box.client.sharing.createSharedLinkWithSettings(path: box.path(name)))
    }

    private static func url(_ link: Sharing.SharedLinkMetadata) -> String {
        switch link {
        case .file(let file): file.url
        case .folder(let folder): folder.url
        case .unknown(let tag, _): tag
        }
    }
}

extension ConformanceAccount {
    /// Makes a shared folder; returns its namespace.
    @discardableResult
    func share(_ name: String, readOnly: Bool = false) async throws -> String {
        guard emulator == nil else {
            try await makeFolder(name)
            let namespace = "\(UInt32.random(in: 1_000_000_000...4_000_000_000))"
            try await admin(
                "share",
                #"{"path":"\#(path(name))","namespace_id":"\#(namespace)","read_only":\#(readOnly)}"#,
                reason: "")
            return namespace
        }
        guard !readOnly else {
            throw Unaskable(reason: "only another account can share a folder for reading")
        }
        let launch = try await given {
            try await $0.client.sharing.shareFolder(path: $0.path(name))
        }
        guard case .complete(let shared) = launch else {
            throw Unprepared(reason: "the folder is not shared at once")
        }
        return shared.sharedFolderID
    }
}
