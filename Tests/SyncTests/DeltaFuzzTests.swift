// Pages of a server without consistency: one id for a file and a folder, folders in themselves,
// things at two places, deletions of unknown nodes, between changes of users. Each page must be
// applied or be refused as a contradiction; the rows never contradict each other, and a listing of
// a tree heals the rows. DELTA_PAGES says how many pages (100,000 take two minutes), DELTA_SEED
// where to begin.

import ContentHashing
import Core
import Foundation
import Logging
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync
@testable import Tree

@Suite(.serialized) struct DeltaFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let pages = environment["DELTA_PAGES"].flatMap { Int($0) } ?? 1_000
    /// Ten times what they take on a machine of two cores, and what a busy one or a sanitizer
    /// needs.
    private static let minutes = 5 + pages / 5_000
    private static let firstSeed = environment["DELTA_SEED"].flatMap { Int($0) } ?? 0
    private static let pagesOfHistory = 250

    @Test(
        "after random pages, the rows do not contradict each other, and a listing heals the tree",
        .timeLimit(.minutes(minutes)))
    func randomPages() async throws {
        let count = max(1, Self.pages / Self.pagesOfHistory)
        let seeds = Self.firstSeed..<Self.firstSeed + count
        let refused = try await withThrowingTaskGroup(of: Int.self) { group in
            for part in 0..<2 {
                group.addTask {
                    var refused = 0
                    for seed in seeds where seed % 2 == part {
                        let history = try RandomPages(seed: seed)
                        refused += try await history.play(pages: Self.pagesOfHistory)
                    }
                    return refused
                }
            }
            return try await group.reduce(0, +)
        }
        print("*** pages that were refused as contradictions: \(refused)")
    }
}

/// One history of pages and of what users do.
private final class RandomPages {
    private static let names = ["a", "b", "A", "\u{e4}", "c.txt"]

    private let seed: Int
    private let harness: Harness
    private var random: SeededRandom
    private var told: [String] = []
    /// Every other history has ids that are a file's once and a folder's then.
    private var keepsKinds: Bool { seed / 2 % 2 == 0 }
    /// Every third one has users.
    private var hasUsers: Bool { seed % 3 != 0 }

    init(seed: Int) throws {
        self.seed = seed
        harness = try Harness()
        random = SeededRandom(seed: UInt64(seed))
    }

    /// Returns how many pages were contradictions.
    func play(pages: Int) async throws -> Int {
        defer { try? FileManager.default.removeItem(atPath: harness.folder) }
        var refused = 0
        for page in 0..<pages {
            if hasUsers, Int.random(in: 0..<3, using: &random) == 0 {
                do { try await use(page) } catch is Refused {}
                try await check()
            }
            let entries = page % 20 == 19 ? try tree() : try randomEntries()
            told.append("\(page): " + entries.map(\.summary).joined(separator: ", "))
            switch Int.random(in: 0..<8, using: &random) {
            case 0: try await look(entries)
            case 1: try await list(entries)
            default: refused += try await hear(entries) ? 0 : 1
            }
            try await check()
        }
        try await heal()
        try harness.store.close()
        return refused
    }

    // MARK: What the mount does with pages

    private func context(isListing: Bool = false) -> DeltaContext {
        DeltaContext(
            openFiles: harness.openFiles, staging: harness.staging, now: .now(), date: .now(),
            host: "here", isListing: isListing, isTreeComplete: true)
    }

    /// As the changes; where they contradict, all is listed, and that may contradict as well.
    private func hear(_ entries: [RemoteEntry]) async throws -> Bool {
        let context = context()
        do {
            try await harness.store.write { transaction in
                var applier = try DeltaApplier(transaction: transaction, context: context)
                try applier.apply(entries, isFeed: true)
                try applier.feedCaughtUp()
            }
            return true
        } catch {
            guard MetadataStore.isContradiction(error) else { throw error }
            try await list(entries)
            return false
        }
    }

    private func look(_ entries: [RemoteEntry]) async throws {
        try await harness.store.bringIn(context()) { transaction, context in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
        }
    }

