// The server decides which names are one. With any rule, each of its nodes shows once, no node is
// deleted unseen, new nodes settle, and of two files with one key both stay.

import ContentHashing
import Core
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import TestSupport
import Testing

@testable import Sync

/// Names whose folding is no matter of course.
enum OddNames {
    static let words = [
        "ΟΔΟΣ", "ΟΔΟΣ ΟΔΟΣ", "ΟΔΟΣ.TXT", "İstanbul", "I", "ı", "STRASSE", "Straße", "GROẞ",
        "i\u{307}\u{300}", "J\u{307}\u{301}", "\u{13E3}\u{13B3}\u{13A9}", "\u{AB70}",
        "\u{10414}\u{10400}", "\u{1CA1}\u{1C90}", "\u{FB01}n", "\u{212B}ngstrom",
        "\u{212A}elvin", "\u{301}mark", "Ǆ", "ᾈ", "é", "E\u{301}",
    ]

    /// Every scalar whose lower case does not lead back to it, or is more than one scalar.
    static let special = (UInt32(0x80)...0x1FFFF).compactMap(Unicode.Scalar.init).filter { scalar in
        let lower = scalar.properties.lowercaseMapping
        return lower != String(scalar)
            && (lower.unicodeScalars.count != 1
                || lower.unicodeScalars.first?.properties.uppercaseMapping != String(scalar))
    }.map { "X\($0)" }

    static let all = words + special

    /// Each in a folder of its own, because some are one to some servers.
    static let paths = all.enumerated().map { "/\($0.offset)/\($0.element)" }

    /// Pairs that a rule takes for one name, and the prediction does not.
    static func pairs(_ folding: NameFolding) -> [(String, String)] {
        let candidates = [
            ("ΟΔΟΣ", "οδος"), ("ΟΔΟΣ ΑΒΣ", "οδος αβς"), ("İstanbul", "istanbul"), ("İ", "I"),
        ]
        return candidates.filter { one, other in
            folding.key(of: one) == folding.key(of: other)
                && Folding.fold(one) != Folding.fold(other)
        }
    }
}

@Suite struct KeyTests {
    private static let unpredicted: [NameFolding] = [.simple, .contextual]

    private func harness(_ folding: NameFolding) throws -> Harness {
        try Harness(server: InMemoryStore(folding: folding))
    }

    /// Both sides agree, the rows agree, and nothing shows twice.
    private func check(
        _ harness: Harness, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        let shown = try await harness.store.read { try $0.allNodes().map(\.0) }
        let there = try await harness.serverTree()
        #expect(shown.count == there.count, "\(shown)", sourceLocation: sourceLocation)
    }

    /// All texts of files, here and there alike.
    private func texts(_ harness: Harness) async throws -> [String] {
        let here = try await harness.tree().values.compactMap { $0 }.sorted()
        #expect(try await harness.serverTree().values.compactMap { $0 }.sorted() == here)
        return here
    }

    @Test("the rules differ where they are meant to, and nowhere in ASCII")
    func rules() {
        #expect(NameFolding.allCases.allSatisfy { $0.key(of: "Plain.TXT") == "plain.txt" })
        #expect(NameFolding.contextual.key(of: "ΟΔΟΣ ΣΑΣ.TXT Σ") == "οδος σασ.txt σ")
        #expect(NameFolding.full.key(of: "ΟΔΟΣ") == "οδοσ")
        #expect(NameFolding.simple.key(of: "İ") == "i")
        #expect(Array(NameFolding.full.key(of: "İ").unicodeScalars) == ["i", "\u{307}"])
        #expect(OddNames.special.count > 20)
        #expect(Self.unpredicted.allSatisfy { !OddNames.pairs($0).isEmpty })
    }

    @Test(
        "a folder of another client shows its content, once, before and after a restart",
        arguments: NameFolding.allCases)
    func shown(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        for path in OddNames.paths {
            try await harness.put(path + "/thesis.txt", "thesis")
            try await harness.put(path + "/sub/x", "x")
        }
        try await check(harness)
        for path in OddNames.paths {
            let composed = Folding.compose(path)
            #expect(try await harness.inode(composed + "/thesis.txt") != nil, "\(path)")
            #expect(try await harness.inode(composed + "/sub/x") != nil, "\(path)")
        }
        for path in OddNames.words.indices.map({ OddNames.paths[$0] }) {
            try await harness.put(path + "/sub/later", "later")
            try await harness.remove(path + "/thesis.txt")
        }
        try await check(harness)
    }

    @Test("an unseen node in a deleted folder brings it back", arguments: NameFolding.allCases)
    func deleted(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        for path in OddNames.paths { try await harness.put(path + "/known", "known") }
        try await harness.settle()
        await harness.stop()
        for path in OddNames.paths {
            try await harness.put(path + "/unseen", "unseen")
            try await harness.delete(Folding.compose(path))
        }
        try await harness.drainBeforeDeltas()
        try await check(harness)
        let texts = try await texts(harness)
        #expect(texts.filter { $0 == "unseen" }.count == OddNames.paths.count)
    }

