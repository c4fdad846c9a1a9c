// Checks that are given up when they take too long, so that a command that only reads never hangs.

import Blocking
import Foundation
import LocalIO
import Mounting
import TestSupport
import Testing

// A test that waits for the other work waits for ever, or for an hour: the suite's limit ends it.
@Suite(.timeLimit(.minutes(5))) struct PatienceTests {
    @Test("work that is done in time gives its value, and other work nothing")
    func threads() {
        #expect(WorkerThread.within(seconds: 30) { 7 } == 7)
        let never = Latch()
        #expect(
            WorkerThread.within(seconds: 0.05) {
                never.wait()
                return 7
            } == nil)
        never.set()
    }

    @Test("a program that ends in time tells how, and another one is not waited for")
    func programs() throws {
        let outcome = try #require(
            try ChildProcess.run("sh", ["-c", "echo no >&2; exit 3"], within: 30))
        #expect(outcome.status == 3 && outcome.errors == "no")
        #expect(try ChildProcess.run("sleep", ["3600"], within: 0.1) == nil)
        #expect(try ChildProcess.run("no-such-program", [], within: 1)?.status == 127)
    }

    @Test("a program that was given up leaves no dead process behind")
    func reaped() async throws {
        let mark = "60.\(getpid())"
        #expect(try ChildProcess.run("sleep", [mark], within: 0.05) == nil)
        try await waitWhile { dead(children: "sleep") > 0 }
    }

    /// The number of children of this process that have ended without a wait for them.
    private func dead(children name: String) -> Int {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.compactMap { Int32($0) }.count { id in
            guard let line = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else {
                return false
            }
            return line.hasPrefix("\(id) (\(name)) Z \(getpid()) ")
        }
    }
}
