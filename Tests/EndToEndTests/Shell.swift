// Running other programs with a time limit, without holding a thread of the test's pool.
//
// Nothing in this process ever touches a path on a mount under test: should the mount hang, the
// process would hang with it, and not even SIGKILL would help. Programs started here do the
// touching.

import Blocking
import Foundation
import LocalIO
import Synchronization
import SystemPackage

/// How a program ended.
struct ShellResult: Sendable, CustomStringConvertible {
    /// Its exit code; 124 or 137 when it ran out of time.
    var status: Int32
    /// stdout and stderr, as they came.
    var output: String

    /// The end of the output is what explains a failure; a trace of loops can be long.
    var description: String {
        let lines = output.split(separator: "\n")
        let omitted = lines.count > 60 ? "[\(lines.count - 60) lines before]\n" : ""
        return "exit code \(status)\n" + omitted + lines.suffix(60).joined(separator: "\n")
    }
}

/// A program that runs beside a test.
///
/// Not Foundation's `Process`: that calls a program ended only when everything which the program
/// has started has ended, too, and mounts stay.
final class RunningProgram: Sendable {
    private let process: ChildProcess
    private let ended = Mutex(false)
    private let ending: AsyncStream<Int32>
    /// Where its output goes.
    let outputPath: String

    /// Starts a program; its output goes to a file.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], output: String
    ) throws {
        let file = try FileDescriptor.open(
            output, .writeOnly, options: [.create, .append, .closeOnExec],
            permissions: [.ownerReadWrite])
        defer { try? file.close() }
        process = try ChildProcess.start(
            path, arguments, environment: environment, descriptors: [1: file, 2: file],
            isDetached: true)
        outputPath = output
        let (ending, end) = AsyncStream<Int32>.makeStream()
        self.ending = ending
        WorkerThread.start { [process, self] in
            let status = process.wait()
            ended.withLock { $0 = true }
            end.yield(status)
            end.finish()
        }
    }

    var id: Int32 { process.id }

    var isRunning: Bool { ended.withLock { !$0 } }

    var output: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

    func signal(_ number: Int32) {
        if isRunning { kill(id, number) }
    }

    /// Waits for the end and returns the exit code, or nil when it does not end within the limit.
    func wait(seconds: Double) async -> Int32? {
        await withTaskGroup(of: Int32?.self) { group in
            group.addTask { [ending] in
                for await status in ending { return status }
                return nil
            }
            group.addTask {
                // The limit of the wait.
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            return first.flatMap { $0 }
        }
    }
}
