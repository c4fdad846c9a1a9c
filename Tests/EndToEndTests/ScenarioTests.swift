// Ordinary programs on a real mount. Each scenario is a shell script in `scenarios`; what it leaves
// on the mount must then be on the server, byte for byte, and come back on a machine that knows
// nothing.

import Foundation
import Glibc
import Testing

/// A script, and how it wants to be run.
struct Scenario: CustomTestStringConvertible, Sendable {
    let name: String
    /// Seconds for the script itself.
    var limit = 120.0
    /// Options for the mount.
    var options: [String] = []
    /// Whether the script mounts by itself.
    var mountsItself = false
    /// Whether only root can run it.
    var needsRoot = false
    /// Whether no other may run beside it: a mount namespace of its own keeps a copy of each mount
    /// of the machine, whose process then outlives its unmount.
    var runsAlone = false

    var testDescription: String { name }

    /// All scripts, those that may take longest first; `# limit:`, `# options:`, `# needs:` and
    /// `# beside:` at their head say the rest. SCENARIO_TURN is `alone` for those alone that run
    /// beside no other, `shared` for the others.
    static let all: [Scenario] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Programs.scenarios)) ?? []
        let environment = ProcessInfo.processInfo.environment
        let (wanted, turn) = (environment["SCENARIO"], environment["SCENARIO_TURN"])
        return names.filter { $0.hasSuffix(".sh") }
            .filter { wanted == nil || $0 == wanted.map { $0 + ".sh" } }
            .sorted().map(Scenario.init(file:))
            .filter { turn == nil || $0.runsAlone == (turn == "alone") }
            .sorted { $0.limit > $1.limit }
    }()

    /// Whether this process is to run it: of the processes that share a folder of claims, the first
    /// that comes to a scenario does.
    func claim() -> Bool {
        guard let claims = ProcessInfo.processInfo.environment["SCENARIO_CLAIMS"] else {
            return true
        }
        return mkdir("\(claims)/\(name)", 0o700) == 0
    }

    private init(file: String) {
        name = String(file.dropLast(3))
        let path = Programs.scenarios + "/" + file
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n").prefix(12) where line.hasPrefix("# ") {
            let parts = line.dropFirst(2).split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let value = parts[1].trimmingCharacters(in: .whitespaces)
            switch parts[0] {
            case "limit": limit = Double(value) ?? limit
            case "options": options = ["-o", value]
            case "needs": needsRoot = value == "root"
            case "beside": runsAlone = value == "nothing"
            case "mounts": mountsItself = value == "itself"
            default: break
            }
        }
    }
}

@Suite(.serialized, .enabled(if: Programs.hasFUSE, "no /dev/fuse here"))
struct ScenarioTests {
    /// The most memory that a mount may take in any scenario.
    private static let memoryLimit: Int64 = 200 << 20

    @Test("what programs do on the mount arrives on the server", arguments: Scenario.all)
    func scenario(_ scenario: Scenario) async throws {
        if scenario.needsRoot && !Programs.isRoot {
            return print("*** skipped: the scenario \(scenario.name) needs root")
        }
        guard scenario.claim() else { return }
        let start = ContinuousClock.now
        defer {
            let seconds = (ContinuousClock.now - start).components.seconds
            print("scenario \(scenario.name): \(seconds) s")
        }
        let bed = try TestBed()
        do {
            try await run(scenario, in: bed)
        } catch {
            let logs = await bed.logs()
            await bed.close()
            // The end of a log is all that some places show: Scripts/run-tests repeats this line.
            print("failed: scenario \(scenario.name)")
            for line in "\(error)".split(separator: "\n").suffix(10) { print("failed: \(line)") }
            Issue.record("\(error)\n\(logs)")
            return
        }
        await bed.close()
    }

    private func run(_ scenario: Scenario, in bed: TestBed) async throws {
        try await bed.startEmulator()
        if !scenario.mountsItself { try await bed.startMount(options: scenario.options) }
        let script = try await bed.run(
            "sh", ["-eux", Programs.scenarios + "/\(scenario.name).sh"], limit: scenario.limit)
        guard script.status == 0 else {
            throw BedError("the script failed with \(script)")
        }
        guard !scenario.mountsItself else { return }
        let sync = try await bed.run(
            Programs.dbxfs, ["sync", bed.mountpoint, "--timeout", "180"], limit: 200)
        guard sync.status == 0 else { throw BedError("sync failed with \(sync)") }
        let comparison = try await bed.compareWithServer()
        guard comparison.status == 0 else {
            throw BedError("mount and server differ: \(comparison)")
        }
        let peak = try #require(try await bed.peakMemory())
        print("scenario \(scenario.name): peak memory \(peak >> 20) MiB")
        #expect(peak < Self.memoryLimit, "\(peak >> 20) MiB of memory at the peak")
        let status = try await bed.stopMount()
        guard status == 0 else { throw BedError("the mount's process ended with \(status ?? -1)") }

        await bed.forgetState()
        try await bed.startMount(options: scenario.options)
        let again = try await bed.compareWithServer()
        guard again.status == 0 else {
            throw BedError("a fresh mount and the server differ: \(again)")
        }
        _ = try await bed.stopMount()
    }
}
