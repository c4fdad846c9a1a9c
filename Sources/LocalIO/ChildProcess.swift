// Running other programs with posix_spawn: fork is not safe in a process with threads.

package import CLibrary
import Saturating
package import SystemPackage

/// Why a program could not be started.
package struct ChildProcessError: Error, Hashable, Sendable {
    /// The program or pipe, and the system's reason.
    package let message: String
}

/// A program that this process started.
package struct ChildProcess: Sendable {
    /// Process ID of the child.
    package let id: pid_t

    /// How a program ended.
    package struct Outcome: Sendable {
        /// Its exit code; 128 + the signal's number if it was killed, as in shells.
        package var status: Int32
        /// Its output on stdout, where that is read.
        package var output = ""
        /// Its output on stderr.
        package var errors: String
    }

    /// Descriptors for a new program, by their numbers there.
    package typealias Descriptors = [Int32: FileDescriptor]

    /// Starts a program.
    ///
    /// - Parameter descriptors: The child's descriptors; 0, 1 and 2 are /dev/null unless given. All
    ///   others are closed if they were opened with `closeOnExec`.
    /// - Parameter isDetached: Whether it gets a session of its own, away from this terminal.
    package static func start(
        _ path: String, _ arguments: [String], environment: [String: String]? = nil,
        descriptors: Descriptors, isDetached: Bool
    ) throws(ChildProcessError) -> ChildProcess {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for number in Int32(0)...2 where descriptors[number] == nil {
            posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
        }
        for (number, descriptor) in descriptors.sorted(by: { $0.key < $1.key }) {
            posix_spawn_file_actions_adddup2(&actions, descriptor.rawValue, number)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        setSignals(of: &attributes, isDetached: isDetached)

        let variables = (environment ?? ProcessVariables.all).map { $0.key + "=" + $0.value }
        var id = pid_t()
        let status = withCStrings([path] + arguments) { argumentVector in
            withCStrings(variables) { variableVector in
                posix_spawn(&id, path, &actions, &attributes, argumentVector, variableVector)
            }
        }
        guard status == 0 else {
            throw ChildProcessError(
                message: "\(path) could not be started: \(Errno(rawValue: status))")
        }
        return ChildProcess(id: id)
    }

    /// The child must not inherit this process's blocked and ignored signals, nor, if it is
    /// detached, its session.
    private static func setSignals(of attributes: inout posix_spawnattr_t, isDetached: Bool) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ] {
            sigaddset(&defaults, number)
        }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // POSIX_SPAWN_SETSID of glibc's spawn.h, which the importer leaves out.
        let detached: Int32 = isDetached ? 0x80 : 0
        posix_spawnattr_setflags(
            &attributes,
            Int16(
                clamping: Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | detached))
    }

    /// Runs a program from the search path to its end. Status 127: no such program.
    package static func run(_ name: String, _ arguments: [String]) throws(ChildProcessError)
        -> Outcome
    {
        guard let (child, errors) = try begin(name, arguments) else { return missing(name) }
        let text = errors.readToEnd()
        return Outcome(status: child.wait(), errors: text)
    }

    /// Runs a program that may hang; nil if it takes longer than so many seconds. Its output must
    /// be English (LC_ALL=C) and short.
    package static func run(
        _ name: String, _ arguments: [String], within seconds: Double
    ) throws(ChildProcessError) -> Outcome? {
        let environment = ProcessVariables.all.merging(["LC_ALL": "C"]) { $1 }
        guard let (child, errors) = try begin(name, arguments, environment) else {
            return missing(name)
        }
        guard let status = child.wait(seconds: seconds) else {
            child.end(by: SIGKILL)
            try? errors.reading.close()
            return nil
        }
        return Outcome(status: status, errors: errors.readToEnd())
    }

    /// Starts a program from the search path with a pipe on stderr; nil if there is no such
    /// program.
    private static func begin(
        _ name: String, _ arguments: [String], _ environment: [String: String]? = nil
    ) throws(ChildProcessError) -> (child: ChildRun, errors: DescriptorPipe)? {
        guard let path = find(name) else { return nil }
        let errors = try DescriptorPipe()
        var isStarted = false
        defer { errors.leaveToChild(isStarted: isStarted) }
        let child = ChildRun()
        isStarted = try child.start(
            path, arguments, environment: environment, descriptors: [2: errors.writing],
            isDetached: false)
        return (child, errors)
    }

    private static func missing(_ name: String) -> Outcome {
        Outcome(status: 127, errors: "\(name): not found")
    }

    /// The path of a program, from `PATH` and the folders of system tools; or from another search
    /// path alone.
    package static func find(_ name: String, in path: String? = nil) -> String? {
        let folders = (path ?? ProcessVariables.all["PATH"] ?? "").split(separator: ":")
            .map(String.init)
        let systemFolders = path == nil ? ["/usr/bin", "/bin", "/usr/local/bin"] : []
        return [folders, systemFolders].joined()
            .map { $0 + "/" + name }
            .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }

    /// The path of this process's executable.
    package static var ownPath: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count -| 1)
        return count > 0 ? text(of: buffer) : CommandLine.arguments[0]
    }

    /// Sends SIGTERM to the child.
    package func terminate() {
        kill(id, SIGTERM)
    }

    /// Waits for its end and returns its exit code, or 128 + the number of the signal that killed
    /// it.
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0 {
            if errno != EINTR { return 0 }
        }
        return Self.exitCode(status)
    }

    /// Waits for its end, after which `id` is still its own until `wait()`.
    func waitUnreaped() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(clamping: id), &information, WEXITED | WNOWAIT) < 0 {
            // Else the system has reaped it, where SIGCHLD is ignored.
            if errno != EINTR { return }
        }
    }

    /// Like `wait()`; nil if it has not ended after so many seconds.
    package func wait(seconds: Double) -> Int32? {
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: seconds))
        var status: Int32 = 0
        while true {
            let ended = waitpid(id, &status, WNOHANG)
            if ended == id { return Self.exitCode(status) }
            // As in `wait()`: the system has reaped it, where SIGCHLD is ignored.
            if ended < 0, errno != EINTR { return 0 }
            guard ContinuousClock.now < end else { return nil }
            usleep(5000)
        }
    }

    private static func exitCode(_ status: Int32) -> Int32 {
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 +| signal
    }
}

private func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
    let copies = strings.map { strdup($0) }
    defer { copies.forEach { free($0) } }
    return body(copies + [nil])
}
