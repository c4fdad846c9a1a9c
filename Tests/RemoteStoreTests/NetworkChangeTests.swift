// The progress of transfers, and how a wait ends when the network has changed.

import Core
import DropboxAPI
import DropboxEmulator
import RemoteStore
import Synchronization
import TestSupport
import Testing

@testable import RemoteStore

@Suite(.timeLimit(.minutes(5))) struct NetworkChangeTests {
    /// Content that remembers what the network has taken.
    private final class Watched: UploadSource {
        let size: Int64 = 6 << 20
        let taken = Mutex<[Int64]>([])

        func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = Int(min(Int64(buffer.count), size - offset))
            for index in 0..<max(0, count) { buffer[index] = UInt8(truncatingIfNeeded: index) }
            return count
        }

        func noteTaken(upTo offset: Int64) { taken.withLock { $0.append(offset) } }
    }

    private func requests(_ account: EmulatedAccount, _ route: String) -> Int64 {
        account.server.statistics["routes"]?[route]?["requests"]?.integer ?? 0
    }

    @Test("the source of a piece learns step by step how much of it the network has taken")
    func taken() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let source = Watched()
            let session = try await store.startUpload(concurrent: true)
            try await store.append(source, range: 4 << 20..<6 << 20, to: session, closes: true)
            let taken = source.taken.withLock { $0 }
            #expect(taken.count > 1)
            #expect(taken == taken.sorted())
            #expect(taken.allSatisfy { (4 << 20...6 << 20).contains($0) })
            #expect(taken.last == 6 << 20)
        }
    }

    @Test(
        "a server that is not Dropbox by its certificate is no answer: offline, and a word about login pages",
        arguments: [TransportError.Kind.certificate, .tls])
    func portal(kind: TransportError.Kind) {
        let refusal = TransportError(kind: kind, message: "untrusted", mayHaveBeenReceived: false)
        let error = RemoteError(TokenError.transport(refusal))
        guard case .offline(let reason) = error else { return #expect(error == .offline("")) }
        #expect(reason.contains("login page"))
        #expect(error.isTransient)
    }

    @Test("a page that the network has lost is requested anew when the network changes")
    func lostPage() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let cursor = try await store.latestCursor()
            let route = "files/list_folder/continue"
            try account.server.addFault([
                "route": .string(route), "kind": "stall", "seconds": 600, "count": 1,
            ])
            let page = Task { try await store.list(after: cursor) }
            try await waitWhile {
                requests(account, route) == 0
            }
            store.endWaiting()
            #expect(try await page.value.hasMore == false)
            #expect(requests(account, route) == 2)
        }
    }

    @Test("a page is not requested anew for a task that was cancelled")
    func cancelledPage() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let cursor = try await store.latestCursor()
            let route = "files/list_folder/continue"
            try account.server.addFault([
                "route": .string(route), "kind": "stall", "seconds": 600, "count": 1,
            ])
            let page = Task { try await store.list(after: cursor) }
            try await waitWhile {
                requests(account, route) == 0
            }
            page.cancel()
            store.endWaiting()
            await #expect(throws: RemoteError.cancelled) { try await page.value }
            #expect(requests(account, route) == 1)
        }
    }

    @Test("a wait that is ended from outside is cancelled at once, and the next one works")
    func endedWait() async throws {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            let cursor = try await store.latestCursor()
            let isOver = Atomic(false)
            let wait = Task {
                defer { isOver.store(true, ordering: .relaxed) }
                return try await store.waitForChange(after: cursor, timeout: 480)
            }
            try await waitWhile {
                store.endWaiting()
                return !isOver.load(ordering: .relaxed)
            }
            await #expect(throws: RemoteError.cancelled) { try await wait.value }
            try account.server.updateSettings(["longpoll_timeout_ms": 1])
            #expect(try await store.waitForChange(after: cursor, timeout: 30).hasChanges == false)
        }
    }
}
