// When users' changes are due: the decision alone, and the uploader that obeys it.

import Core
import MetadataStore
import RemoteStore
import TestSupport
import Testing

@testable import Sync

/// Changes at seconds after a start, and what they are due.
private final class Timeline {
    static let start = WallTime(seconds: 1_700_000_000)

    var bursts: ChangeBursts

    init(delay: Double = 5) {
        bursts = ChangeBursts(delay: WriteDelay(seconds: delay))
    }

    static func time(_ seconds: Double) -> WallTime {
        start.adding(nanoseconds: Int64((seconds * 1e9).rounded()))
    }

    static func seconds(_ time: WallTime?) -> Double? {
        time.map { (Double($0.nanoseconds - start.nanoseconds) / 1e6).rounded() / 1e3 }
    }

    func change(_ name: String, at seconds: Double) -> Double? {
        Self.seconds(bursts.due(for: .name(name, in: .root), at: Self.time(seconds)))
    }

    func finish(at seconds: Double) -> Double? {
        Self.seconds(bursts.finish(at: Self.time(seconds)))
    }

    var end: Double? { Self.seconds(bursts.end) }

    /// Counts the uploads of a place that changes at these times, until all of it is sent.
    func uploads(of name: String, at times: [Double]) -> Int {
        var (count, due): (Int, Double?) = (0, nil)
        for (time, next) in zip(times, times.dropFirst() + [.infinity]) {
            due = change(name, at: time)
            if let end, end < next, finish(at: end) == due { due = end }
            if let sent = due, sent < next { (count, due) = (count + 1, nil) }
        }
        return count
    }
}

@Suite struct ChangeBurstsTests {
    @Test("a lone change is due when the mount has been quiet for a moment")
    func lone() {
        let line = Timeline()
        #expect(line.end == nil)
        #expect(line.change("a", at: 10) == 15)
        #expect(line.end == 10.3)
        #expect(line.finish(at: 10.29) == nil)
        #expect(line.finish(at: 10.3) == 15, "by this time its entries are found")
        #expect(line.finish(at: 11) == nil)
        #expect(line.end == nil)
    }

    @Test("all changes of a burst have one due time, the write delay after the first")
    func together() {
        let line = Timeline()
        #expect(line.change("a", at: 10) == 15)
        #expect(line.change("b", at: 10.2) == 15)
        #expect(line.change("a", at: 10.4) == 15)
        #expect(line.finish(at: 10.5) == nil)
        #expect(line.end == 10.7)
    }

    @Test("a burst without a pause ends by the write delay, and the next one begins")
    func endless() {
        let line = Timeline()
        #expect(line.change("0", at: 0) == 5)
        for tick in 1..<25 {
            #expect(line.change("\(tick)", at: Double(tick) / 5) == 5)
        }
        #expect(line.end == 5)
        #expect(line.change("late", at: 5.01) == 10.01)
    }

    @Test("a place that changes again after each pause waits for the write delay")
    func busy() {
        let line = Timeline()
        for second in 0..<3 {
            #expect(line.change("log", at: Double(second)) == Double(second) + 5)
            #expect(line.finish(at: Double(second) + 0.3) != nil)
        }
        #expect(line.change("log", at: 3) == 8)
        #expect(line.end == nil, "it is no change of a burst")
        #expect(line.change("log", at: 7.5) == 12.5)
        #expect(line.change("log", at: 12) == 17)
        #expect(line.change("log", at: 16.9) == 21.9)
        #expect(line.change("log", at: 21) == 26)
        #expect(line.change("log", at: 25.5) == 30.5)
        #expect(line.change("log", at: 30) == 33, "thirty seconds after the first change it is due")
        #expect(line.change("log", at: 34) == 39, "the next stretch begins")
    }

