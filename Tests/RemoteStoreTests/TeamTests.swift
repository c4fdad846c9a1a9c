// Accounts in teams: what paths start from, and tokens that act for members.

import Core
import DropboxAPI
import DropboxEmulator
import RemoteStore
import Synchronization
import Testing

@Suite("Dropbox in teams")
struct TeamTests {
    private func withMember(
        _ body: (RunningEmulator.TeamMember, (String) throws -> DropboxClient) async throws -> Void
    ) async throws {
        try await EmulatedAccount.withAccount { account in
            let member = try account.server.makeTeamMember(token: "own", teamToken: "team")
            let configuration = account.client.configuration
            let made = Mutex<[DropboxClient]>([])
            do {
                try await body(member) { token in
                    let client = try DropboxClient(
                        configuration: configuration, tokens: FixedAccessToken(AccessToken(token)),
                        logger: silent)
                    made.withLock { $0.append(client) }
                    return client
                }
            } catch {
                for client in made.withLock({ $0 }) { await client.shutDown() }
                throw error
            }
            for client in made.withLock({ $0 }) { await client.shutDown() }
        }
    }

    private func names(_ store: DropboxStore) async throws -> [String] {
        try await store.list(.root, recursive: false).entries.map(\.name.string)
    }

    @Test("A member sees the own folder, or the team's space with it inside")
    func roots() async throws {
        try await withMember { member, client in
            let home = DropboxStore(client: try client("own"), log: silent)
            let account = try await home.account()
            let team = try #require(account.teamNamespace)
            #expect(account.rootNamespace != team)
            #expect(try await names(home).isEmpty)

            let store = DropboxStore(
                client: try client("own"), root: .team(namespace: team), log: silent)
            #expect(try await names(store) == [member.homeName])
            #expect(try await store.account().rootNamespace == team)
            let own = DropboxStore(
                client: try client("own"), root: .namespace(account.rootNamespace), log: silent)
            #expect(try await names(own).isEmpty)
            #expect(Set([home.root, store.root, own.root]).count == 3)
        }
    }

    @Test("A team's space that has changed is found again")
    func changedRoot() async throws {
        try await withMember { member, client in
            let store = DropboxStore(
                client: try client("own"), root: .team(namespace: "77"), log: silent)
            await #expect(throws: RemoteError.rootChanged) { try await names(store) }
            try await store.refreshRoot()
            #expect(store.root != "team:77")
            #expect(try await names(store) == [member.homeName])
        }
    }

    @Test("A namespace that the account may not use is refused")
    func foreignNamespace() async throws {
        try await withMember { _, client in
            let store = DropboxStore(
                client: try client("own"), root: .namespace("77"), log: silent)
            do {
                _ = try await names(store)
                Issue.record("a foreign namespace was listed")
            } catch RemoteError.forbidden {}
        }
    }

    @Test("A team's token acts for the member that it names, and for no other")
    func selectUser() async throws {
        try await withMember { member, client in
            let team = try client("team")
            #expect(
                try await DropboxStore(
                    client: team.acting(as: .teamMember(member.memberID)), log: silent
                ).account().email == member.email)
            do {
                let nobody = team.acting(as: .teamMember("dbmid:nobody"))
                _ = try await DropboxStore(client: nobody, log: silent).account()
                Issue.record("acted for nobody")
            } catch RemoteError.forbidden {
            } catch RemoteError.unauthorized {}
            await #expect(throws: RemoteError.self) {
                try await DropboxStore(client: team, log: silent).account()
            }
        }
    }
}
