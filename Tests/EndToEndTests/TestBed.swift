// One test's world: a folder, an emulator, mounts, and the certainty that all of it is gone
// afterwards.

import Foundation
import Testing

/// An emulated account and mounts of it, in a temporary folder.
///
/// `close()` must be called; it ends the processes that are left, by force if need be.
actor TestBed {
    nonisolated let folder: String
    nonisolated let mountpoint: String
    /// Variables for dbxfs and for scenarios.
    private(set) var environment: [String: String]
    private var emulator: RunningProgram?
    private var mount: RunningProgram?
    private var outputs = 0

    /// Two clients of one account.
    static let token = "emulator-token"
    static let otherToken = "second-client"

    init() throws {
        let name = "dbxfs-e2e-" + UUID().uuidString.prefix(8)
        folder =
            URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appendingPathComponent(String(name)).path
        mountpoint = folder + "/mnt"
        for path in [mountpoint, folder + "/work", folder + "/home"] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        let inherited = ProcessInfo.processInfo.environment
        environment = [
            "PATH": "\(Programs.folder):" + (inherited["PATH"] ?? "/usr/bin:/bin"),
            "LANG": "C.UTF-8", "HOME": folder + "/home", "TMPDIR": folder + "/work",
            "MNT": mountpoint, "WORK": folder + "/work", "TOOLS": Programs.scenarios + "/tools",
            "DBXFS": Programs.dbxfs, "EMULATOR": Programs.emulator,
            "EMULATOR_STATE": folder + "/dropbox", "EMULATOR_PID_FILE": folder + "/emulator.pid",
            "TOKEN": Self.token, "TOKEN2": Self.otherToken,
            "DBXFS_ACCESS_TOKEN": Self.token, "DBXFS_STATE_DIR": folder + "/state",
            "DBXFS_CACHE_DIR": folder + "/cache", "DBXFS_LOG_LEVEL": "debug",
            // Further options of each emulator, such as other answers to what the specification
            // leaves open.
            "EMULATOR_OPTIONS": inherited["EMULATOR_OPTIONS"] ?? "",
        ]
        // How long a random scenario is, and which one.
        for name in [
            "CRASH_ROUNDS", "CRASH_SEED", "FAULT_MODES", "FAULT_FROM", "FAULT_TO", "FAULT_STRIDE",
            "FAULT_VARIANT", "FAULT_LIE", "STORM_CHANGES", "STORM_SECONDS", "STORM_MOUNTS",
            "STORM_SEED", "TORTURE_SEEDS", "TORTURE_KEEP", "POWERCUT_CUTS", "POWERCUT_SEED",
            "POWERCUT_KEEP", "POWERCUT_FAILS_BY", "REQUESTS_SECONDS", "REQUESTS_SEED",
            "REQUESTS_KEEP", "KEEP_STATE",
        ] { environment[name] = inherited[name] }
    }

    // MARK: Parts

    /// Starts the emulator on a free port.
    func startEmulator() async throws {
        let program = try RunningProgram(
            Programs.emulator,
            [
                "--port", "0", "--state", folder + "/dropbox", "--token", Self.token, "--token",
                Self.otherToken,
            ] + emulatorOptions, environment: environment, output: folder + "/emulator.log")
        emulator = program
        let address = try await poll("the emulator listens", seconds: 30) {
            program.output.split(separator: "\n")
                .first { $0.hasPrefix("listening on ") }
                .map { String($0.dropFirst("listening on ".count)) }
        }
        environment["DBXFS_ENDPOINT"] = address
        environment["ADMIN"] = address + "/admin"
        environment["ENDPOINT"] = address
        environment["PORT"] = address.split(separator: ":").last.map(String.init)
        try "\(program.id)".write(
            toFile: folder + "/emulator.pid", atomically: true, encoding: .utf8)
    }

    private var emulatorOptions: [String] {
        environment["EMULATOR_OPTIONS", default: ""].split(separator: " ").map(String.init)
    }

    /// Mounts in the foreground, in a process of its own, and waits until the mount answers.
    func startMount(options: [String] = []) async throws {
        outputs += 1
        let program = try RunningProgram(
            Programs.dbxfs, ["mount", "--foreground", mountpoint] + options,
            environment: environment, output: folder + "/mount-\(outputs).log")
        mount = program
        _ = try await poll("the mount is there", seconds: 60) {
            guard program.isRunning else { throw BedError("the mount ended: " + program.output) }
            return Mounts.below(self.folder).isEmpty ? nil : true
        }
        let answer = try await run("stat", [mountpoint], limit: 30)
        try #require(answer.status == 0, "the mount does not answer: \(answer)")
        // The files come before the commands.
        _ = try await poll("the mount hears commands", seconds: 60) {
            try await run(Programs.dbxfs, ["status", mountpoint], limit: 30).status == 0
                ? true : nil
        }
    }

    /// Unmounts as users do, and returns the exit code of the process that served the mount.
    func stopMount() async throws -> Int32? {
        let result = try await run(Programs.dbxfs, ["unmount", mountpoint], limit: 180)
        #expect(result.status == 0, "unmount: \(result)")
        defer { mount = nil }
        return await mount?.wait(seconds: 30)
    }

    /// From now on, mounts know nothing of what earlier ones cached or queued.
    func forgetState() {
        environment["DBXFS_STATE_DIR"] = folder + "/state-fresh"
        environment["DBXFS_CACHE_DIR"] = folder + "/cache-fresh"
    }

    // MARK: Looking

    /// Runs a program with a limit; all that it started in its group ends with it.
    func run(
        _ program: String, _ arguments: [String], limit: Double,
        variables: [String: String?] = [:]
    ) async throws -> ShellResult {
        outputs += 1
        var environment = environment
        for (name, value) in variables { environment[name] = value }
        let running = try RunningProgram(
            "/usr/bin/timeout", ["--kill-after=5", "\(limit)", program] + arguments,
            environment: environment, output: folder + "/output-\(outputs)")
        if let status = await running.wait(seconds: limit + 15) {
            return ShellResult(status: status, output: running.output)
        }
        // Not even SIGKILL has ended it: it waits in the kernel for an answer of the mount.
        Mounts.abort(Mounts.below(folder))
        _ = await running.wait(seconds: 15)
        return ShellResult(status: 137, output: running.output + "\n[hung; connection aborted]")
    }

    /// Compares the mount with the emulator's tree, by content hash.
    func compareWithServer() async throws -> ShellResult {
        try await run(
            "python3", [Programs.scenarios + "/tools/compare.py", mountpoint], limit: 600)
    }

    /// The most memory that the process behind the mount has occupied, in bytes, without the pages
    /// of its program: how many of those are in memory is the kernel's choice, and a debug build
    /// has several times those of a release.
    func peakMemory() throws -> Int64? {
        guard let mount, mount.isRunning else { return nil }
        let status = try String(contentsOfFile: "/proc/\(mount.id)/status", encoding: .utf8)
        func bytes(_ field: String) -> Int64? {
            status.split(separator: "\n").first { $0.hasPrefix(field) }
                .flatMap { $0.split(separator: " ").dropFirst().first }
                .flatMap { Int64($0) }
                .map { $0 * 1024 }
        }
        guard let peak = bytes("VmHWM:"), let program = bytes("RssFile:") else { return nil }
        return peak - program
    }

    /// The last lines of everything that was logged, for a failure's report.
    func logs() -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let paths =
            names.filter { $0.hasSuffix(".log") }.map { folder + "/" + $0 }
            + ["state", "state-fresh"].map { folder + "/\($0)/default/dbxfs.log" }
        return paths.sorted().compactMap { path in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8), !text.isEmpty
            else { return nil }
            return "--- \(path)\n" + text.split(separator: "\n").suffix(60).joined(separator: "\n")
        }
        .joined(separator: "\n")
    }

    // MARK: The end

    /// Ends everything that is left, and removes the folder.
    func close() async {
        mount?.signal(SIGTERM)
        _ = await mount?.wait(seconds: 20)
        let left = Mounts.below(folder)
        Mounts.abort(left)
        for program in [mount, emulator].compactMap({ $0 }) { program.signal(SIGKILL) }
        for id in startedProcesses { kill(id, SIGKILL) }
        _ = await emulator?.wait(seconds: 10)
        // The folder is removed only when no mount is left in it: else files would go.
        if Mounts.below(folder).isEmpty {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    /// The processes that scenarios have started: mounts, by their locks, and emulators.
    private var startedProcesses: [Int32] {
        var ids: [Int32] = []
        if let text = try? String(contentsOfFile: folder + "/emulator.pid", encoding: .utf8),
            let id = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
        {
            ids.append(id)
        }
        let files = FileManager.default.enumerator(atPath: folder)
        while let file = files?.nextObject() as? String {
            guard file.hasSuffix("/lock"),
                let data = FileManager.default.contents(atPath: folder + "/" + file),
                let holder = try? JSONDecoder().decode(LockHolder.self, from: data)
            else { continue }
            ids.append(holder.pid)
        }
        let ours = [Programs.dbxfs, Programs.emulator]
            .map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        // Process numbers are used again: only those that still run our programs are meant.
        return ids.filter { id in
            let program = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(id)/exe")
            return program.map { ours.contains($0) } ?? false
        }
    }
}

private struct LockHolder: Decodable {
    var pid: Int32
}

/// Why a test's world cannot be had.
struct BedError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Asks again and again until there is an answer.
func poll<Answer: Sendable>(
    _ what: String, seconds: Double, _ ask: () async throws -> Answer?
) async throws -> Answer {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
        if let answer = try await ask() { return answer }
        try await Task.sleep(for: .milliseconds(20))
    }
    throw BedError("waited \(seconds) s in vain until \(what)")
}
