// Random histories: this mount's users and another client change the same small tree, the network
// loses requests and responses, the process stops in the middle and starts again. In the end both
// must show the same tree. A seed that ever failed gets a name of its own in `UploadTests` or
// `ConflictTests` when its cause is known.

import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Synchronization
import TestSupport
import Testing

@testable import Sync

@Suite(.serialized) struct SimulationTests {
    /// Few names, some of which collide by folding, so that histories get in each other's way.
    fileprivate static let names = ["a", "b", "A", "ä", "c.txt"]

    /// Names that some servers take for one, and others for two; the prediction is wrong for some.
    fileprivate static let oddNames = ["ΟΔΟΣ", "οδος", "οδοσ", "İ", "i", "I"]

    /// The local-only names of those histories that have some. Others may use the name, too.
    private static let localName = "o"

    /// Where something is on its way from one place to another.
    private static let between = "/on its way"

    /// The first 30, or as many as the environment's `SIMULATION_SEEDS` names: "100..<2000".
    static let seeds: Range<Int> = {
        let bounds = ProcessInfo.processInfo.environment["SIMULATION_SEEDS"]?
            .split(separator: "..<").compactMap { Int($0) }
        guard let bounds, bounds.count == 2, bounds[0] < bounds[1] else { return 0..<30 }
        return bounds[0]..<bounds[1]
    }()

    @Test(
        "after random changes of both sides and faults of the network, both end with the same tree",
        arguments: SimulationTests.seeds)
    func convergence(seed: Int) async throws {
        _ = try await play(seed)
    }

    @Test(
        "local-only nodes stay on this machine, and stay whole, during random changes of both sides",
        arguments: SimulationTests.seeds)
    func local(seed: Int) async throws {
        let (harness, texts) = try await play(seed, localName: Self.localName)
        #expect(try await harness.localTexts() == texts, "\(harness.history.text)")
        let sent = try await harness.serverTree().values.compactMap(\.self)
        #expect(Set(sent).isDisjoint(with: texts), "\(harness.history.text)")
    }

    @Test(
        "after random changes of both sides, both end with the same tree under every rule of the server's names",
        arguments: SimulationTests.seeds)
    func odd(seed: Int) async throws {
        let foldings = NameFolding.allCases
        let (harness, _) = try await play(seed, folding: foldings[seed / 2 % foldings.count])
        let shown = try await harness.store.read { try $0.allNodes().count }
        #expect(try await harness.serverTree().count == shown, "\(harness.history.text)")
    }

