// The pure decisions of the Dropbox store.

import Core
import DropboxAPI
import DropboxAPITesting
import Foundation
import RemoteStore
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite("Space")
struct SpaceTests {
    private func space(_ json: String) async throws -> RemoteSpace {
        try await ScriptedTransport(json: json).store().space()
    }

    private func team(
        used: UInt64, allocated: UInt64, cap: UInt64, limit: String, memberUsed: UInt64
    ) -> String {
        """
        {"used": 1, "allocation": {".tag": "team", "used": \(used), "allocated": \(allocated),
        "user_within_team_space_allocated": \(cap),
        "user_within_team_space_limit_type": {".tag": "\(limit)"},
        "user_within_team_space_used_cached": \(memberUsed)}}
        """
    }

    @Test("A person's own space is theirs")
    func individual() async throws {
        let space = try await space(
            "{\"used\": 7, \"allocation\": {\".tag\": \"individual\", \"allocated\": 10}}")
        #expect(space == RemoteSpace(used: 7, allocated: 10, isPersonal: true))
    }

    @Test("A team's member has the team's space, unless a cap stops them")
    func teams() async throws {
        #expect(
            try await space(team(used: 50, allocated: 100, cap: 0, limit: "off", memberUsed: 5))
                == RemoteSpace(used: 50, allocated: 100))
        #expect(
            try await space(
                team(used: 50, allocated: 100, cap: 20, limit: "alert_only", memberUsed: 5))
                == RemoteSpace(used: 50, allocated: 100))
        #expect(
            try await space(
                team(used: 50, allocated: 100, cap: 20, limit: "stop_sync", memberUsed: 5))
                == RemoteSpace(used: 5, allocated: 20))
        // The team is fuller than the member.
        #expect(
            try await space(
                team(used: 97, allocated: 100, cap: 20, limit: "stop_sync", memberUsed: 5))
                == RemoteSpace(used: 5, allocated: 8))
    }

    @Test("Impossible numbers stay numbers that can be calculated with")
    func hugeNumbers() async throws {
        let most = UInt64.max
        for json in [
            "{\"used\": \(most), \"allocation\": {\".tag\": \"individual\", \"allocated\": \(most)}}",
            "{\"used\": 7, \"allocation\": {\".tag\": \"moon\"}}",
            team(used: most, allocated: most, cap: most, limit: "stop_sync", memberUsed: most),
        ] {
            let space = try await space(json)
            #expect((0...1 << 60).contains(space.used))
            #expect((space.used...1 << 60).contains(space.allocated))
        }
    }
}

@Suite("Accounts")
struct AccountTests {
    private func account(
        _ root: DropboxStore.Root, team: String
    ) async throws -> RemoteAccount {
        let json = """
            {"account_id": "dbid:1", "name": {"given_name": "A", "surname": "B", "familiar_name": "A",
            "display_name": "A B", "abbreviated_name": "AB"}, "email": "a@example.com",
            "email_verified": true, "disabled": false, "locale": "en", "referral_link": "",
            "is_paired": false, "account_type": {".tag": "business"}, "root_info": {".tag": "team",
            "root_namespace_id": "\(team)", "home_namespace_id": "11", "home_path": "/A B"}}
            """
        return try await ScriptedTransport(json: json).store(root: root).account()
    }

    @Test("Paths start in the home folder, unless another root is chosen")
    func roots() async throws {
        #expect(try await account(.home, team: "22").rootNamespace == "11")
        #expect(try await account(.team(namespace: "22"), team: "22").rootNamespace == "22")
        #expect(try await account(.namespace("33"), team: "22").rootNamespace == "33")
    }

    @Test("Only a team's space that is not the home folder is one")
    func teamSpace() async throws {
        #expect(try await account(.home, team: "22").teamNamespace == "22")
        #expect(try await account(.home, team: "11").teamNamespace == nil)
    }
}
