// The end of a client in a group of services.

import DropboxAPI
import DropboxAPITesting
import DropboxLifecycle
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DropboxServiceTests {
    private let transport = ScriptedTransport()

    private func isShutDown(_ client: DropboxClient) async -> Bool {
        do throws(CallError<NoError>) {
            _ = try await client.users.getSpaceUsage()
            return false
        } catch {
            guard case .transport(let failure) = error.kind else { return false }
            return failure.kind == .shutDown
        }
    }

    @Test("the client works until the group shuts down, and not after that")
    func graceful() async {
        transport.answer(Users.getSpaceUsage) { _, _ in
            .result(.init(used: 1, allocation: .individual(.init(allocated: 2))))
        }
        let client = transport.client()
        await testGracefulShutdown { trigger in
            async let run: Void = DropboxService(client).run()
            #expect(await !isShutDown(client))
            trigger.triggerGracefulShutdown()
            await run
        }
        #expect(await isShutDown(client))
    }

    @Test("a cancelled service ends what it has, too")
    func cancelled() async {
        let ends = Mutex(0)
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await DropboxService { continuation.finish() }.run()
            ends.withLock { $0 += 1 }
        }
        task.cancel()
        await task.value
        for await _ in ended {}
        #expect(ends.withLock { $0 } == 1)
    }
}
