// Decisions about reading ahead: offsets in, decisions out.

@testable import FileSystem
import Testing

private let block: Int64 = 4 << 20
private let step: Int64 = 128 << 10

@Suite("Recognising how a handle reads")
struct PatternTests {
    private func range(_ start: Int64, _ count: Int64 = step) -> Range<Int64> {
        start..<start + count
    }

    @Test("one read at the head opens no window")
    func head() {
        var pattern = ReadPattern()
        let decision = pattern.note(range(0))
        #expect(decision.reach == .initial)
        #expect(pattern.takeAhead(decision.stream, contentSize: 100 * block) == nil)
    }

    @Test("two reads in sequence open a window of one block, named once")
    func opens() {
        var pattern = ReadPattern()
        _ = pattern.note(range(0))
        let decision = pattern.note(range(step))
        #expect(decision.reach == .block)
        let ahead = pattern.takeAhead(decision.stream, contentSize: 100 * block)
        #expect(ahead == 2 * step..<2 * block)
        #expect(pattern.takeAhead(decision.stream, contentSize: 100 * block) == nil)
    }

    @Test("small reads at the head open no window before 256 KiB")
    func smallReads() {
        var pattern = ReadPattern()
        for number in 0..<63 {
            let decision = pattern.note(range(Int64(number) * 4096, 4096))
            #expect(decision.reach == .initial)
        }
        #expect(pattern.note(range(63 * 4096, 4096)).reach == .block)
    }

    @Test("a read of a whole block at once counts as sequential")
    func wholeBlock() {
        var pattern = ReadPattern()
        #expect(pattern.note(range(0, block)).reach == .block)
    }

    @Test("a read of a mebibyte at the beginning counts as sequential, elsewhere not yet")
    func largeFirstRead() {
        let mebibyte: Int64 = 1 << 20
        var begun = ReadPattern()
        #expect(begun.note(range(0, mebibyte)).reach == .block)
        var inside = ReadPattern()
        #expect(inside.note(range(block, mebibyte)).reach == .initial)
        #expect(inside.note(range(block + mebibyte, mebibyte)).reach == .block)
    }

    @Test("reads that arrive out of order are one stream")
    func disorder() {
        var pattern = ReadPattern()
        var streams = Set<Int>()
        for offset in [1, 0, 3, 2, 5, 4, 8, 6, 7] as [Int64] {
            streams.insert(pattern.note(range(offset * step)).stream)
        }
        #expect(streams.count == 1)
    }

    @Test("a stall doubles the window once, however many reads wait, up to 24 MiB")
    func doubling() {
        var window = ReadWindow(range(0))
        window.advance(range(step), readsToOpen: 2)
        #expect(window.size == block)
        for _ in 0..<8 { window.stalled(at: 2 * step) }
        #expect(window.size == 2 * block)
        var offset = 2 * step
        for _ in 0..<2000 {
            window.advance(range(offset), readsToOpen: 2)
            offset += step
            window.stalled(at: offset)
        }
        #expect(window.size == 24 << 20)
    }

    @Test("a reader who never waits keeps a small window")
    func noStall() {
        var pattern = ReadPattern()
        var ahead: Int64 = 0
        for number in 0..<400 {
            let decision = pattern.note(range(Int64(number) * step))
            if let range = pattern.takeAhead(decision.stream, contentSize: 100 * block) {
                ahead = range.upperBound - Int64(number + 1) * step
                #expect(ahead <= 2 * block)
            }
        }
        #expect(ahead > 0)
    }

    @Test("what could not be fetched ahead for want of memory is named again, in a smaller window")
    func refusal() {
        var window = ReadWindow(range(0))
        window.advance(range(step), readsToOpen: 2)
        window.stalled(at: 2 * step)
        let first = window.takeAhead(contentSize: 100 * block)
        #expect(first == 2 * step..<3 * block)
        window.refused(at: block)
        #expect(window.size == block)
        #expect(window.takeAhead(contentSize: 100 * block) == block..<2 * block)
    }

    @Test("nothing beyond the content is fetched ahead")
    func end() {
        var pattern = ReadPattern()
        let size = block + 5 * step
        _ = pattern.note(range(0))
        let decision = pattern.note(range(step))
        #expect(pattern.takeAhead(decision.stream, contentSize: size) == 2 * step..<size)
    }

    @Test("a seek to the tail does not end the stream at the head")
    func tail() {
        var pattern = ReadPattern()
        let size = 100 * block
        _ = pattern.note(range(0))
        let head = pattern.note(range(step))
        _ = pattern.takeAhead(head.stream, contentSize: size)
        let tail = pattern.note(range(size - step))
        #expect(tail.stream != head.stream && tail.abandoned == nil)
        #expect(tail.reach == .initial)
        let back = pattern.note(range(2 * step))
        #expect(back.stream == head.stream && back.reach == .block)
    }

    @Test("two readers in turns on one handle are two streams")
    func interleaved() {
        var pattern = ReadPattern()
        let far = 50 * block
        for number in 0..<20 {
            let one = pattern.note(range(Int64(number) * step))
            let other = pattern.note(range(far + Int64(number) * step))
            #expect(one.stream != other.stream)
            #expect(one.abandoned == nil && other.abandoned == nil)
            if number > 0 { #expect(one.reach == .block && other.reach == .block) }
        }
    }

    @Test("a forward skip within the window stays in the stream, a long one does not")
    func skips() {
        var pattern = ReadPattern()
        _ = pattern.note(range(0))
        let stream = pattern.note(range(step)).stream
        #expect(pattern.note(range(10 << 20)).stream == stream)
        #expect(pattern.note(range(40 << 20)).stream != stream)
    }

    @Test("random reads are recognised after three seeks, and stay exact")
    func random() {
        var pattern = ReadPattern()
        var reaches: [ReadPattern.Reach] = []
        for number in 0..<100 as Range<Int64> {
            // All places are different: 387 and 1000 have no common divisor.
            let offset = number * 387 % 1000 * 5 * block
            reaches.append(pattern.note(range(offset, 4096)).reach)
        }
        #expect(reaches.prefix(4).allSatisfy { $0 == .initial })
        #expect(reaches.dropFirst(4).allSatisfy { $0 == .exact })
    }

    @Test("a random reader who begins to read on gets a window again")
    func sequentialAgain() {
        var pattern = ReadPattern()
        for number in 0..<10 { _ = pattern.note(range(Int64(number) * 50 * block, 4096)) }
        let start = 777 * block
        #expect(pattern.note(range(start)).reach == .exact)
        #expect(pattern.note(range(start + step)).reach == .exact)
        #expect(pattern.note(range(start + 2 * step)).reach == .block)
        // And the seeks before are forgotten.
        #expect(pattern.note(range(2000 * block)).reach == .initial)
    }
}
