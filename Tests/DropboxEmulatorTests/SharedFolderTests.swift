// Shared folders that come into the account's tree and leave it.

import Testing

@testable import DropboxEmulator

@Suite("Shared folders")
struct SharedFolderTests {
    private var fixture = TreeFixture()

    private mutating func share(_ path: String, _ namespace: String) throws {
        try fixture.apply(
            .share(path: path, SharedFolder(namespace: namespace, isReadOnly: false)))
    }

    @Test("a folder leaves with all in it, and comes back with the same ids and revisions")
    mutating func leaveAndReturn() throws {
        let before = try fixture.write("12345", to: "/d/Shared/in/f")
        try fixture.write("1", to: "/other")
        try share("/d/shared", "9")
        try fixture.apply(.unmountFolder(namespace: "9"))
        #expect(fixture.paths == ["/d", "/other"])
        #expect(fixture.tree.space.used == 1)
        #expect(throws: LookupError.notFound) { try fixture.file("/d/shared/in/f") }
        #expect(throws: LookupError.notFound) { try fixture.file(before.id) }
        #expect(throws: LookupError.notFound) { try fixture.file("rev:" + before.rev) }
        #expect(throws: RestoreError.invalidRevision) {
            try fixture.apply(.restore(path: "/stolen", rev: before.rev, base: .root))
        }
        #expect(fixture.tree.namespaceRoot("9") == nil)
        // At the top, wherever it was before.
        try fixture.apply(.mountFolder(namespace: "9"))
        #expect(fixture.paths == ["/d", "/other", "/Shared", "/Shared/in", "/Shared/in/f"])
        let after = try fixture.file("/shared/in/f")
        #expect(after.id == before.id)
        #expect(after.rev == before.rev)
        #expect(after.shared?.namespace == "9")
        #expect(fixture.tree.space.used == 6)
    }

    @Test("a name that is taken gets a number, and the folder's own name is tried each time")
    mutating func conflict() throws {
        try fixture.makeFolder("/Photos")
        try share("/Photos", "9")
        try fixture.apply(.unmountFolder(namespace: "9"))
        try fixture.write("1", to: "/photos")
        try fixture.apply(.mountFolder(namespace: "9"))
        #expect(fixture.paths == ["/photos", "/Photos (1)"])
        try fixture.apply(.unmountFolder(namespace: "9"))
        try fixture.delete("/photos")
        try fixture.apply(.mountFolder(namespace: "9"))
        #expect(fixture.paths == ["/Photos"])
    }

    @Test("each change is refused where it makes no sense, and changes nothing then")
    mutating func refusals() throws {
        try fixture.write("12345", to: "/Shared/inner/f")
        try share("/Shared", "9")
        try share("/Shared/inner", "10")
        #expect(throws: MountFolderError.access(.invalidID)) {
            try fixture.apply(.mountFolder(namespace: "8"))
        }
        #expect(throws: UnmountFolderError.access(.invalidID)) {
            try fixture.apply(.unmountFolder(namespace: "8"))
        }
        #expect(throws: MountFolderError.alreadyMounted) {
            try fixture.apply(.mountFolder(namespace: "9"))
        }
        #expect(throws: MountFolderError.notMountable) {
            try fixture.apply(.mountFolder(namespace: "10"))
        }
        #expect(throws: UnmountFolderError.notUnmountable) {
            try fixture.apply(.unmountFolder(namespace: "10"))
        }
        try fixture.apply(.unmountFolder(namespace: "9"))
        #expect(throws: UnmountFolderError.access(.unmounted)) {
            try fixture.apply(.unmountFolder(namespace: "9"))
        }
        try fixture.apply(.setQuota(4))
        #expect(throws: MountFolderError.insufficientQuota(needed: 5, left: 4)) {
            try fixture.apply(.mountFolder(namespace: "9"))
        }
        #expect(fixture.paths.isEmpty)
        // A part of a folder comes along, and is none of its own.
        try fixture.apply(.setQuota(5))
        try fixture.apply(.mountFolder(namespace: "9"))
        #expect(fixture.tree.mountableFolders.count == 1)
    }

    @Test("a listing tells that a folder has gone, and all of it when it comes")
    mutating func deltas() throws {
        try fixture.write("1", to: "/Shared/in/f")
        try share("/Shared", "9")
        var scope = try fixture.tree.scope("", from: .root, pageSize: 100)
        scope.isRecursive = true
        let first = fixture.tree.latestCursor(scope, account: "me")
        try fixture.apply(.unmountFolder(namespace: "9"))
        let gone = try fixture.tree.page(first)
        #expect(gone.entries.map(\.json["path_display"]?.string) == ["/Shared"])
        #expect(gone.entries.map(\.json[".tag"]?.string) == ["deleted"])
        try fixture.apply(.mountFolder(namespace: "9"))
        let come = try fixture.tree.page(gone.next)
        #expect(
            come.entries.map(\.json["path_display"]?.string) == [
                "/Shared", "/Shared/in", "/Shared/in/f",
            ])
        #expect(come.entries.first?.json["shared_folder_id"]?.string == "9")
    }

    @Test("clients list folders in pages, with what they may do, and join and leave them")
    func routes() async throws {
        try await withEmulator { client in
            for number in 1...3 {
                _ = try await client.upload("1", to: "/S\(number)/f")
                try client.emulator.share(
                    "/S\(number)", namespace: "1\(number)", isReadOnly: number == 2,
                    owner: number == 3 ? nil : "Ada", isMounted: number == 1)
            }
            let first = try await client.call(
                "sharing/list_mountable_folders",
                ["limit": 2, "actions": [.tag("unmount"), .tag("edit_contents")]])
            let rest = try await client.call(
                "sharing/list_mountable_folders/continue", ["cursor": first["cursor"] ?? .null])
            let folders = (first["entries"]?.array ?? []) + (rest["entries"]?.array ?? [])
            #expect(first["entries"]?.array?.count == 2)
            #expect(rest["cursor"] == nil)
            #expect(folders.map(\.["name"]?.string) == ["S1", "S2", "S3"])
            #expect(folders.map(\.["path_lower"]?.string) == ["/s1", nil, nil])
            #expect(
                folders.map(\.["access_type"]?[".tag"]?.string) == ["editor", "viewer", "owner"])
            #expect(
                folders.map { $0["owner_display_names"]?[0]?.string } == [
                    "Ada", "Ada", "Sample User",
                ])
            #expect(
                folders.map { $0["permissions"]?[1]?["allow"]?.boolean } == [true, false, true])

            let joined = try await client.call(
                "sharing/mount_folder", ["shared_folder_id": "12"])
            #expect(joined["path_display"]?.string == "/S2")
            let again = try await client.call("sharing/mount_folder", ["shared_folder_id": "12"])
            #expect(again["error_summary"]?.string?.hasPrefix("already_mounted/") == true)
            _ = try await client.call("sharing/unmount_folder", ["shared_folder_id": "12"])
            let twice = try await client.call(
                "sharing/unmount_folder", ["shared_folder_id": "12"])
            #expect(twice["error_summary"]?.string?.hasPrefix("access_error/unmounted/") == true)
            let cursor = try await client.call(
                "sharing/list_mountable_folders/continue", ["cursor": "x"])
            #expect(cursor["error"]?[".tag"]?.string == "invalid_cursor")
            let id = try await client.send(
                "sharing/mount_folder", argument: ["shared_folder_id": "1 2"])
            #expect(id.status == 400)
        }
    }

    @Test("a member of a team mounts folders in the home, and not the home itself")
    func team() async throws {
        try await withEmulator { client in
            let member = try client.emulator.makeTeamMember(token: "m", teamToken: "t")
            var mine = client
            mine.token = "m"
            let space = try #require(client.emulator.space(of: "m"))
            try space.apply(
                .createFolder(path: "/\(member.homeName)/Ours", autorename: false, base: .root))
            try space.apply(
                .share(
                    path: "/\(member.homeName)/Ours",
                    SharedFolder(namespace: "77", isReadOnly: false)))
            try space.apply(.createFolder(path: "/Team", autorename: false, base: .root))
            try space.apply(
                .share(path: "/Team", SharedFolder(namespace: "78", isReadOnly: false)))
            let listed = try await mine.call("sharing/list_mountable_folders", [:])
            #expect(listed["entries"]?.array?.map(\.["shared_folder_id"]?.string) == ["77"])
            let answers: [(String, String?)] = [("77", nil), ("78", "not_unmountable")]
            for (namespace, tag) in answers {
                let left = try await mine.call(
                    "sharing/unmount_folder", ["shared_folder_id": .string(namespace)])
                #expect(left["error"]?[".tag"]?.string == tag)
            }
            let joined = try await mine.call("sharing/mount_folder", ["shared_folder_id": "77"])
            #expect(joined["path_display"]?.string == "/Ours")
        }
    }
}

extension RunningEmulator {
    /// The Dropbox of a token.
    fileprivate func space(of token: String) -> Space? {
        guard case .valid(let account, _) = emulator.accounts.authenticate(token, at: .now())
        else { return nil }
        return emulator.accounts.space(of: account)
    }
}
