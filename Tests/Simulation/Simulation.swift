// The command: plays the histories of a range of seeds, in several processes, and shortens those
// that break a rule.
//
//     Simulation --seeds 0..<1000 [--jobs 2] [--steps 40] [--twice] [--until-broken] [--no-shrink] [--show]
//     Simulation --seeds 7,19,300 [--variations 1..<200]
//     Simulation --known [--seeds 0..<3] [--variations 1..<200]
//
// It ends with 1 if a rule was broken. A seed gives the same history on every machine: with --twice
// each is played again, and a difference is a violation, too.

import ArgumentParser
import Foundation
import MetadataStore

@main
struct Simulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Plays random histories of mounts, another client, faults and crashes.")

    @Option(help: "The seeds, as FIRST..<END, or with commas; of known histories their numbers.")
    var seeds: String?
    @Option(help: "Variations of each history, as FIRST..<END; 0 is the history itself.")
    var variations = "0..<1"
    @Option(help: "Processes at a time.")
    var jobs = 1
    @Option(help: "Steps of a history.")
    var steps = 40
    @Flag(help: "Play each history twice and compare.")
    var twice = false
    @Flag(help: "End with the first history that breaks a rule, or computes for half a minute.")
    var untilBroken = false
    @Flag(inversion: .prefixedNo, help: "Shorten a history that breaks a rule.")
    var shrink = true
    @Flag(help: "Play the histories that once broke a rule.")
    var known = false
    @Flag(help: "Print what happens.")
    var show = false
    /// Whether this process plays the histories itself, in an environment for that.
    @Flag(name: .customLong("part"), help: .hidden)
    var isPart = false

    func run() throws {
        let all = known ? "0..<\(Plan.known.count)" : "0..<100"
        let list = try Self.numbers(seeds ?? all)
        guard list.allSatisfy({ !known || $0 < Plan.known.count }) else {
            throw ValidationError("there are \(Plan.known.count) known histories")
        }
        guard isPart else { return try runChildren(list) }
        var player = try Player(
            steps: steps, isTwice: twice, endsEarly: untilBroken, shrinks: shrink, show: show)
        let variations = try Self.numbers(variations)
        let failed: Bool
        if known, variations == [0] {
            failed = player.playKnown(list)
        } else {
            failed = player.play(list, areKnown: known, variations: variations)
        }
        if failed { throw ExitCode(1) }
    }

    private func runChildren(_ list: [UInt64]) throws {
        let count = max(1, min(jobs, list.count))
        let share = (list.count + count - 1) / count
        var children: [Process] = []
        for first in stride(from: 0, to: list.count, by: share) {
            let part = list[first..<min(first + share, list.count)]
            let child = Process()
            child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            child.arguments = ["--part", "--seeds", Self.text(of: part), "--steps", "\(steps)"]
            child.arguments? += ["--variations", variations]
            if twice { child.arguments?.append("--twice") }
            if untilBroken { child.arguments?.append("--until-broken") }
            if !shrink { child.arguments?.append("--no-shrink") }
            if known { child.arguments?.append("--known") }
            if show { child.arguments?.append("--show") }
            var environment = ProcessInfo.processInfo.environment
            // The order of dictionaries must not depend on the process.
            environment["SWIFT_DETERMINISTIC_HASHING"] = "1"
            // Memory is not given back to the system after each history.
            environment["MALLOC_TRIM_THRESHOLD_"] = "1000000000"
            environment["MALLOC_ARENA_MAX"] = "1"
            child.environment = environment
            try child.run()
            children.append(child)
        }
        var failed = false
        for child in children {
            child.waitUntilExit()
            let status = child.terminationStatus
            if child.terminationReason == .uncaughtSignal { print("ended by signal \(status)") }
            if status != 0 { failed = true }
        }
        if failed { throw ExitCode(1) }
    }
}

extension Simulation {
    /// The numbers of an option.
    fileprivate static func numbers(_ text: String) throws -> [UInt64] {
        let bounds = text.components(separatedBy: "..<").compactMap { UInt64($0) }
        if bounds.count == 2, bounds[0] < bounds[1] { return Array(bounds[0]..<bounds[1]) }
        let texts = text.components(separatedBy: ",")
        let list = texts.compactMap { UInt64($0) }
        guard list.count == texts.count else {
            throw ValidationError("numbers are FIRST..<END, or have commas between them")
        }
        return list
    }

    /// The option for these seeds.
    fileprivate static func text(of seeds: ArraySlice<UInt64>) -> String {
        guard let first = seeds.first, let last = seeds.last, last >= first,
            last - first == UInt64(seeds.count - 1)
        else { return seeds.map(String.init).joined(separator: ",") }
        return "\(first)..<\(last + 1)"
    }
}

/// Plays histories one after the other in this process.
struct Player {
    let steps: Int
    let isTwice: Bool
    let endsEarly: Bool
    let shrinks: Bool
    let show: Bool
    private let scheduler = Scheduler()
    /// One for each mount, for all histories: a new connection would compile its statements anew.
    private let databases: [MemoryDatabase]
    private var counts: [String: Int] = [:]

