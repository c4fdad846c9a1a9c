// Shared folders that leave an account's tree and come back. A folder comes back at the account's
// top, outside of the folder of the statement: each statement takes it away again.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/operations.md#shared-folders"

    static let sharedFolders: [Statement] = [
        .init(
            "shared-folder-unmounted", "A shared folder that is unmounted is gone from its path.",
            .sharing("unmount_folder"), rule: place, expects: "path/not_found"
        ) { box in
            try await away(box) { _ in
                _ = try await box.metadata("d")
                return "there"
            }
        },
        .init(
            "shared-folder-unmount-twice",
            "A shared folder that is not mounted cannot be unmounted, and the error says why.",
            .sharing("UnmountFolderError"), rule: place, expects: "access_error/unmounted"
        ) { box in
            try await away(box) { id in
                try await box.client.sharing.unmountFolder(sharedFolderID: id)
                return "unmounted"
            }
        },
        .init(
            "shared-folder-listed",
            "A shared folder that is not mounted is listed as one that can be, without a path.",
            .sharing("ListFoldersResult"), rule: place, expects: "without a path"
        ) { box in
            try await away(box) { id in try await listed(box, id) }
        },
        .init(
            "shared-folder-listed-mounted",
            "A shared folder that is mounted is in the same list, with its path.",
            .sharing("list_mountable_folders"), rule: place, expects: "with a path"
        ) { box in
            let id = try await box.share("d")
            return try await listed(box, id)
        },
        .init(
            "shared-folder-mount", "A shared folder is mounted at the top of the account.",
            .sharing("mount_folder"), rule: place, expects: "at the top"
        ) { box in
            try await away(box) { id in
                let path = try await mounted(box, id)
                return path.dropFirst().contains("/") ? "elsewhere" : "at the top"
            }
        },
        .init(
            "shared-folder-mount-twice",
            "A shared folder that is mounted cannot be mounted again, and the error says why.",
            .sharing("MountFolderError"), rule: place, expects: "already_mounted"
        ) { box in
            try await away(box) { id in
                _ = try await box.given { try await mounted($0, id) }
                return try await mounted(box, id)
            }
        },
        .init(
            "shared-folder-mount-taken-name",
            "A shared folder whose name is taken is mounted under another name.", .assumption,
            rule: place, expects: "another name"
        ) { box in
            try await away(box) { id in
                let first = try await box.given { try await mounted($0, id) }
                try await box.given {
                    try await $0.client.sharing.unmountFolder(sharedFolderID: id)
                }
                _ = try await box.given { try await $0.files.createFolderV2(path: first) }
                do {
                    let second = try await mounted(box, id)
                    _ = try await box.files.deleteV2(path: first)
                    return first.lowercased() == second.lowercased()
                        ? "in its place" : "another name"
                } catch {
                    _ = try? await box.files.deleteV2(path: first)
                    throw error
                }
            }
        },
    ]

    /// Asks about a folder that is shared and not mounted, and takes it away.
    private static func away(
        _ box: ConformanceAccount, _ body: (String) async throws -> Observation
    ) async throws -> Observation {
        let id = try await box.share("d")
        try await box.given { try await $0.client.sharing.unmountFolder(sharedFolderID: id) }
        do {
            let answer = try await body(id)
            await remove(box, id)
            return answer
        } catch {
            await remove(box, id)
            throw error
        }
    }

    /// Ends the sharing of a folder where that is possible; the emulator keeps it, without a place
    /// in the tree.
    private static func remove(_ box: ConformanceAccount, _ id: String) async {
        try? await box.client.sharing.unmountFolder(sharedFolderID: id)
        if box.emulator == nil {
            _ = try? await box.client.sharing.unshareFolder(sharedFolderID: id)
        }
    }

    private static func mounted(
        _ box: ConformanceAccount, _ id: String
    ) async throws -> Observation {
        try await box.client.sharing.mountFolder(sharedFolderID: id).pathDisplay ?? "no path"
    }

    private static func listed(
        _ box: ConformanceAccount, _ id: String
    ) async throws -> Observation {
        let folders = try await box.client.sharing.listMountableFolders().entries
        guard let folder = folders.first(where: { $0.sharedFolderID == id }) else {
            return "not listed"
        }
        return folder.pathLower == nil ? "without a path" : "with a path"
    }
}

extension Source {
    /// A route or type of sharing.stone.
    fileprivate static func sharing(_ name: String) -> Source {
        .specification(file: "sharing", name: name)
    }
}
