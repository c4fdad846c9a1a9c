// One run of a program that may hang, which other threads wait for and end. Not responsible for how
// a program is started (`ChildProcess`), nor for when a run has taken too long.

import Blocking
import CLibrary
import Saturating
import Synchronization
import SystemPackage

/// One run of a program, which any thread can end at any time.
///
/// A thread waits for the process, so a killed one leaves nothing behind, however long a hung
/// filesystem keeps it.
package final class ChildRun: Sendable {
    private enum State {
        case prepared
        case running(ChildProcess)
        /// With the exit code.
        case ended(Int32)
    }

    private let state = Mutex(State.prepared)
    private let hasEnded = Latch()

    /// Prepares a run, which can be ended from now on.
    package init() {}

    /// Starts the program, once, with the parameters of `ChildProcess.start`. False, and no
    /// process, if the run was ended before.
    package func start(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil,
        descriptors: ChildProcess.Descriptors, isDetached: Bool
    ) throws(ChildProcessError) -> Bool {
        // Under the lock, so that no process is started that `end` does not find.
        let started = try state.withLock { (state) throws(ChildProcessError) -> ChildProcess? in
            guard case .prepared = state else { return nil }
            let child = try ChildProcess.start(
                path, arguments, environment: environment, descriptors: descriptors,
                isDetached: isDetached)
            state = .running(child)
            return child
        }
        guard let child = started else { return false }
        WorkerThread.start { [self] in reap(child) }
        return true
    }

    /// Sends a signal to the process; a run that has none yet will have none. SIGKILL does not end
    /// a process that waits for a hung mount until that answers.
    package func end(by signal: Int32) {
        let isEnd = state.withLock { state in
            switch state {
            case .running(let child): kill(child.id, signal)
            case .ended: break
            case .prepared:
                state = .ended(128 +| signal)
                return true
            }
            return false
        }
        if isEnd { hasEnded.set() }
    }

    /// Waits for the end of a run that was started or ended. Returns the exit code, or 128 + the
    /// number of the signal that killed the process, or would have.
    package func wait() -> Int32 {
        hasEnded.wait()
        return status
    }

    /// Like `wait()`; nil if it has not ended after so many seconds.
    package func wait(seconds: Double) -> Int32? {
        hasEnded.wait(seconds: seconds) ? status : nil
    }

    private var status: Int32 {
        state.withLock { state in
            if case .ended(let status) = state { status } else { 0 }
        }
    }

    private func reap(_ child: ChildProcess) {
        child.waitUnreaped()
        // Under the lock: from here on the number may be another process's, which `end` must not
        // signal.
        state.withLock { $0 = .ended(child.wait()) }
        hasEnded.set()
    }
}

extension ChildRun {
    /// Runs a program to its end, and reads what it writes. Nil if the run was ended before its
    /// start.
    ///
    /// - Parameter input: Its input, 4 KiB at most: a pipe has room for that, so this does not
    ///   block.
    package func run(
        _ path: String, _ arguments: [String], environment: [String: String], input: String
    ) throws(ChildProcessError) -> ChildProcess.Outcome? {
        guard let (output, errors) = try begin(path, arguments, environment, input) else {
            return nil
        }
        // At the same time: either may be more than a pipe holds.
        let messages = Mutex("")
        let isRead = Latch()
        WorkerThread.start {
            let text = errors.readToEnd()
            messages.withLock { $0 = text }
            isRead.set()
        }
        let text = output.readToEnd()
        isRead.wait()
        return ChildProcess.Outcome(
            status: wait(), output: text, errors: messages.withLock { $0 })
    }

    /// Starts a program in a session of its own, without a terminal, which reads a text; what it
    /// writes is dropped. False, and no process, if the run was ended before.
    ///
    /// - Parameter input: Its input, 4 KiB at most, as of `run`.
    package func startDetached(
        _ path: String, _ arguments: [String], input: String
    ) throws(ChildProcessError) -> Bool {
        let reading = try Self.pipe(holding: input)
        defer { try? reading.close() }
        return try start(path, arguments, descriptors: [0: reading], isDetached: true)
    }

    /// The end for reading of a pipe that has a text, and then ends.
    private static func pipe(holding text: String) throws(ChildProcessError) -> FileDescriptor {
        let pipe = try DescriptorPipe()
        _ = try? pipe.writing.writeAll(text.utf8)
        try? pipe.writing.close()
        return pipe.reading
    }

    /// Starts the program with pipes on all three descriptors.
    private func begin(
        _ path: String, _ arguments: [String], _ environment: [String: String], _ text: String
    ) throws(ChildProcessError) -> (output: DescriptorPipe, errors: DescriptorPipe)? {
        var isStarted = false
        let input = try Self.pipe(holding: text)
        defer { try? input.close() }
        let output = try DescriptorPipe()
        defer { output.leaveToChild(isStarted: isStarted) }
        let errors = try DescriptorPipe()
        defer { errors.leaveToChild(isStarted: isStarted) }
        isStarted = try start(
            path, arguments, environment: environment,
            descriptors: [0: input, 1: output.writing, 2: errors.writing],
            isDetached: false)
        return isStarted ? (output, errors) : nil
    }
}
