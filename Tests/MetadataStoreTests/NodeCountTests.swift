import Core
import Testing

@testable import MetadataStore

/// The count of nodes for those who ask often.
@Suite struct NodeCountTests {
    private let start = WallTime(seconds: 1_000_000)

    @Test func anEmptyCountIsNeverKept() {
        var counted = NodeCount()
        #expect(counted.value(at: start) == nil)
        counted.note(0, at: start)
        #expect(counted.value(at: start) == nil)
    }

    @Test func aMillionNodesAreCountedEverySevenSecondsAndAHalf() {
        var counted = NodeCount()
        counted.note(1_000_000, at: start)
        #expect(counted.value(at: start.adding(nanoseconds: 7_499_999_999)) == 1_000_000)
        #expect(counted.value(at: start.adding(nanoseconds: 7_500_000_000)) == nil)
    }

    @Test func aClockThatWasSetBackEndsACount() {
        var counted = NodeCount()
        counted.note(1_000_000, at: start)
        #expect(counted.value(at: start.adding(nanoseconds: -1)) == nil)
    }

    @Test func aFewNodesAreCountedAnewAMomentLater() throws {
        let store = try MetadataStore(path: TemporaryStore.path())
        #expect(try store.nodeCount(at: start) == 0)
        try store.write { transaction in
            _ = try transaction.insertNode(.file, at: place("a"), local: LocalFacts())
        }
        #expect(try store.nodeCount(at: start) == 1)
    }
}
