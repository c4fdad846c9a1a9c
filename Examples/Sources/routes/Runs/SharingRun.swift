// Runs the examples of links, and of mounting shared folders.

import Account
import DropboxAPI

/// Calls that leave everything as it was.
struct SharingRun {
    let sharing: SharingExamples

    func run() async throws {
        try await links()
        try await folders()
    }

    private func links() async throws {
        let link = try await sharing.createSharedLinkWithSettings("/Routes/note.txt")
        let links = try await sharing.listSharedLinks("/Routes/note.txt")
        try expect(links == [link], "the file has this link alone: \(links)")
        try await sharing.revokeSharedLink(link)
        let left = try await sharing.listSharedLinks("/Routes/note.txt")
        try expect(left.isEmpty, "the file has no link: \(left)")
    }

    private func folders() async throws {
        guard let folder = try await sharing.listMountableFolders().first,
            folder.pathLower == nil
        else { throw Usage("there is no shared folder that is not mounted") }
        let path = try await sharing.mountFolder(folder.sharedFolderID)
        try expect(path == "/" + folder.name.lowercased(), "the folder is mounted: \(path ?? "no")")
        try await sharing.unmountFolder(folder.sharedFolderID)
        let now = try await sharing.listMountableFolders().map(\.pathLower)
        try expect(now == [nil], "the folder is not mounted")
    }
}
