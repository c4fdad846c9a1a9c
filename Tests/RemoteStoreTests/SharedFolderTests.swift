// Shared folders come into an account and leave it, also when answers are lost or hostile.

import Core
import DropboxAPI
import DropboxEmulator
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite struct SharedFolderTests {
    @Test("a folder is listed, joined and left, with its content")
    func joined() async throws {
        try await EmulatedAccount.withStore { store, account in
            #expect(try await store.sharedFolders().isEmpty)
            _ = try await store.makeFolder(at: "/Photos/in")
            try account.server.share(
                "/Photos", namespace: "77", isReadOnly: true, owner: "Ada", isMounted: false)
            let folder = try #require(try await store.sharedFolders().first)
            #expect(
                folder
                    == RemoteSharedFolder(
                        id: "77", name: "Photos", access: .viewer, owners: ["Ada"]))
            _ = try await store.makeFolder(at: "/photos")
            let (path, isNew) = try await store.join(folder)
            #expect(path == "/Photos (1)")
            #expect(isNew)
            #expect(try await store.entry(at: "/photos (1)/in") != nil)
            #expect(try await store.sharedFolders().map(\.path) == ["/Photos (1)"])
            try await store.leave(sharedFolder: "77")
            #expect(try await store.entry(at: "/photos (1)") == nil)
            #expect(try await store.sharedFolders() == [folder])
        }
    }

    @Test("joining and leaving twice are no errors, nor are answers that were lost")
    func twice() async throws {
        try await EmulatedAccount.withStore { store, account in
            _ = try await store.makeFolder(at: "/Photos")
            try account.server.share("/Photos", namespace: "77", isMounted: false)
            let folder = try #require(try await store.sharedFolders().first)
            try account.server.addFault([
                "route": "sharing/mount_folder", "kind": "reset_after", "count": 1,
            ])
            let first = try await store.join(folder)
            #expect(first.path == "/Photos")
            #expect(first.isNew)
            let known = try #require(try await store.sharedFolders().first)
            let second = try await store.join(known)
            #expect(second.path == "/Photos")
            #expect(!second.isNew)
            try account.server.addFault([
                "route": "sharing/unmount_folder", "kind": "error_after", "count": 1,
                "status": 500, "body": "lost",
            ])
            try await store.leave(sharedFolder: "77")
            try await store.leave(sharedFolder: "77")
            #expect(try await store.entry(at: "/Photos") == nil)
        }
    }

    @Test("refusals say why, and a full account is one")
    func refused() async throws {
        try await EmulatedAccount.withStore { store, account in
            await #expect(throws: RemoteError.notFound) {
                try await store.leave(sharedFolder: "1")
            }
            let unknown = RemoteSharedFolder(id: "1", name: "x", access: .editor)
            await #expect(throws: RemoteError.notFound) { try await store.join(unknown) }
            _ = try await store.makeFolder(at: "/Outer/inner")
            try account.server.share("/Outer", namespace: "77")
            try account.server.share("/Outer/inner", namespace: "78")
            let reason = RemoteError.protected(
                "it is a part of another folder, and comes and goes with that")
            await #expect(throws: reason) { try await store.leave(sharedFolder: "78") }
            let inner = RemoteSharedFolder(id: "78", name: "inner", access: .editor)
            await #expect(throws: reason) { try await store.join(inner) }
            let content = MemorySource(Array(repeating: 7, count: 10))
            _ = try await store.upload(
                content, commit: .of("/Outer/f", Array(repeating: 7, count: 10)))
            try await store.leave(sharedFolder: "77")
            try account.server.setQuota(9)
            let outer = RemoteSharedFolder(id: "77", name: "Outer", access: .editor)
            await #expect(throws: RemoteError.insufficientSpace) { try await store.join(outer) }
            try account.server.addFault([
                "route": "sharing/list_mountable_folders", "kind": "missing_scope", "count": 1,
                "scope": "sharing.read",
            ])
            await #expect(throws: RemoteError.forbidden("the token lacks the scope sharing.read")) {
                try await store.sharedFolders()
            }
        }
    }

    @Test(
        "folders of other teams are read, ids that no request can have are left out, and endless lists are given up"
    )
    func hostile() async throws {
        try await EmulatedAccount.withStore { store, account in
            func page(_ entries: String, cursor: String = "") -> JSONValue {
                .string("{\"entries\": [\(entries)]\(cursor)}")
            }
            func folder(_ id: String, _ more: String = "") -> String {
                """
                {"access_type": {".tag": "new"}, "is_inside_team_folder": false, "is_team_folder": false, "name": "\\u001b[2J", \
                "policy": {"acl_update_policy": {".tag": "new"}, "shared_link_policy": {".tag": "anyone"}}, "preview_url": "", \
                "time_invited": "2016-01-20T00:00:00Z", "shared_folder_id": "\(id)"\(more)}
                """
            }
            let team = #", "owner_team": {"id": "dbtid:1", "name": "Ops"}, "path_lower": "/x""#
            let ids = ["1", "a b", "../2", "", "3\\n"].map { folder($0) }
            try account.server.addFault([
                "route": "sharing/list_mountable_folders", "kind": "respond", "count": 1,
                "status": 200, "content_type": "application/json",
                "body": page((ids + [folder("4", team)]).joined(separator: ",")),
            ])
            let read = try await store.sharedFolders()
            #expect(
                read == [
                    RemoteSharedFolder(id: "1", name: "\u{1b}[2J", access: .other),
                    RemoteSharedFolder(
                        id: "4", name: "\u{1b}[2J", access: .other, team: "Ops", path: "/x"),
                ])
            try account.server.addFault([
                "route": "sharing/list_mountable_folders*", "kind": "respond", "status": 200,
                "content_type": "application/json", "body": page("", cursor: #", "cursor": "c""#),
            ])
            await #expect(
                throws: RemoteError.malformed("the list of shared folders goes on for ever")
            ) { try await store.sharedFolders() }
        }
    }
}
