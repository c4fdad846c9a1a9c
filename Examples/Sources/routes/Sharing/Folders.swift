// Shared folders: making, mounting, ruling and ending them.

import Account
import DropboxAPIComplete

extension SharingExamples {
    /// Makes a folder a shared one, and returns the id of the job if that takes time.
    func shareFolder(_ path: String) async throws -> Async.AsyncJobID? {
        switch try await client.sharing.shareFolder(path: path, memberPolicy: .anyone) {
        case .asyncJobID(let job): return job
        case .complete(let folder): print("\(folder.name) is \(folder.sharedFolderID)")
        default: print("an answer of a later version of the API")
        }
        return nil
    }

    /// Asks whether the folder is shared; nil means that it is not yet.
    func checkShareJobStatus(_ job: Async.AsyncJobID) async throws -> Common.SharedFolderID? {
        switch try await client.sharing.checkShareJobStatus(asyncJobID: job) {
        case .complete(let folder): return folder.sharedFolderID
        case .failed(let error): throw Usage("the folder is not shared: \(error)")
        default: return nil
        }
    }

    /// Ends the sharing, leaves the members a copy, and returns the id of the job if that takes
    /// time.
    func unshareFolder(_ folder: Common.SharedFolderID) async throws -> Async.AsyncJobID? {
        let answer = try await client.sharing.unshareFolder(
            sharedFolderID: folder, leaveACopy: true)
        guard case .asyncJobID(let job) = answer else { return nil }
        return job
    }

    /// Asks whether a job of a shared folder has ended.
    func checkJobStatus(_ job: Async.AsyncJobID) async throws -> Bool {
        switch try await client.sharing.checkJobStatus(asyncJobID: job) {
        case .complete: return true
        case .failed(let error): throw Usage("nothing has changed: \(error)")
        default: return false
        }
    }

    /// Asks for the name of a shared folder, and for its path in this account.
    func getFolderMetadata(_ folder: Common.SharedFolderID) async throws -> String {
        let metadata = try await client.sharing.getFolderMetadata(sharedFolderID: folder)
        return "\(metadata.name) at \(metadata.pathLower ?? "no path: it is not mounted")"
    }

    /// Lists the shared folders of the account.
    func listFolders() async throws -> [String] {
        let page = try await client.sharing.listFolders(limit: 100)
        return page.entries.map(\.name)
    }

    /// Lists the shared folders that can be mounted or unmounted; those without a path are not
    /// mounted.
    func listMountableFolders() async throws -> [Sharing.SharedFolderMetadata] {
        try await client.sharing.listMountableFolders().entries
    }

    /// Puts a shared folder into the account's own tree, and returns its path.
    func mountFolder(_ folder: Common.SharedFolderID) async throws -> String? {
        try await client.sharing.mountFolder(sharedFolderID: folder).pathLower
    }

    /// Takes a shared folder out of the account's own tree.
    func unmountFolder(_ folder: Common.SharedFolderID) async throws {
        try await client.sharing.unmountFolder(sharedFolderID: folder)
    }

    /// Makes another member the owner.
    func transferFolder(_ folder: Common.SharedFolderID, to account: String) async throws {
        try await client.sharing.transferFolder(sharedFolderID: folder, toDropboxID: account)
    }

    /// Lets only the owner choose the members, and only members follow links.
    func updateFolderPolicy(_ folder: Common.SharedFolderID) async throws {
        _ = try await client.sharing.updateFolderPolicy(
            sharedFolderID: folder, aclUpdatePolicy: .owner, sharedLinkPolicy: .members)
    }
}
