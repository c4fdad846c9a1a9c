// Shared links: one for each file and folder, the same for all callers, and only to nodes that can
// be opened.

import Core
import DropboxAPI
import DropboxEmulator
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite struct SharingTests {
    @Test("a link is made once, follows a moved file, and ends with it")
    func once() async throws {
        try await EmulatedAccount.withStore { store, _ in
            _ = try await store.makeFolder(at: "/d")
            let made = try await store.link(to: "/d")
            #expect(made.isNew)
            #expect(made.url.hasPrefix("https://"))
            #expect(try await store.link(to: "/d") == RemoteLink(url: made.url, isNew: false))
            _ = try await store.makeFolder(at: "/d/inner")
            // The folder's link is not one to its contents.
            #expect(try await store.link(to: "/d/inner").isNew)
            _ = try await store.move("/d", to: "/e")
            let moved = try await store.link(to: "/e")
            #expect(!moved.isNew)
            try await store.delete("/e", revision: nil)
            _ = try await store.makeFolder(at: "/e")
            #expect(try await store.link(to: "/e").isNew)
        }
    }

    @Test("a link that another client has just made, or whose answer was lost, is found")
    func lostAnswer() async throws {
        try await EmulatedAccount.withStore { store, account in
            _ = try await store.makeFolder(at: "/d")
            try account.server.addFault([
                "route": "sharing/create_shared_link_with_settings", "kind": "route_error",
                "count": 1, "error": [".tag": "shared_link_already_exists"],
            ])
            await #expect(throws: RemoteError.self) { _ = try await store.link(to: "/d") }
            let made = try await store.link(to: "/d")
            try account.server.addFault([
                "route": "sharing/list_shared_links", "kind": "respond", "count": 1,
                "status": 200, "content_type": "application/json",
                "body": "{\"links\": [], \"has_more\": false}",
            ])
            #expect(try await store.link(to: "/d") == RemoteLink(url: made.url, isNew: false))
        }
    }

    @Test("there is no link to nothing, and none that is no address")
    func refused() async throws {
        try await EmulatedAccount.withStore { store, account in
            await #expect(throws: RemoteError.notFound) { _ = try await store.link(to: "/none") }
            _ = try await store.makeFolder(at: "/d")
            try account.server.addFault([
                "route": "sharing/create_shared_link_with_settings", "kind": "replace_field",
                "field": "url", "value": "javascript:alert(1)",
            ])
            await #expect(throws: RemoteError.malformed("a link that is none")) {
                _ = try await store.link(to: "/d")
            }
        }
    }
}
