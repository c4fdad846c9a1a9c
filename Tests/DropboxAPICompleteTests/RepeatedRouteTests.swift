// Which routes are sent again by themselves when the client does not know whether the first request
// was carried out. The lists are written out: a route that comes to one of them has to be thought
// about.

import DropboxAPIComplete
import Testing

struct RepeatedRouteTests {
    /// Those of the namespaces that the filesystem uses.
    private static let repeated: Set = [
        // Routes that only read, or ask about a job.
        "check/user",
        "files/alpha/get_metadata",
        "files/copy_batch/check",
        "files/copy_batch/check_v2",
        "files/create_folder_batch/check",
        "files/delete_batch/check",
        "files/download",
        "files/download_zip",
        "files/export",
        "files/get_file_lock_batch",
        "files/get_metadata",
        "files/get_preview",
        "files/get_temporary_link",
        "files/get_thumbnail",
        "files/get_thumbnail_batch",
        "files/get_thumbnail_v2",
        "files/list_folder",
        "files/list_folder/continue",
        "files/list_folder/get_latest_cursor",
        "files/list_folder/longpoll",
        "files/list_revisions",
        "files/move_batch/check",
        "files/move_batch/check_v2",
        "files/save_url/check_job_status",
        "files/search",
        "files/search/continue_v2",
        "files/search_v2",
        "files/tags/get",
        "files/upload_session/finish_batch/check",
        "users/features/get_values",
        "users/get_account",
        "users/get_account_batch",
        "users/get_current_account",
        "users/get_space_usage",
        // A revocation stays one.
        "auth/token/revoke",
        // A session too many expires; a piece that is there is refused by its offset.
        "files/upload_session/append_batch",
        "files/upload_session/append_v2",
        "files/upload_session/start",
        "files/upload_session/start_batch",
    ]

    @Test("of the filesystem's namespaces these routes are sent again, and no others")
    func core() {
        let namespaces = ["auth/", "check/", "files/", "users/"]
        let routes = allRoutes.filter { route in
            namespaces.contains { route.name.hasPrefix($0) }
        }
        #expect(routes.count > 70)
        #expect(Set(routes.filter(\.isSafeToRepeat).map(\.name)) == Self.repeated)
    }

    @Test(
        "a second request would do something once more, or look like a failure",
        arguments: [
            "files/upload", "files/upload_session/finish", "files/upload_session/finish_batch_v2",
            "files/create_folder_v2", "files/create_folder_batch", "files/delete_v2",
            "files/delete_batch", "files/move_v2", "files/move_batch_v2", "files/copy_v2",
            "files/copy_batch_v2", "files/restore", "files/permanently_delete",
            "sharing/create_shared_link_with_settings", "sharing/revoke_shared_link",
            "team/members/remove", "team/member_space_limits/set_custom_quota",
        ])
    func changes(name: String) throws {
        #expect(try !#require(allRoutes.first { $0.name == name }).isSafeToRepeat)
    }

    @Test("elsewhere only routes with a reader's scope, or that ask about a job")
    func elsewhere() {
        for route in allRoutes
        where route.isSafeToRepeat && !Self.repeated.contains(route.name) {
            let asks = route.name.contains("check") || route.name.contains("status")
            #expect(asks || route.scope?.hasSuffix(".write") == false, "\(route.name)")
        }
    }
}