    @Test("a busy place does not make others wait")
    func aside() {
        let line = Timeline()
        for second in 0..<3 {
            _ = line.change("log", at: Double(second))
            _ = line.finish(at: Double(second) + 0.3)
        }
        _ = line.change("log", at: 3)
        #expect(line.change("other", at: 3.1) == 8.1)
        _ = line.change("log", at: 3.3)
        #expect(line.end == 3.4)
    }

    @Test("a file that is rewritten every second for a minute is sent a few times")
    func rewritten() {
        let line = Timeline()
        let count = line.uploads(of: "file", at: (0..<60).map(Double.init))
        #expect((3...6).contains(count), "\(count)")
    }

    @Test("changes between which the write delay passes are sent at once, each of them")
    func seldom() {
        let line = Timeline()
        for second in stride(from: 0.0, to: 300, by: 6) {
            #expect(line.change("a", at: second) == second + 5)
            #expect(line.finish(at: second + 0.3) == second + 5)
        }
    }

    @Test("a place that has waited is sent at once again after half a minute")
    func forgiven() {
        let line = Timeline()
        for second in 0..<4 {
            _ = line.change("a", at: Double(second))
            _ = line.finish(at: Double(second) + 0.3)
        }
        #expect(line.end == nil)
        _ = line.change("a", at: 20)
        #expect(line.end == nil)
        _ = line.change("a", at: 40)
        #expect(line.end == 40.3)
    }

    @Test("without a delay a change is due at once")
    func undelayed() {
        let line = Timeline(delay: 0)
        #expect(line.change("a", at: 7) == 7)
        #expect(line.end == nil)
    }

    @Test("a long delay keeps changes for its share")
    func long() {
        let line = Timeline(delay: 300)
        #expect(line.change("a", at: 0) == 300)
        #expect(line.end == 18)
    }

    @Test("another delay is for later changes only")
    func changedDelay() {
        let line = Timeline()
        #expect(line.change("a", at: 0) == 5)
        line.bursts.setDelay(WriteDelay(seconds: 5))
        #expect(line.end == 0.3)
        line.bursts.setDelay(WriteDelay(seconds: 100))
        #expect(line.end == nil)
        #expect(line.change("b", at: 1) == 101)
        #expect(line.end == 7)
    }

    @Test("of many places some are remembered, and the others are in the bursts")
    func bounded() {
        let line = Timeline()
        for second in 0..<5 {
            for number in 0..<(2 * ChangeBursts.mostPlaces) {
                _ = line.change("\(number)", at: Double(second))
            }
            _ = line.finish(at: Double(second) + 0.3)
        }
        #expect(line.bursts.placeCount == ChangeBursts.mostPlaces)
        _ = line.change("last", at: 5)
        #expect(line.end == 5.3)
        _ = line.finish(at: 5.3)
        _ = line.change("last", at: 60)
        #expect(line.bursts.placeCount <= 1)
    }
}

extension ChangeBurstsTests {
    /// Makes folders as users do. Returns the seconds until all are on the server.
    private func makeFolders(
        _ names: [String], _ harness: Harness
    ) async throws -> Double {
        let engine = try #require(harness.engine)
        let start = harness.clock.now()
        for name in names {
            try harness.store.write(due: { engine.due(for: $0) }) { transaction in
                _ = try transaction.insert(
                    .folder, at: Place(parent: .root, name: FileName(name)), local: LocalFacts())
            }
        }
        engine.noteChange()
        try await waitWhile { try await harness.serverTree().count < names.count }
        return Double(harness.clock.now().nanoseconds - start.nanoseconds) / 1e9
    }

    @Test("the uploader sends a burst when it ends", .timeLimit(.minutes(5)))
    func sent() async throws {
        let delay = WriteDelay(seconds: 86_400)
        let harness = try Harness(clock: TickingClock(), writeDelay: delay)
        try await harness.settle()
        let seconds = try await makeFolders(["a", "b", "c"], harness)
        #expect(seconds >= 0.06 * delay.seconds)
        #expect(seconds < 0.5 * delay.seconds)
        await harness.stop()
    }
}