    @Test(
        "a folder that is filed elsewhere than is believed is not deleted",
        arguments: NameFolding.allCases)
    func misfiled(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        try await harness.putFolder("/ΟΔΟΣ")
        try await harness.settle()
        await harness.stop()
        let inode = try #require(try await harness.inode("/ΟΔΟΣ"))
        let isMisfiled = try await harness.store.write { try $0.file(inode, under: "elsewhere") }
        #expect(isMisfiled)
        try await harness.put("/ΟΔΟΣ/unseen", "unseen")
        try await harness.delete("/ΟΔΟΣ")
        let known = try await harness.store.read { try $0.setting("feed.cursor") }
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            // No deltas for the tree.
            $0.operation == .listAfter && $0.subject == known
        }
        let before = harness.faulty.calls.count
        try await harness.start(knowingAll: true)
        // The listing of the whole tree has been; this is that of the folder, before its deletion.
        try await waitWhile {
            !harness.faulty.calls.dropFirst(before).contains { $0.operation == .list }
        }
        harness.faulty.removeFaults()
        try await check(harness)
        #expect(try await texts(harness) == ["unseen"])
    }

    @Test(
        "nodes made here settle, and another mount shows them alike",
        arguments: NameFolding.allCases)
    func made(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        try await harness.start()
        for (index, name) in OddNames.all.enumerated() {
            try await harness.makeFolder("/\(index)")
            try await harness.makeFolder("/\(index)/\(name)")
            try await harness.write("/\(index)/\(name)/file", "file")
            try await harness.write("/\(index)/A \(name)", "beside")
        }
        try await check(harness)
        let other = try Harness(server: harness.server)
        try await other.settle()
        await other.stop()
        #expect(try await other.tree() == harness.tree())
    }

    @Test(
        "of two names that turn out to be one on the server, both contents stay",
        arguments: unpredicted, ["file", "folder"])
    func collision(_ folding: NameFolding, _ kind: String) async throws {
        let below = kind == "folder" ? "/x" : ""
        for (one, other) in OddNames.pairs(folding).flatMap({ [($0, $1), ($1, $0)] }) {
            // A predictable collision is refused at once.
            let isPredicted = folding.key(of: other) == Folding.fold(one)
            for isKnown in isPredicted ? [false] : [false, true] {
                let harness = try harness(folding)
                if isKnown {
                    try await harness.put("/\(other)\(below)", "theirs")
                    try await harness.settle()
                    await harness.stop()
                }
                if kind == "folder" { try await harness.makeFolder("/\(one)") }
                try await harness.write("/\(one)\(below)", "ours")
                if !isKnown { try await harness.put("/\(other)\(below)", "theirs") }
                try await harness.drainBeforeDeltas()
                try await check(harness)
                #expect(
                    try await texts(harness) == ["ours", "theirs"], "\(one) \(other) \(isKnown)")
                // The names are settled: a restart finds nothing to do.
                try await check(harness)
            }
        }
    }

    @Test(
        "nodes that both sides make under one name become one there when the delta comes first",
        arguments: NameFolding.allCases)
    func sameName(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .makeFolder || $0.operation == .upload
        }
        try await harness.settle()
        for name in ["ΟΔΟΣ", "İ"] {
            try await harness.makeFolder("/\(name)")
            try await harness.write("/\(name)/\(name)", "ours")
            try await harness.put("/\(name)/\(name)", "theirs")
        }
        try await waitWhile {
            try await harness.tree().values.filter { $0 == "theirs" }.count < 2
        }
        try await harness.checkInvariants()
        harness.faulty.removeFaults()
        try await check(harness)
        #expect(try await texts(harness) == ["ours", "ours", "theirs", "theirs"])
        let tree = try await harness.tree()
        #expect(tree.count == 6, "\(tree)")
        #expect(tree["/ΟΔΟΣ/ΟΔΟΣ"] == "theirs" && tree["/İ/İ"] == "theirs", "\(tree)")
    }

    @Test(
        "of two that are made here and turn out to be one, both stay", arguments: unpredicted)
    func bothHere(_ folding: NameFolding) async throws {
        for (one, other) in OddNames.pairs(folding) {
            let harness = try harness(folding)
            try await harness.write("/\(one)", "1")
            try await harness.write("/\(other)", "2")
            try await harness.makeFolder("/d")
            try await harness.makeFolder("/d/\(other)")
            try await harness.write("/d/\(other)/x", "3")
            try await harness.makeFolder("/d/\(one)")
            try await harness.write("/d/\(one)/x", "4")
            try await check(harness)
            #expect(try await texts(harness) == ["1", "2", "3", "4"], "\(one) \(other)")
        }
    }

    @Test("renames between names with one key arrive", arguments: NameFolding.allCases)
    func renames(_ folding: NameFolding) async throws {
        let pairs = OddNames.pairs(folding).isEmpty ? [("ΟΔΟΣ", "οδος")] : OddNames.pairs(folding)
        for (one, other) in pairs {
            let harness = try harness(folding)
            try await harness.put("/\(one)/x", "x")
            try await harness.put("/f/\(one)", "f")
            try await harness.settle()
            try await harness.move("/\(one)", to: "/\(other)")
            try await harness.move("/f/\(one)", to: "/f/\(other)")
            harness.noteChange()
            try await check(harness)
            #expect(try await harness.tree()["/\(other)/x"] == "x")
            #expect(try await harness.tree()["/f/\(other)"] == "f")
            // Away and back, and by the other client.
            try await harness.move("/\(other)", to: "/plain")
            try await harness.move("/plain", to: "/\(one)")
            try await check(harness)
            #expect(try await harness.tree()["/\(one)/x"] == "x")
            try await harness.relocate("/\(one)", to: "/between")
            try await harness.relocate("/between", to: "/\(other)")
            try await harness.write("/\(one)/new", "new")
            try await check(harness)
            #expect(try await texts(harness) == ["f", "new", "x"])
        }
    }

    @Test(
        "a name that another client gives by changing only its case is taken from a new node here",
        arguments: NameFolding.allCases)
    func otherCase(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        try await harness.putFolder("/οδος")
        try await harness.put("/οδος/x", "theirs")
        try await harness.settle()
        await harness.stop()
        try await harness.write("/ΟΔΟΣ", "ours")
        try await harness.relocate("/οδος", to: "/between")
        try await harness.relocate("/between", to: "/ΟΔΟΣ")
        harness.faulty.inject(.failBefore(.server("test")), times: nil) {
            $0.operation == .upload
        }
        try await harness.start()
        try await waitWhile { try await harness.tree()["/ΟΔΟΣ/x"] != "theirs" }
        try await harness.checkInvariants()
        harness.faulty.removeFaults()
        try await check(harness)
        #expect(try await texts(harness) == ["ours", "theirs"])
    }

    @Test(
        "a file that is deleted and written again keeps its history",
        arguments: NameFolding.allCases)
    func rewritten(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        for name in ["ΟΔΟΣ", "İ"] {
            try await harness.put("/\(name)", "old")
            try await harness.settle()
            await harness.stop()
            let id = try await harness.server.entry(at: RemotePath(rawValue: "/\(name)"))?.id
            try await harness.delete("/\(name)")
            try await harness.write("/\(name)", "new")
            try await check(harness)
            let now = try await harness.server.entry(at: RemotePath(rawValue: "/\(name)"))
            #expect(now?.id == id)
        }
        #expect(try await texts(harness) == ["new", "new"])
    }

    @Test(
        "a commit whose answer was lost is this mount's own under any key",
        arguments: NameFolding.allCases)
    func lostResponse(_ folding: NameFolding) async throws {
        let harness = try harness(folding)
        try await harness.settle()
        await harness.stop()
        harness.faulty.inject(.failAfter(.offline("test")), times: 2) {
            $0.operation == .makeFolder || $0.operation == .upload
        }
        try await harness.makeFolder("/ΟΔΟΣ")
        try await harness.makeFolder("/İ")
        try await harness.write("/ΑΒΣ", "1")
        try await harness.write("/ΑİΣ", "2")
        try await check(harness)
        #expect(try await harness.tree() == ["/ΟΔΟΣ": nil, "/İ": nil, "/ΑΒΣ": "1", "/ΑİΣ": "2"])
    }

    @Test("content is hashed before the same bytes arrive in a new folder, under another key")
    func hashedForArrival() async throws {
        let harness = try harness(.contextual)
        harness.faulty.inject(.failBefore(.server("test")), times: nil) { _ in true }
        try await harness.makeFolder("/d")
        let inodes = [
            try await harness.write("/d/plain", "same"), try await harness.write("/d/ΟΔΟΣ", "same"),
        ]
        try await harness.start()
        let hash = ContentHasher.hash(Array("same".utf8))
        let entries = try [("/d/plain", "plain"), ("/d/οδος", "ΟΔΟΣ")].map { path, name in
            RemoteEntry(
                foldedPath: RemotePath(rawValue: path), name: try FileName(name),
                kind: .file(
                    RemoteFile(
                        id: FileID(name), revision: Revision(name), hash: hash, size: 4,
                        clientModified: WallTime(seconds: 1),
                        serverModified: WallTime(seconds: 1))))
        }
        await UnsentHashes(account: try #require(harness.engine).account).note(like: entries)
        for inode in inodes {
            let node = try #require(try await harness.store.read { try $0.node(inode) })
            #expect(node.staged?.hash == hash)
        }
        await harness.stop()
    }
}

extension RemoteEntry {
    fileprivate var id: FileID? {
        switch kind {
        case .file(let file): file.id
        case .folder(let folder): folder.id
        case .deleted: nil
        }
    }
}