    init(
        steps: Int, isTwice: Bool, endsEarly: Bool, shrinks: Bool, show: Bool
    ) throws {
        self.steps = steps
        self.isTwice = isTwice
        self.endsEarly = endsEarly
        self.shrinks = shrinks
        self.show = show
        databases = try (0..<Plan.mostMounts).map { _ in try MemoryDatabase() }
        scheduler.install()
    }

    /// Plays variations of histories, which have a seed, or a number among the known ones. Returns
    /// whether a rule was broken.
    mutating func play(_ numbers: [UInt64], areKnown: Bool, variations: [UInt64]) -> Bool {
        let start = Date()
        var failures = 0
        played: for number in numbers {
            for variation in variations {
                let original =
                    areKnown ? Plan.known[Int(number)].plan : Plan(seed: number, steps: steps)
                let name = variation == 0 ? "\(number)" : "\(number) variation \(variation)"
                if breaksRule(original.varied(variation), name) { failures += 1 }
                if endsEarly, failures > 0 { break played }
            }
        }
        let seconds = Date().timeIntervalSince(start)
        let facts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print(
            "\(numbers.count * variations.count) histories in \(Int(seconds)) s, "
                + "\(failures) broken; " + facts.joined(separator: ", "))
        return failures > 0
    }

    private mutating func breaksRule(_ plan: Plan, _ name: String) -> Bool {
        if endsEarly {
            beginWatch()
            print("at \(name)")
            fflush(nil)
        }
        let (violation, digest) = play(plan, verbose: show)
        if let violation {
            report(plan, name, violation)
            return true
        }
        guard isTwice, play(plan, verbose: false).digest != digest else { return false }
        print("seed \(name): two runs differ")
        return true
    }

    /// Lets a history that computes for half a minute end the process: a broken program may trap or
    /// hang. One that waits for other programs has longer.
    private func beginWatch() {
        var limit = itimerval()
        limit.it_value.tv_sec = 30
        setitimer(Int32(ITIMER_VIRTUAL.rawValue), &limit, nil)
        alarm(600)
    }

    /// The seeds under which each of the known histories is played: a change of the program may
    /// give its jobs another order, which no longer reaches what the first one did.
    private static let seedsOfKnown: UInt64 = 5

    /// Plays the histories that once broke a rule. Returns whether one does now.
    mutating func playKnown(_ numbers: [UInt64]) -> Bool {
        var isBroken = false
        for (name, known) in numbers.map({ Plan.known[Int($0)] }) {
            if endsEarly { beginWatch() }
            var violation: Violation?
            for number in 0..<Self.seedsOfKnown where violation == nil {
                var plan = known
                // An odd seed stays one: it says something of the server.
                plan.seed += 2 * number
                violation = play(plan, verbose: show).violation
            }
            print("\(violation.map { "✘ \($0)" } ?? "✔") \(name)")
            fflush(nil)
            isBroken = isBroken || violation != nil
            if endsEarly, isBroken { break }
        }
        return isBroken
    }

    private mutating func play(
        _ plan: Plan, verbose: Bool
    ) -> (violation: Violation?, digest: UInt64) {
        var violation: Violation?
        do {
            let world = try World(
                plan, databases: databases, scheduler: scheduler, verbose: verbose)
            do {
                try world.play()
            } catch let broken as Violation {
                violation = broken
            } catch {
                violation = Violation(rule: "error", detail: "\(error)")
            }
            if verbose { print(world.lines.joined(separator: "\n")) }
            counts.merge(world.counts, uniquingKeysWith: +)
            counts["tokens", default: 0] += world.ledger.total
            counts["requests", default: 0] += world.mounts.map(\.requests).reduce(0, +)
        } catch {
            violation = Violation(rule: "error", detail: "\(error)")
        }
        return (violation, scheduler.digest)
    }

    private mutating func report(_ plan: Plan, _ name: String, _ violation: Violation) {
        print("seed \(name): \(violation)")
        fflush(nil)
        guard shrinks else { return }
        var copy = self
        var shrinking = Shrinking { copy.play($0, verbose: false).violation }
        let (shortest, cause) = shrinking.shortest(plan, violation)
        print("shortened to \(shortest.steps.count) steps: \(cause)")
        print(shortest.source)
        _ = play(shortest, verbose: true)
    }
}

extension Plan {
    /// The plan as Swift, for a test of its own.
    var source: String {
        """
        Plan(seed: \(seed), mounts: \(mounts), pageSize: \(pageSize), distance: \(distance), \
        refusesIDs: \(refusesIDs), compaction: .\(compaction), keepsNames: \(keepsNames), \
        moveLimit: \(moveLimit), isLate: \(isLate), \
        folding: .\(folding), faults: \(faults), \
        isHurried: \(isHurried), pause: \(pause), sharesModes: \(sharesModes), \
        blockSize: \(blockSize), steps: [
        \(steps.map { "    .\($0),".replacing(/Simulation\.\w+\./, with: ".") }.joined(separator: "\n"))
        ])
        """
    }
}
