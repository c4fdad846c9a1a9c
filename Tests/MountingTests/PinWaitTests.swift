// When a command stops waiting for pinned content, and why.

import Mounting
import Testing

@Suite struct PinWaitTests {
    private func progress(
        missing: Int, _ state: MountStatus.State = .online, isTreeKnown: Bool = true,
        isStuck: Bool = false, problem: String? = nil
    ) -> PinProgress {
        var progress = PinProgress(
            files: 10, bytes: 100, presentFiles: 10 - missing, presentBytes: 50,
            unavailableFiles: 0, missingBytes: 50, state: state, isTreeKnown: isTreeKnown)
        progress.isStuck = isStuck
        progress.problem = problem
        return progress
    }

    private func reason(_ progress: PinProgress, after seconds: Double, limit: Double? = nil)
        -> String?
    {
        PinWait(limit: limit).outcome(of: progress, after: seconds)?.reason
    }

    @Test("when all is here the wait is over, offline too")
    func complete() {
        for state: MountStatus.State in [.connecting, .online, .offline, .authRequired] {
            let outcome = PinWait(limit: nil).outcome(of: progress(missing: 0, state), after: 0)
            #expect(outcome != nil && outcome?.reason == nil)
        }
    }

    @Test("while the account is being listed, the wait does not know whether all is here")
    func listing() {
        let listing = progress(missing: 0, isTreeKnown: false)
        #expect(PinWait(limit: nil).outcome(of: listing, after: 100) == nil)
        #expect(reason(listing, after: 100, limit: 1) == "time was up")
    }

    @Test("what cannot be fetched for now is not waited for")
    func hindrances() {
        #expect(PinWait(limit: nil).outcome(of: progress(missing: 1, .connecting), after: 9) == nil)
        #expect(reason(progress(missing: 1, .offline), after: 0) == nil)
        #expect(reason(progress(missing: 1, .offline), after: 1) == "offline")
        #expect(reason(progress(missing: 1, .authRequired), after: 0) != nil)
        let stuck = progress(missing: 1, isStuck: true, problem: "/a: gone")
        #expect(reason(stuck, after: 1) == nil)
        #expect(reason(stuck, after: 5) == "/a: gone")
        var paused = progress(missing: 1)
        paused.isPaused = true
        #expect(reason(paused, after: 0) == "paused, run: dbxfs resume")
    }
}
