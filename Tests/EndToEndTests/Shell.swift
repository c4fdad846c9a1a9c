// Running other programs with a time limit, without holding a thread of the test's pool.
//
// Nothing in this process ever touches a path on a mount under test: should the mount hang, the process
// would hang with it, and not even SIGKILL would help. Programs started here do the touching.

import Foundation
import Synchronization

/// How a program ended.
struct ShellResult: Sendable, CustomStringConvertible {
    /// Its exit code; 124 or 137 when it ran out of time.
    var status: Int32
    /// stdout and stderr, as they came.
    var output: String

    var description: String { "exit code \(status)\n\(output)" }
}

/// A program that runs beside a test.
final class RunningProgram: Sendable {
    private let process: Mutex<Process>
    let id: Int32
    /// Where its output goes.
    let outputPath: String
    private let ending: AsyncStream<Int32>

    /// Starts a program; its output goes to a file.
    init(
        _ path: String, _ arguments: [String], environment: [String: String], output: String,
        folder: String
    ) throws {
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        try file.seekToEnd()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = file
        process.standardError = file
        let (ending, ended) = AsyncStream<Int32>.makeStream()
        process.terminationHandler = { process in
            let wasSignalled = process.terminationReason == .uncaughtSignal
            ended.yield(process.terminationStatus + (wasSignalled ? 128 : 0))
            ended.finish()
        }
        try process.run()
        try file.close()
        id = process.processIdentifier
        outputPath = output
        self.ending = ending
        self.process = Mutex(process)
    }

    var isRunning: Bool { process.withLock { $0.isRunning } }

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
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            return first.flatMap { $0 }
        }
    }
}
