// The API functions that the emulator implements: all of them, by name. Not responsible for the
// URLs outside of `/2/` (`EmulatorResponder`). docs/emulator.md says how to add one.

import Hummingbird

/// All routes under `/2/`.
enum Routes {
    /// The routes by name. `route name:2` of the specification is `name_v2` in a URL.
    static let table: [String: Route] = [
        // MetadataRoutes
        "files/get_metadata": Route(scope: Scope.readMetadata, getMetadata),
        "files/list_folder": Route(scope: Scope.readMetadata, listFolder),
        "files/list_folder/continue": Route(scope: Scope.readMetadata, listFolderContinue),
        "files/list_folder/get_latest_cursor": Route(scope: Scope.readMetadata, latestCursor),
        "files/list_revisions": Route(scope: Scope.readMetadata, listRevisions),
        "files/search_v2": Route(scope: Scope.readMetadata, search),
        "files/search/continue_v2": Route(scope: Scope.readMetadata, searchContinue),

        // ContentRoutes
        "files/download": Route(.download, scope: Scope.readContent, download),
        "files/download_zip": Route(.download, scope: Scope.readContent, downloadZip),
        "files/export": Route(.download, scope: Scope.readContent, export),
        "files/get_temporary_link": Route(scope: Scope.readContent, temporaryLink),
        "files/get_thumbnail_batch": Route(scope: Scope.readContent, thumbnails),
        "files/upload": Route(.upload, scope: Scope.writeContent, upload),

        // SessionRoutes
        "files/upload_session/start": Route(.upload, scope: Scope.writeContent, startSession),
        "files/upload_session/start_batch": Route(scope: Scope.writeContent, startSessions),
        "files/upload_session/append_v2": Route(.upload, scope: Scope.writeContent, append),
        "files/upload_session/append_batch": Route(.upload, scope: Scope.writeContent, appendBatch),
        "files/upload_session/finish": Route(.upload, scope: Scope.writeContent, finish),
        "files/upload_session/finish_batch": Route(scope: Scope.writeContent, finishBatch),
        "files/upload_session/finish_batch_v2": Route(scope: Scope.writeContent, finishBatchV2),
        "files/upload_session/finish_batch/check": job(of: "files/upload_session/finish_batch"),

        // EntryRoutes
        "files/create_folder_v2": Route(scope: Scope.writeContent, createFolder),
        "files/delete_v2": Route(scope: Scope.writeContent, delete),
        "files/move_v2": Route(scope: Scope.writeContent, move),
        "files/copy_v2": Route(scope: Scope.writeContent, copy),
        "files/restore": Route(scope: Scope.writeContent, restore),

        // BatchRoutes
        "files/create_folder_batch": Route(scope: Scope.writeContent, createFolderBatch),
        "files/create_folder_batch/check": job(of: "files/create_folder_batch"),
        "files/delete_batch": Route(scope: Scope.writeContent, deleteBatch),
        "files/delete_batch/check": job(of: "files/delete_batch"),
        "files/move_batch_v2": Route(scope: Scope.writeContent, moveBatch),
        "files/move_batch/check_v2": job(of: "files/move_batch_v2"),
        "files/copy_batch_v2": Route(scope: Scope.writeContent, copyBatch),
        "files/copy_batch/check_v2": job(of: "files/copy_batch_v2"),

        // PropertyRoutes
        "file_properties/templates/add_for_user": Route(scope: Scope.writeMetadata, addTemplate),
        "file_properties/templates/get_for_user": Route(scope: Scope.readMetadata, template),
        "file_properties/templates/list_for_user": Route(
            scope: Scope.readMetadata, takesNothing: true, templates),
        "file_properties/templates/update_for_user": Route(
            scope: Scope.writeMetadata, updateTemplate),
        "file_properties/templates/remove_for_user": Route(
            scope: Scope.writeMetadata, removeTemplate),
        "file_properties/properties/add": Route(scope: Scope.writeMetadata, addProperties),
        "file_properties/properties/overwrite": Route(
            scope: Scope.writeMetadata, overwriteProperties),
        "file_properties/properties/update": Route(scope: Scope.writeMetadata, updateProperties),
        "file_properties/properties/remove": Route(scope: Scope.writeMetadata, removeProperties),
        "file_properties/properties/search": Route(scope: Scope.readMetadata, searchProperties),
        "file_properties/properties/search/continue": Route(
            scope: Scope.readMetadata, continueSearch),

        // SharingRoutes
        "sharing/create_shared_link_with_settings": Route(
            scope: Scope.writeSharing, createSharedLink),
        "sharing/list_shared_links": Route(scope: Scope.readSharing, listSharedLinks),
        "sharing/revoke_shared_link": Route(scope: Scope.writeSharing, revokeSharedLink),

        // SharedFolderRoutes
        "sharing/list_mountable_folders": Route(scope: Scope.readSharing, mountableFolders),
        "sharing/list_mountable_folders/continue": Route(
            scope: Scope.readSharing, continueMountableFolders),
        "sharing/mount_folder": Route(scope: Scope.writeSharing, mountFolder),
        "sharing/unmount_folder": Route(scope: Scope.writeSharing, unmountFolder),

        // UserRoutes
        "users/get_current_account": Route(
            scope: Scope.readAccount, takesNothing: true, currentAccount),
        "users/get_account": Route(scope: Scope.readSharing, account),
        "users/get_space_usage": Route(scope: Scope.readAccount, takesNothing: true, spaceUsage),
        "users/features/get_values": Route(scope: Scope.readAccount, features),
        "check/user": Route(scope: Scope.readAccount, echo),
        "auth/token/revoke": Route(scope: nil, takesNothing: true, revokeToken),
    ]

    /// Responds to a request that acts for no account.
    typealias TokenlessHandler =
        @Sendable (Emulator, Request, IncomingBody) async throws -> RouteResponse

    /// The routes that are called without a token, by name.
    static let tokenless: [String: TokenlessHandler] = [
        "files/list_folder/longpoll": { emulator, request, body in
            try await LongpollRoute(emulator: emulator).respond(to: request, body: body)
        },
        "check/app": { _, request, body in try await AppCheck.respond(to: request, body: body) },
    ]

    /// Scopes, as files.stone and users.stone name them.
    enum Scope {
        static let readMetadata = "files.metadata.read"
        static let writeMetadata = "files.metadata.write"
        static let readContent = "files.content.read"
        static let writeContent = "files.content.write"
        static let readAccount = "account_info.read"
        static let readSharing = "sharing.read"
        static let writeSharing = "sharing.write"
    }
}
