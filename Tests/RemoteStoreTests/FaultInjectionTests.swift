// The fault injector does what tests of other modules rely on.

import Core
import RemoteStore
import RemoteStoreTesting
import Testing

@Suite("Injected faults")
struct FaultInjectionTests {
    private let memory = InMemoryStore()

    private func wrapped(seed: UInt64 = 1) -> FaultInjectingStore {
        FaultInjectingStore(memory, seed: seed)
    }

    @Test("A failure before changes nothing, a failure after loses the reply only")
    func beforeAndAfter() async throws {
        let store = wrapped()
        store.inject(.failBefore(.offline("x")), into: .makeFolder, number: 1)
        store.inject(.failAfter(.timedOut), into: .makeFolder, number: 2)
        await #expect(throws: RemoteError.offline("x")) { try await store.makeFolder(at: "/a") }
        #expect(memory.otherClient.snapshot.entries.isEmpty)
        await #expect(throws: RemoteError.timedOut) { try await store.makeFolder(at: "/a") }
        #expect(memory.otherClient.snapshot.entries == ["/a": .folder])
        await #expect(throws: RemoteError.conflict(.folder)) {
            try await store.makeFolder(at: "/a")
        }
    }

    @Test("A fault happens in the calls that are meant, as often as planned")
    func predicate() async throws {
        let store = wrapped()
        store.inject(.failBefore(.busy), times: 2) { $0.subject == "/b" }
        _ = try await store.makeFolder(at: "/a")
        for _ in 1...2 {
            await #expect(throws: RemoteError.busy) { try await store.makeFolder(at: "/b") }
        }
        _ = try await store.makeFolder(at: "/b")
        #expect(store.calls.map(\.subject) == ["/a", "/b", "/b", "/b"])
        #expect(store.calls.map(\.occurrence) == [1, 1, 2, 3])
        #expect(store.calls.map(\.number) == [1, 2, 3, 4])
    }

    @Test("A body breaks off or lies where it is told to")
    func bodies() async throws {
        let store = wrapped()
        let bytes = pattern(200_000)
        let file = try memory.otherClient.put("/f", bytes).file
        store.inject(.cutBody(after: 100_000, .offline("cut")), into: .download)
        let stream = try await store.download(file.revision, range: 10..<200_000)
        var received: [UInt8] = []
        let error = await #expect(throws: RemoteError.self) {
            while let piece = try await stream.next() { received += piece }
        }
        #expect(error == .offline("cut"))
        #expect(received == Array(bytes[10..<100_010]))
        store.inject(.corruptBody(at: 70_000), into: .download)
        let corrupt = try await store.download(file.revision, range: 0..<200_000).collect()
        #expect(zip(corrupt, bytes).enumerated().filter { $1.0 != $1.1 }.map(\.offset) == [70_000])
    }

    @Test("Content that is corrupted on its way up does not pass its hash")
    func corruptUpload() async throws {
        let store = wrapped()
        let bytes = pattern(1000)
        store.inject(.corruptBody(at: 999), into: .upload)
        await #expect(throws: RemoteError.contentMismatch) {
            try await store.upload(MemorySource(bytes), commit: .of("/f", bytes))
        }
        store.inject(.corruptBody(at: 0), into: .append)
        let session = try await store.startUpload(concurrent: false)
        try await store.append(MemorySource(bytes), range: 0..<1000, to: session, closes: true)
        await #expect(throws: RemoteError.contentMismatch) {
            try await store.finishUpload(session, size: 1000, commit: .of("/f", bytes))
        }
    }

    @Test("A stalled call waits until it is released, and leaves when it is cancelled")
    func stalls() async throws {
        let store = wrapped()
        store.inject(.stall, times: 2) { $0.operation == .makeFolder }
        async let released = store.makeFolder(at: "/a")
        while store.stalledCount == 0 { await Task.yield() }
        #expect(memory.otherClient.snapshot.entries.isEmpty)
        store.releaseStalled()
        _ = try await released
        let cancelled = Task { try await store.makeFolder(at: "/b") }
        while store.stalledCount == 0 { await Task.yield() }
        cancelled.cancel()
        await #expect(throws: RemoteError.cancelled) { try await cancelled.value }
        #expect(memory.otherClient.snapshot.entries == ["/a": .folder])
    }

    @Test(
        "A stalled call that is released on its way to its stop goes on",
        .timeLimit(.minutes(5)))
    func earlyRelease() async throws {
        let store = wrapped()
        store.distance = 0.1
        store.inject(.stall, into: .makeFolder)
        async let made = store.makeFolder(at: "/a")
        while store.calls.isEmpty { await Task.yield() }
        #expect(store.stalledCount == 1)
        store.releaseStalled()
        #expect(store.stalledCount == 0)
        _ = try await made
        #expect(memory.otherClient.snapshot.entries == ["/a": .folder])
    }

    @Test("Without a network, every call fails; with it, every call works again")
    func offline() async throws {
        let store = wrapped()
        store.isOffline = true
        await #expect(throws: RemoteError.unreachable("switched off")) {
            try await store.makeFolder(at: "/a")
        }
        await #expect(throws: RemoteError.offline("switched off")) { try await store.account() }
        store.isOffline = false
        _ = try await store.makeFolder(at: "/a")
    }

    /// Which of many calls fail with a seed, called one after another or side by side.
    private func failures(seed: UInt64, side: Bool) async -> Set<Int> {
        let store = FaultInjectingStore(InMemoryStore(), seed: seed)
        store.injectRandomly([.failBefore(.busy), .failAfter(.busy)], probability: 0.3)
        return await withTaskGroup(of: Int?.self) { group in
            var failed: Set<Int> = []
            for number in 0..<200 {
                group.addTask {
                    let path = RemotePath(rawValue: "/\(number)")
                    return (try? await store.makeFolder(at: path)) == nil ? number : nil
                }
                if !side, let failure = await group.next() ?? nil { failed.insert(failure) }
            }
            for await failure in group { if let failure { failed.insert(failure) } }
            return failed
        }
    }

    @Test("Chance is the seed's, also with calls side by side")
    func seeds() async {
        let first = await failures(seed: 7, side: false)
        #expect(await failures(seed: 7, side: true) == first)
        #expect(await failures(seed: 8, side: false) != first)
        #expect((30...90).contains(first.count))
    }

    @Test("By chance, every kind of fault happens")
    func everyKind() async throws {
        let store = FaultInjectingStore(memory, seed: 3)
        store.injectRandomly([.failBefore(.busy), .failAfter(.timedOut)], probability: 0.5)
        var kinds: Set<RemoteError> = []
        for number in 0..<50 {
            do {
                _ = try await store.makeFolder(at: RemotePath(rawValue: "/\(number)"))
            } catch {
                kinds.insert(error)
            }
        }
        #expect(kinds == [.busy, .timedOut])
    }
}
