// Shared links on Dropbox. Their audience depends on the account's and its team's settings.

import DropboxAPI

extension DropboxStore: RemoteSharing {
    /// The shared link of an entry.
    package func link(to path: RemotePath) async throws(RemoteError) -> RemoteLink {
        try await mountedFolder()
        if let url = try await knownLink(to: path) { return RemoteLink(url: url, isNew: false) }
        do {
            let made = try await client.call(
                Sharing.createSharedLinkWithSettings,
                Sharing.CreateSharedLinkWithSettingsArg(path: serverPath(path)),
                options: .interactive)
            return RemoteLink(url: try Self.checked(made.url), isNew: true)
        } catch let error as CallError<Sharing.CreateSharedLinkWithSettingsError> {
            // Another client created it first, or a response was lost.
            if case .sharedLinkAlreadyExists = error.routeError,
                let url = try await knownLink(to: path)
            {
                return RemoteLink(url: url, isNew: false)
            }
            throw RemoteError(error) { RemoteError($0) }
        } catch {
            throw error as? RemoteError ?? .server("\(error)")
        }
    }

    private func knownLink(to path: RemotePath) async throws(RemoteError) -> String? {
        let argument = Sharing.ListSharedLinksArg(path: serverPath(path), directOnly: true)
        let found: Sharing.ListSharedLinksResult
        do {
            found = try await client.call(
                Sharing.listSharedLinks, argument, options: .interactive)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return try found.links.first.map { link throws(RemoteError) in
            try Self.checked(link.url)
        }
    }

    /// Checks a URL, because users see and open it.
    private static func checked(_ url: String) throws(RemoteError) -> String {
        guard url.hasPrefix("https://"), url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .malformed("a link that is none")
        }
        return url
    }
}

extension RemoteError {
    fileprivate init(_ error: Sharing.CreateSharedLinkWithSettingsError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .emailNotVerified: self = .forbidden("the account's address is not verified")
        case .accessDenied: self = .forbidden("the account may not share this")
        case .bannedMember: self = .forbidden("the account is banned from sharing")
        case .tooManySharedFolders: self = .forbidden("it has too many shared folders")
        case .sharedLinkAlreadyExists, .settingsError: self = .server("\(error)")
        case .unknown(let tag): self = .server(tag)
        }
    }

    fileprivate init(_ error: Sharing.ListSharedLinksError) {
        switch error {
        case .path(let lookup): self.init(lookup)
        case .reset: self = .server("reset")
        case .unknown(let tag): self = .server(tag)
        }
    }
}
