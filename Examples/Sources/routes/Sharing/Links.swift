// Links to files and folders.

import DropboxAPIComplete

/// Examples of the routes of `sharing`.
struct SharingExamples {
    let client: DropboxClient
}

extension SharingExamples {
    /// Makes a link that all users can follow.
    func createSharedLinkWithSettings(_ path: String) async throws -> String {
        let settings = Sharing.SharedLinkSettings(audience: .public, access: .viewer)
        let link = try await client.sharing.createSharedLinkWithSettings(
            path: path, settings: settings)
        return link.url
    }

    /// Lists the links to a file or folder, without those to the folders around it.
    func listSharedLinks(_ path: String) async throws -> [String] {
        let page = try await client.sharing.listSharedLinks(path: path, directOnly: true)
        return page.links.map(\.url)
    }

    /// Changes a link so that it needs a password, and never expires.
    func modifySharedLinkSettings(_ url: String, password: String) async throws {
        let settings = Sharing.SharedLinkSettings(
            requirePassword: true, linkPassword: password, audience: .password)
        _ = try await client.sharing.modifySharedLinkSettings(
            url: url, settings: settings, removeExpiration: true)
    }

    /// Ends a link: no visitor can follow it afterwards.
    func revokeSharedLink(_ url: String) async throws {
        try await client.sharing.revokeSharedLink(url: url)
    }

    /// Asks what a link leads to.
    func getSharedLinkMetadata(_ url: String, password: String?) async throws -> String {
        let link = try await client.sharing.getSharedLinkMetadata(url: url, linkPassword: password)
        switch link {
        case .file(let file): return "the file \(file.name), \(file.size) bytes"
        case .folder(let folder): return "the folder \(folder.name)"
        default: return link.name
        }
    }

    /// Downloads a file in the folder of a link.
    func getSharedLinkFile(_ url: String, path: String) async throws -> [UInt8] {
        let download = try await client.sharing.getSharedLinkFile(url: url, path: path)
        return try await download.body.collect(upTo: 10 << 20)
    }
}
