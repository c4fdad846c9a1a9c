// Runs of programs that another thread ends: before their start, while they run, and after their
// end.

import Blocking
import Foundation
import LocalIO
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ChildRunTests {
    private let run = ChildRun()

    private func start(_ script: String) throws -> Bool {
        try run.start("/bin/sh", ["-c", script], descriptors: [:], isDetached: true)
    }

    @Test("a program that ends by itself tells how, also more than once")
    func status() throws {
        #expect(try start("exit 3"))
        #expect(run.wait() == 3)
        #expect(run.wait(seconds: 0) == 3)
        // Its number may be another process's.
        run.end(by: SIGKILL)
        #expect(run.wait() == 3)
        #expect(try !start("exit 4"))
    }

    @Test("a program that hangs is ended by a signal of another thread")
    func ended() throws {
        #expect(try run.start("/bin/sleep", ["60"], descriptors: [:], isDetached: true))
        #expect(run.wait(seconds: 0.05) == nil)
        WorkerThread.start { [run] in run.end(by: SIGKILL) }
        #expect(run.wait() == 128 + SIGKILL)
    }

    @Test("a run that is ended before its start has no process")
    func endedBefore() throws {
        let folder = try TemporaryFolder()
        run.end(by: SIGTERM)
        #expect(try !start("touch '\(folder.path)/started'"))
        #expect(run.wait() == 128 + SIGTERM)
        #expect(try run.run("/bin/echo", [], environment: [:], input: "") == nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/started"))
    }

    @Test("a program that cannot be started is an error, and can be tried again")
    func missing() throws {
        #expect(throws: ChildProcessError.self) {
            try run.start("/no/program", [], descriptors: [:], isDetached: true)
        }
        #expect(try start("exit 0"))
        #expect(run.wait() == 0)
    }

    @Test("input goes to a program, and more output than a pipe holds comes from both of its ends")
    func output() throws {
        let script = """
            read line
            head -c 300000 /dev/zero | tr '\\0' e >&2
            head -c 300000 /dev/zero | tr '\\0' o
            echo "$line $NAME"
            exit 7
            """
        let outcome = try #require(
            try run.run(
                "/bin/sh", ["-c", script], environment: ["NAME": "b", "PATH": "/usr/bin:/bin"],
                input: "a\n"))
        #expect(outcome.status == 7)
        #expect(outcome.errors == String(repeating: "e", count: 300_000))
        #expect(outcome.output == String(repeating: "o", count: 300_000) + "a b")
    }

    @Test("a program in a session of its own gets its input, and its end")
    func detached() throws {
        // The leader of a session is the process of that number.
        let script = """
            test "$(cat)" = text && test "$(ps -o sid= -p $$ | tr -d ' ')" = $$ && exit 5
            """
        #expect(try run.startDetached("/bin/sh", ["-c", script], input: "text"))
        #expect(run.wait() == 5)
    }

    @Test("a program whose output is read can be ended, too")
    func outputEnded() async throws {
        let folder = try TemporaryFolder()
        let mark = folder.path + "/started"
        // Not in a task, which would block a thread of the pool.
        let (statuses, continuation) = AsyncStream<Int32?>.makeStream()
        WorkerThread.start { [run] in
            // A program that hangs.
            let outcome = try? run.run(
                "/bin/sh", ["-c", "echo > '\(mark)'; exec sleep 60"],
                environment: ["PATH": "/usr/bin:/bin"], input: "")
            continuation.yield(outcome?.status)
        }
        try await waitWhile { !FileManager.default.fileExists(atPath: mark) }
        run.end(by: SIGTERM)
        let status = await statuses.first { _ in true }
        #expect(status == 128 + SIGTERM)
    }
}
