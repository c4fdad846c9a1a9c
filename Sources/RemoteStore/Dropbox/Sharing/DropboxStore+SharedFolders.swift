// Shared folders on Dropbox, which the account has in its tree or not. Being a member of a folder
// and having it in the tree are two things: nothing here changes the membership.

import Core
import DropboxAPI
import Saturating

/// A shared folder that the account is a member of.
package struct RemoteSharedFolder: Hashable, Sendable {
    /// The rights of the account in it.
    package enum Access: Hashable, Sendable {
        /// It has shared the folder, or has become its owner.
        case owner
        case editor
        case viewer
        /// It may only pass through to folders below, or the server told something unknown.
        case other
    }

    /// The server's id of the folder, the number of its namespace.
    package var id: String
    /// Its name, as the owner gave it.
    package var name: String
    package var access: Access
    /// The names of the people who own it; empty if the server does not tell them.
    package var owners: [String]
    /// The team that owns it.
    package var team: String?
    /// Its path in the account, as the server shows it; nil if it is not in the account's tree.
    package var path: String?

    /// Takes over all fields.
    package init(
        id: String, name: String, access: Access, owners: [String] = [], team: String? = nil,
        path: String? = nil
    ) {
        self.id = id
        self.name = name
        self.access = access
        self.owners = owners
        self.team = team
        self.path = path
    }
}

extension DropboxStore {
    /// Folders that are read at most, so that a server whose pages never end is given up.
    private static let mostSharedFolders = 100_000
    /// Pages without a usable folder in a row.
    private static let mostEmptyPages = 20

    /// The shared folders that the account can have in its tree, or has there and can take out
    /// again.
    package func sharedFolders() async throws(RemoteError) -> [RemoteSharedFolder] {
        var found: [RemoteSharedFolder] = []
        var page: Sharing.ListFoldersResult
        do {
            page = try await client.call(
                Sharing.listMountableFolders, Sharing.ListFoldersArgs(), options: .interactive)
        } catch {
            throw RemoteError(error)
        }
        var emptyPages = 0
        while true {
            let usable = page.entries.compactMap(RemoteSharedFolder.init)
            found.append(contentsOf: usable)
            emptyPages = usable.isEmpty ? emptyPages +| 1 : 0
            guard let cursor = page.cursor, !cursor.isEmpty else { return found }
            guard found.count <= Self.mostSharedFolders, emptyPages < Self.mostEmptyPages,
                cursor.utf8.count <= MetadataReader.maximumCursorLength
            else { throw .malformed("the list of shared folders goes on for ever") }
            do {
                page = try await client.call(
                    Sharing.listMountableFoldersContinue,
                    Sharing.ListFoldersContinueArg(cursor: cursor), options: .interactive)
            } catch {
                throw RemoteError(error) { .server("\($0)") }
            }
        }
    }

    /// Puts a shared folder into the account's tree, at its top; returns its path there, if the
    /// server tells it, and whether this call has done it. A folder that is there already stays
    /// where it is.
    package func join(
        _ folder: RemoteSharedFolder
    ) async throws(RemoteError) -> (path: String?, isNew: Bool) {
        let isNew: Bool
        do {
            // A response that was lost is followed by `already_mounted`.
            let joined = try await client.call(
                Sharing.mountFolder, Sharing.MountFolderArg(sharedFolderID: folder.id),
                options: .change)
            if let path = joined.pathDisplay ?? joined.pathLower { return (path, true) }
            isNew = true
        } catch {
            guard case .route(.alreadyMounted, _) = error.kind else {
                throw RemoteError(error) { RemoteError($0) }
            }
            isNew = folder.path == nil
        }
        let known = try await sharedFolders().first { $0.id.utf8.elementsEqual(folder.id.utf8) }
        return (known?.path, isNew)
    }

    /// Takes a shared folder out of the account's tree; the account stays a member. One that is not
    /// there is left alone.
    package func leave(sharedFolder id: String) async throws(RemoteError) {
        do {
            // A response that was lost is followed by `unmounted`.
            _ = try await client.call(
                Sharing.unmountFolder, Sharing.UnmountFolderArg(sharedFolderID: id),
                options: .change)
        } catch {
            if case .route(.accessError(.unmounted), _) = error.kind { return }
            throw RemoteError(error) { RemoteError($0) }
        }
    }
}

extension RemoteSharedFolder {
    /// Reads the server's facts; nil if no request could name the folder.
    init?(_ folder: Sharing.SharedFolderMetadata) {
        guard Self.isID(folder.sharedFolderID) else { return nil }
        let access: Access =
            switch folder.accessType {
            case .owner: .owner
            case .editor: .editor
            case .viewer, .viewerNoComment: .viewer
            case .traverse, .noAccess, .unknown: .other
            }
        self.init(
            id: folder.sharedFolderID, name: folder.name, access: access,
            owners: folder.ownerDisplayNames ?? [], team: folder.ownerTeam?.name,
            path: folder.pathDisplay ?? folder.pathLower)
    }

    /// Whether a text has the form of ids in the API: `[-_0-9a-zA-Z:]+`.
    private static func isID(_ text: String) -> Bool {
        (1...MetadataReader.maximumIdentifierLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"):
                    true
                default: false
                }
            }
    }
}

extension RemoteError {
    fileprivate init(_ error: Sharing.MountFolderError) {
        switch error {
        case .accessError(let error): self.init(error)
        case .insufficientQuota: self = .insufficientSpace
        case .insideSharedFolder:
            self = .protected("it would be inside another shared folder there")
        case .noPermission: self = .protected("the account may not do that")
        case .notMountable, .mustAutomount:
            self = .protected("it is a part of another folder, and comes and goes with that")
        case .alreadyMounted: self = .conflict(.folder)
        case .unknown(let tag): self = .server(tag)
        }
    }

    fileprivate init(_ error: Sharing.UnmountFolderError) {
        switch error {
        case .accessError(let error): self.init(error)
        case .noPermission: self = .protected("the account may not do that")
        case .notUnmountable:
            self = .protected("it is a part of another folder, and comes and goes with that")
        case .unknown(let tag): self = .server(tag)
        }
    }

    private init(_ error: Sharing.SharedFolderAccessError) {
        switch error {
        case .invalidID, .notAMember, .invalidMember: self = .notFound
        case .emailUnverified: self = .protected("the account's address is not verified")
        case .unmounted: self = .protected("it is not in the account")
        case .unknown(let tag): self = .server(tag)
        }
    }
}