    @discardableResult
    private func list(_ entries: [RemoteEntry]) async throws -> Int {
        try await harness.store.bringIn(context(isListing: true)) { transaction, context in
            try transaction.beginListing()
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries)
            try applier.removeUnseen()
            try applier.feedCaughtUp()
            return applier.outcome.leftOut
        }
    }

    private func check() async throws {
        let broken = try await harness.store.read { try $0.brokenInvariants() }
        guard !broken.isEmpty else { return }
        let nodes = try await harness.store.read { try $0.describeNodes() }
        Issue.record(
            """
            seed \(seed): \(broken.map(\.description).joined(separator: "; "))
            \(nodes)
            \(told.suffix(4).joined(separator: "\n"))
            \(harness.history.text)
            """)
        throw BrokenInvariants()
    }

    /// A tree that can be, listed as a whole, is shown as it is, after any earlier pages.
    private func heal() async throws {
        try await harness.closeAll()
        let entries = try tree()
        #expect(try await list(entries) == 0, "seed \(seed)")
        try await check()
        guard !hasUsers else { return }
        let shown = try await harness.store.read { try $0.allNodes().map(\.0) }
        let there = entries.map(\.foldedPath.rawValue).sorted()
        #expect(shown.map { Folding.fold($0) }.sorted() == there, "seed \(seed)")
    }

    // MARK: Pages

    private func randomEntries() throws -> [RemoteEntry] {
        try (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let depth = [1, 1, 2, 2, 3, 4].randomElement(using: &random) ?? 1
            let path = (0..<depth).map { _ in Self.names.randomElement(using: &random) ?? "a" }
            let number = Int.random(in: 0..<8, using: &random)
            let isFolder = keepsKinds ? number % 2 == 0 : Bool.random(using: &random)
            let isDeletion = Int.random(in: 0..<4, using: &random) == 0
            return try entry(path, isDeletion ? .deleted : kind(number, isFolder: isFolder))
        }
    }

    /// A tree that a server can have: each folder before its content, each id once.
    private func tree() throws -> [RemoteEntry] {
        var folders: [[String]] = [[]]
        var taken: Set<String> = []
        var entries: [RemoteEntry] = []
        for number in 0..<Int.random(in: 0...8, using: &random) {
            let path =
                (folders.randomElement(using: &random) ?? [])
                + [Self.names.randomElement(using: &random) ?? "a"]
            guard taken.insert(Folding.fold(path.joined(separator: "/"))).inserted else { continue }
            let isFolder = keepsKinds ? number % 2 == 0 : Bool.random(using: &random)
            if isFolder { folders.append(path) }
            try entries.append(entry(path, kind(number, isFolder: isFolder)))
        }
        return entries
    }

    private func kind(_ number: Int, isFolder: Bool) -> RemoteEntry.Kind {
        if isFolder { return .folder(RemoteFolder(id: FileID("id:\(number)"))) }
        let version = Int.random(in: 0..<3, using: &random)
        return .file(
            RemoteFile(
                id: FileID("id:\(number)"), revision: Revision("\(number)-\(version)"),
                hash: ContentHash(bytes: [UInt8](repeating: UInt8(version), count: 32)), size: 5,
                clientModified: WallTime(seconds: 1), serverModified: WallTime(seconds: 1),
                symbolicLinkTarget: Int.random(in: 0..<8, using: &random) == 0
                    ? LinkTarget("t") : nil))
    }

    private func entry(_ path: [String], _ kind: RemoteEntry.Kind) throws -> RemoteEntry {
        let folded = path.map { Folding.fold($0) }
        let name = try FileName(path.last ?? "a", key: folded.last)
        return RemoteEntry(
            foldedPath: RemotePath(rawValue: "/" + folded.joined(separator: "/")),
            name: name, kind: kind)
    }

    // MARK: Users

    private func use(_ page: Int) async throws {
        let paths = try await harness.store.read { try $0.allNodes().map(\.0) }
        let path = paths.randomElement(using: &random) ?? "/a"
        let folder = Bool.random(using: &random) ? "" : path
        let target = folder + "/" + (Self.names.randomElement(using: &random) ?? "a")
        switch Int.random(in: 0..<8, using: &random) {
        case 0 where !paths.contains { $0 != target && Folding.fold($0) == Folding.fold(target) }:
            try await harness.write(target, "\(seed).\(page)")
        case 0, 1: try await harness.makeFolder(target)
        case 2, 3: try await harness.delete(path)
        case 4: try await harness.open(path)
        case 5: try await harness.closeAll()
        default:
            guard target != path, !target.hasPrefix(path + "/") else { return }
            try await harness.move(path, to: target)
        }
    }
}
