// The timeout of a mount's end, when several clients wait for it.

import Testing

@testable import Mounting

@Suite struct MountEndingTests {
    private let ending = MountEnding(standardLimit: 60)

    @Test("the last waiting client decides, and once none waits the standard timeout holds")
    func last() {
        let first = ending.ask(limit: 5)
        let second = ending.ask(limit: nil)
        #expect(ending.limit == nil)
        ending.withdraw(second)
        #expect(ending.limit == 5)
        ending.withdraw(first)
        #expect(ending.limit == 60)
    }

    @Test("a client that gives up leaves the timeout of a later one")
    func earlier() {
        let first = ending.ask(limit: 5)
        _ = ending.ask(limit: 7)
        ending.withdraw(first)
        #expect(ending.limit == 7)
    }

    @Test("a client that comes during the wait waits for its own time, from then on")
    func late() throws {
        let start = ContinuousClock.now - .seconds(20)
        #expect(ending.limit(since: start) == 60)
        _ = ending.ask(limit: 2)
        let limit = try #require(ending.limit(since: start))
        #expect(limit >= 22 && limit < 60)
        #expect(ending.limit(since: .now + .seconds(1)) == 2)
    }

    @Test("a timeout that the mount sets outweighs those of clients")
    func set() {
        let asked = ending.ask(limit: 5)
        ending.setLimit(0)
        #expect(ending.limit == 0)
        ending.withdraw(asked)
        #expect(ending.limit == 0)
    }
}