    /// Plays a history until both sides rest. Returns the texts that were local after the last
    /// thing that users did.
    private func play(
        _ seed: Int, localName: String? = nil, folding: NameFolding? = nil
    ) async throws -> (Harness, localTexts: [String]) {
        var random = SeededRandom(seed: UInt64(seed))
        let faults = Faults(seed: seed)
        let harness = try Harness(
            server: Surroundings(seed: seed).server(folding ?? .scalar), localName: localName,
            through: { faults.wrap($0) })
        let names = folding == nil ? harness.names : Self.oddNames
        var localTexts: [String] = []
        try await harness.start()
        for step in 0..<60 {
            let text = "\(seed).\(step)"
            let isUsers = Int.random(in: 0..<5, using: &random) < 3
            do {
                if isUsers {
                    try await local(harness, names, text, &random)
                } else {
                    try await other(harness, names, text, &random)
                }
            } catch {
                // An impossible call, such as for a file in a file, is refused and changes nothing.
            }
            try await harness.checkInvariants()
            if localName != nil {
                // The application of deltas must not change them: only users do.
                let now = try await harness.localTexts()
                if !isUsers { #expect(now == localTexts, "\(step): \(harness.history.text)") }
                localTexts = now
            }
            switch Int.random(in: 0..<30, using: &random) {
            case 0:
                await harness.stop()
            case 1:
                await harness.stop()
                try await harness.start()
            case 2: harness.server.resetCursors()
            case 3: faults.begin()
            case 4: faults.end()
            case 5...12:
                // The engine gets a drawn time for its work; no check depends on it.
                try await Task.sleep(for: .milliseconds(Int.random(in: 0..<8, using: &random)))
            default: break
            }
        }
        faults.end()
        try await harness.closeAll()
        try await harness.settle()
        await harness.stop()
        return (harness, localTexts)
    }

    private func local(
        _ harness: Harness, _ names: [String], _ text: String, _ random: inout SeededRandom
    ) async throws {
        let paths = try await harness.store.read { try $0.allNodes().map(\.0) }
        switch Int.random(in: 0..<14, using: &random) {
        case 0...4: try await harness.write(place(in: paths, of: names, &random), text)
        case 5: try await harness.makeFolder(place(in: paths, of: names, &random))
        case 6...7: try await harness.delete(any(of: paths, &random))
        case 8:
            guard let (path, folder) = inner(of: paths, &random) else { return }
            try await harness.move(path, to: Self.between)
            try await harness.delete(folder)
            try await harness.move(Self.between, to: folder)
        case 9: try await harness.open(any(of: paths, &random))
        case 10: try await harness.closeAll()
        case 11: try await harness.lookAt(any(of: paths, &random))
        default:
            let source = any(of: paths, &random)
            let target = place(in: paths, of: names, &random)
            guard target != source, !target.hasPrefix(source + "/") else { return }
            try await harness.move(source, to: target)
        }
    }

    private func other(
        _ harness: Harness, _ names: [String], _ text: String, _ random: inout SeededRandom
    ) async throws {
        let paths = try await harness.serverTree().keys.sorted()
        switch Int.random(in: 0..<11, using: &random) {
        case 0...4: try await harness.put(place(in: paths, of: names, &random), text)
        case 5: try await harness.putFolder(place(in: paths, of: names, &random))
        case 6...7: try await harness.remove(any(of: paths, &random))
        case 8:
            guard let (path, folder) = inner(of: paths, &random) else { return }
            try await harness.relocate(path, to: Self.between)
            try await harness.remove(folder)
            try await harness.relocate(Self.between, to: folder)
        default:
            try await harness.relocate(
                any(of: paths, &random), to: place(in: paths, of: names, &random))
        }
    }

    private func any(of paths: [String], _ random: inout SeededRandom) -> String {
        paths.randomElement(using: &random) ?? "/none"
    }

    /// Something in a folder, whose place it is to take, and that folder.
    private func inner(
        of paths: [String], _ random: inout SeededRandom
    ) -> (path: String, folder: String)? {
        let deep = paths.filter { $0.split(separator: "/").count > 1 }
        guard let path = deep.randomElement(using: &random) else { return nil }
        return (path, RemotePath(rawValue: path).parent.rawValue)
    }

    /// A name in one of the folders, or below a file, which will refuse.
    private func place(
        in paths: [String], of names: [String], _ random: inout SeededRandom
    ) -> String {
        let shallow = paths.filter { $0.split(separator: "/").count < 4 }
        let folder = Bool.random(using: &random) ? "" : shallow.randomElement(using: &random) ?? ""
        return folder + "/" + (names.randomElement(using: &random) ?? "a")
    }
}

extension Harness {
    /// The names that histories use.
    fileprivate var names: [String] { SimulationTests.names + (localName.map { [$0] } ?? []) }
}

/// The properties of a history's server.
private struct Surroundings {
    /// Each seed is another one, every fortieth the same.
    init(seed: Int) {
        isFar = seed % 2 == 1
        isBig = seed % 4 >= 2
        refusesToList = seed % 8 >= 6
        takesNoIDs = seed % 5 == 4
    }

    /// Requests and answers are on their way while users go on.
    var isFar: Bool
    /// The listing comes in pages, between which the mount sends.
    var isBig: Bool
    /// All is not listed in one go, only folder by folder.
    var refusesToList: Bool
    /// A change takes the node at its path.
    var takesNoIDs: Bool

    func server(_ folding: NameFolding) -> InMemoryStore {
        InMemoryStore(pageSize: isBig ? 3 : 2000, folding: folding)
    }
}

/// Switches the network's misbehaviour on and off.
private final class Faults: Sendable {
    private let seed: UInt64
    private let surroundings: Surroundings
    private let store = Mutex<FaultInjectingStore?>(nil)

    init(seed: Int) {
        self.seed = UInt64(seed)
        surroundings = Surroundings(seed: seed)
    }

    func wrap(_ server: InMemoryStore) -> any RemoteStoring {
        let faulty = FaultInjectingStore(server, seed: seed)
        faulty.forgetsIDs = surroundings.takesNoIDs
        faulty.distance = surroundings.isFar ? 0.006 : 0
        store.withLock { $0 = faulty }
        end()
        return faulty
    }

    func begin() {
        store.withLock { $0 }?.injectRandomly(
            [
                .failBefore(.offline("test")), .failAfter(.offline("test")),
                .failAfter(.server("test")), .failBefore(.rateLimited(retryAfter: 1)),
            ], probability: 0.3)
    }

    func end() {
        guard let faulty = store.withLock({ $0 }) else { return }
        faulty.removeFaults()
        guard surroundings.refusesToList else { return }
        faulty.inject(.failBefore(.server("too much")), times: nil) {
            $0.operation == .list && $0.subject.hasSuffix(FaultInjectingStore.below)
        }
    }
}
