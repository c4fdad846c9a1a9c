// Requests that are not answered in time are made once more, for those who wait.

import RemoteStore
import TestSupport
import Testing

@testable import FileSystem

@Suite struct HedgingTests {
    private let sample = Sample(size: 20 << 20, seed: 77)

    @Test("what does not come is asked for once more", .timeLimit(.minutes(5)))
    func silent() async throws {
        let fixture = try Fixture([sample], hedgeDelay: .milliseconds(20))
        fixture.store.onRequest { number, _ in number == 0 ? .silence : nil }
        let bytes = try await fixture.reader.bytes(
            of: sample.content, range: 0..<4096, session: ReadSession())
        #expect(bytes == sample[0..<4096])
        #expect(fixture.store.requests == [fixture.store.requests[0], fixture.store.requests[0]])
    }

    @Test("what comes in time is asked for once")
    func quick() async throws {
        let fixture = try Fixture([sample], hedgeDelay: .seconds(60))
        _ = try await fixture.reader.bytes(
            of: sample.content, range: 0..<4096, session: ReadSession())
        #expect(fixture.store.requests.count == 1)
    }

    @Test("a refusal is not waited with", .timeLimit(.minutes(5)))
    func refused() async throws {
        let fixture = try Fixture([sample])
        fixture.store.onRequest { _, _ in .refuse(.notFound) }
        await #expect(throws: RemoteError.notFound) {
            try await fixture.reader.bytes(
                of: sample.content, range: 0..<4096, session: ReadSession())
        }
    }

    @Test("a background fetch sends one request", .timeLimit(.minutes(5)))
    func ahead() async throws {
        let fixture = try Fixture([sample], hedgeDelay: .milliseconds(5))
        let late: Int64 = 16 << 20
        let lateRequests = Counter()
        fixture.store.onRequest { _, range in
            guard range.lowerBound > 0 else { return nil }
            let isSecond = range.lowerBound >= late && lateRequests.increment() > 1
            return isSecond ? nil : .silence
        }
        let session = ReadSession()
        for offset: Int64 in stride(from: 0, to: 1 << 20, by: 128 << 10) {
            _ = try await fixture.reader.bytes(
                of: sample.content, range: offset..<offset + 128 << 10, session: session)
        }
        var starts: [Int64] {
            fixture.store.requests.map(\.lowerBound).filter { $0 > 0 && $0 < late }
        }
        try await waitWhile { starts.isEmpty }
        // A reader's request that is made later has been hedged: so would theirs have been.
        _ = try await fixture.reader.bytes(
            of: sample.content, range: late..<late + 4096, session: ReadSession())
        let asked = starts
        #expect(Set(asked).count == asked.count, "\(asked)")
    }

    @Test(
        "the hedge delay is four times what the slow ones of the last answers took, within bounds")
    func hedgeDelay() {
        var times = ResponseTimes()
        #expect(times.hedgeDelay == .seconds(4))
        for _ in 0..<64 { times.note(.milliseconds(50)) }
        #expect(times.hedgeDelay == .milliseconds(1500))
        for _ in 0..<10 { times.note(.milliseconds(900)) }
        #expect(times.hedgeDelay == .milliseconds(3600))
        for _ in 0..<64 { times.note(.seconds(30)) }
        #expect(times.hedgeDelay == .seconds(20))
        for _ in 0..<64 { times.note(.milliseconds(50)) }
        #expect(times.hedgeDelay == .milliseconds(1500))
    }
}
