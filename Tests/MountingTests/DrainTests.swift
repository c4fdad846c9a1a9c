// When a wait for the queue ends, and its outcome: the decision alone, without a mount. Not
// responsible for the progress that a command shows until then (`ControlTests`).

import Testing

@testable import Mounting

@Suite struct DrainTests {
    private func backlog(
        _ operations: Int, _ state: MountStatus.State = .online, isStuck: Bool = false,
        problem: String? = nil
    ) -> Backlog {
        Backlog(
            operations: operations, bytes: 0, state: state, isStuck: isStuck, problem: problem)
    }

    @Test("an empty queue ends the wait in every state")
    func empty() {
        for state: MountStatus.State in [.connecting, .online, .offline, .authRequired] {
            #expect(
                Drain(limit: nil).outcome(of: backlog(0, state), after: 0)
                    == DrainOutcome(remaining: 0))
        }
    }

    @Test("being offline does not end the wait before its limit")
    func offline() {
        #expect(Drain(limit: nil).outcome(of: backlog(1, .offline), after: 1e6) == nil)
        #expect(Drain(limit: 10).outcome(of: backlog(1, .offline), after: 9.9) == nil)
        #expect(
            Drain(limit: 10).outcome(of: backlog(1, .offline), after: 10)
                == DrainOutcome(remaining: 1, reason: "offline"))
    }

    @Test("a refused token ends the wait: only a new login could renew it")
    func refusedToken() {
        #expect(
            Drain(limit: nil).outcome(of: backlog(2, .authRequired), after: 0)?.remaining == 2)
    }

    @Test("a queue that cannot move ends the wait with the reason, once all was tried again")
    func stuck() {
        let stuck = backlog(2, isStuck: true, problem: "no space")
        #expect(Drain(limit: nil).outcome(of: stuck, after: 1) == nil)
        #expect(
            Drain(limit: nil).outcome(of: stuck, after: 5)
                == DrainOutcome(remaining: 2, reason: "no space"))
    }

    @Test("a limit of nothing does not wait at all")
    func zero() {
        #expect(Drain(limit: 0).outcome(of: backlog(1), after: 0)?.remaining == 1)
    }
}
