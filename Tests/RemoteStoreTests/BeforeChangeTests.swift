// Failures around a change: whether they say that the server has not made it. Not responsible for
// what follows from that (`UnsentRequestTests` of Sync).

import Core
import DropboxAPI
import DropboxEmulator
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite("Failures before a change")
struct BeforeChangeTests {
    @Test(
        "A login server that fails before a change says nothing of earlier requests",
        arguments: [false, true])
    func token(isRepeated: Bool) {
        let context = CallContext(
            route: "files/create_folder_v2", attempts: 1,
            earlierAttemptMayHaveTakenEffect: isRepeated)
        let error = CallError<NoError>(
            kind: .token(.server(status: 503, message: "down")), context: context)
        let mapped = RemoteError(ofChange: error)
        #expect(mapped.saysNotDone == !isRepeated)
        #expect(mapped.isTransient)
    }

    @Test("An error that Dropbox answers a change with is no failure before it")
    func answer() {
        let error = CallError<NoError>(
            kind: .badInput("unknown"), context: CallContext(route: "files/create_folder_v2"))
        #expect(RemoteError(ofChange: error) == RemoteError(error))
    }

    @Test("Facts whose reply is lost may be there, also if their repetition is refused")
    func lostFacts() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, sharesFacts: true, log: silent)
            _ = try await store.makeFolder(at: "/d")
            let facts = PosixFacts(permissions: 0o700)
            try await store.setFacts(facts, of: "/d")
            let route: JSONValue = "file_properties/properties/overwrite"
            try account.server.addFault(["kind": "reset_after", "route": route, "count": 1])
            try account.server.addFault([
                "kind": "rate_limited", "route": route, "skip": 1, "count": 1,
                "retry_after": 3600,
            ])
            let error = await #expect(throws: RemoteError.self) {
                try await store.setFacts(facts, of: "/d")
            }
            #expect(error?.saysNotDone == false)
        }
    }

    @Test("A server that fails at a question before the change has not made it")
    func question() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let folder = try await store.makeFolder(at: "/d")
            store.noteRefusalOfIDs()
            try account.server.addFault(["kind": "server_error", "route": "files/get_metadata"])
            let reference = RemoteReference(path: "/d", id: folder.id)
            let deletion = await #expect(throws: RemoteError.self) {
                try await store.delete(reference, revision: nil)
            }
            #expect(deletion?.saysNotDone == true)
            let move = await #expect(throws: RemoteError.self) {
                try await store.move(reference, to: "/e")
            }
            #expect(move?.saysNotDone == true)
            let batch = try await store.moveFiles([.init(from: reference, to: "/e")])
            let refused = #expect(throws: RemoteError.self) {
                for outcome in batch { _ = try outcome.get() }
            }
            #expect(refused?.saysNotDone == true)
        }
    }
}
