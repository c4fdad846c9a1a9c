// How much of a content was written in order, which is what can be sent ahead.

import Testing

@testable import Staging

@Suite struct WrittenPrefixTests {
    @Test("what comes a little early is a part of the beginning when the rest has come")
    func prefix() {
        var written = WrittenPrefix()
        for range in [100..<200, 0..<50, 300..<400, 200..<300] as [Range<Int64>] {
            written.add(range)
        }
        #expect(written.end == 50)
        written.add(40..<100)
        #expect(written.end == 400)
        written.add(500..<600)
        written.cut(to: 350)
        #expect(written.end == 350)
        written.add(350..<500)
        #expect(written.end == 500)
    }
}
