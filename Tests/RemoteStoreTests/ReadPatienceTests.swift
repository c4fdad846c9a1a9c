// Reads of a server that asks for a pause: a process that waits soon gets ENETDOWN.

import Core
import DropboxAPI
import DropboxAPITesting
import Testing

@testable import RemoteStore

@Suite("patience of reads", .timeLimit(.minutes(5)))
struct ReadPatienceTests {
    @Test(
        "what a process waits for fails at once where the server asks for a longer pause",
        // The rest of each is far beyond the patience also where this test takes minutes.
        arguments: ["250", "600", "3600", "86400"])
    func calls(_ pause: String) async throws {
        let transport = ScriptedTransport { _ in
            ScriptedResponse(status: 429, headers: ["Retry-After": "\(pause)"])
        }
        let store = transport.store()
        let revision = Revision("0123456789")
        let calls: [() async throws -> Void] = [
            { _ = try await store.download(revision, range: 0..<(4 << 20)) },
            { _ = try await store.download(revision, range: 0..<(24 << 20)) },
            { _ = try await store.archive(of: RemotePath(rawValue: "/f"), bytes: 1 << 30) },
            { _ = try await store.list(.root, recursive: false) },
        ]
        for call in calls {
            let error = await #expect(throws: RemoteError.self) { try await call() }
            guard case .rateLimited(let seconds) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(seconds > 60)
        }
        // The first failure stood for all.
        #expect(transport.requests.count == 1)
    }
}
