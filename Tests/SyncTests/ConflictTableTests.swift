// The conflict table: that docs/semantics.md has the rows of `ConflictRows.swift`, in the same
// words, that the sources name each of them, that each happens on a tree as it says there, and what
// holds of every answer of the function.

import Core
import Foundation
import MetadataStore
import RemoteStore
import RemoteStoreTesting
import Staging
import Testing

@testable import Sync
@testable import Tree

/// A row of the table, with an example.
struct ConflictRow: Sendable, CustomTestStringConvertible {
    typealias Tree = [String: String?]

    /// The name by which the page and the sources refer to the row.
    var label: String
    var here: String
    var there: String
    var result: String
    /// The tree that both sides knew before: files with their texts, folders as nil.
    var base: Tree = [:]
    /// Creates the other nodes that both sides knew before.
    var others: @Sendable (Harness) async throws -> Void = { _ in }
    /// The changes of users, unsent.
    var local: @Sendable (Harness) async throws -> Void = { _ in }
    /// The changes of another client before the upload.
    var remote: @Sendable (Harness) async throws -> Void = { _ in }
    /// The tree that users see in the end. `~` stands for the mark of a conflicted copy.
    var tree: Tree
    /// Texts of files, and paths and targets of links, that never leave this machine.
    var localTexts: [String] = []

    var testDescription: String { "\(label): \(here) | \(there)" }

    /// The tree that users see when both sides have applied the other's changes.
    func run() async throws -> (tree: Tree, localTexts: [String]) {
        let harness = try Harness(localName: "here only")
        for (path, text) in base.sorted(by: { $0.key < $1.key }) {
            if let text {
                try await harness.put(path, text)
            } else {
                try await harness.putFolder(path)
            }
        }
        try await others(harness)
        try await harness.settle()
        await harness.stop()
        try await local(harness)
        try await remote(harness)
        try await harness.settle()
        // The search for contents that others have stored in a deleted folder (row D6) begins after
        // its step.
        try await harness.finishSearches()
        try await harness.settle()
        await harness.stop()
        try await harness.checkInvariants()
        let mark = try Regex(#" \(here's conflicted copy [0-9-]+\)"#)
        let tree = try await harness.tree().map { ($0.key.replacing(mark, with: "~"), $0.value) }
        let localOnly = try await harness.localTexts() + harness.localLinks()
        return (Dictionary(tree, uniquingKeysWith: { one, _ in one }), localOnly)
    }
}

@Suite struct ConflictTableTests {
    // MARK: Rows

    @Test("docs/semantics.md has these rows, and no others")
    func documentation() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../docs/semantics.md").standardizedFileURL
        // Where only the package was copied, there are no documents.
        guard let document = try? String(contentsOf: url, encoding: .utf8) else { return }
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let header = try #require(
            lines.firstIndex(of: "| row | here, not sent yet | on the server | result |"))
        let rows = lines[(header + 2)...].prefix { $0.hasPrefix("|") }.map(String.init)
        let expected = ConflictRow.all.map {
            "| \($0.label) | \($0.here) | \($0.there) | \($0.result) |"
        }
        #expect(rows == expected)
    }

    @Test("comments of the sources name each row of the table by its label, and no others")
    func sources() throws {
        let labels = ConflictRow.all.map(\.label)
        #expect(Set(labels).count == labels.count)
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources").standardizedFileURL
        var named: Set<String> = []
        for module in ["Tree", "Sync"] {
            let files = FileManager.default.enumerator(
                at: folder.appending(path: module), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                let mention = /\b[Rr]ows? ([A-Z][0-9]+(?:,? (?:and )?[A-Z][0-9]+)*)/
                for match in text.matches(of: mention) {
                    named.formUnion(match.1.matches(of: /[A-Z][0-9]+/).map { String($0.output) })
                }
            }
        }
        #expect(named.sorted() == labels.sorted())
    }

    @Test("each row happens as it says", arguments: ConflictRow.all)
    func example(row: ConflictRow) async throws {
        let (tree, localTexts) = try await row.run()
        #expect(tree == row.tree)
        #expect(localTexts == row.localTexts)
    }

    // MARK: The function

    private static let states: [LocalState] = LocalState.Presence.allCases.flatMap { presence in
        [NodeKind.folder, .file, .symbolicLink].flatMap { kind in
            [false, true].flatMap { isEdited in
                [false, true].map { isOpen in
                    LocalState(kind: kind, presence: presence, isEdited: isEdited, isOpen: isOpen)
                }
            }
        }
    }

    @Test("an edit that users still see is never replaced by another content, nor removed")
    func editsStay() {
        for state in Self.states where state.isEdited && state.presence != .deleted {
            let resolution = ConflictTable.resolution(of: RemoteContent.other, against: state)
            #expect(resolution == .oursStepsAside, "\(state)")
        }
        for isMoved in [false, true] {
            for hasRevision in [false, true] {
                let file = DeletedFile.seen(
                    isEdited: true, isMovedByUsers: isMoved, hasRevision: hasRevision)
                #expect(ConflictTable.resolution(of: file) == .keepUnsent, "\(file)")
            }
        }
    }

    @Test("content that others stored is seen, unless it is known here")
    func theirsIsSeen() {
        for state in Self.states {
            let resolution = ConflictTable.resolution(of: RemoteContent.other, against: state)
            #expect(resolution != .noteFacts, "\(state)")
        }
    }

    @Test("what users deleted is not seen again for a move, a deletion, or the bytes that they saw")
    func deletionsStay() {
        for state in Self.states where state.presence == .deleted {
            for content in [RemoteContent.ofBase, .sentFromHere] {
                #expect(ConflictTable.resolution(of: content, against: state) == .noteFacts)
            }
            for isTemporary in [false, true] {
                #expect(
                    ConflictTable.resolution(ofMove: isTemporary, against: state) == .keepPlace)
            }
        }
        #expect(ConflictTable.resolution(of: DeletedFile.deletedHere) == .remove)
        #expect(ConflictTable.resolution(of: DeletedLink.deletedHere) == .remove)
        #expect(ConflictTable.resolution(of: DeletedFolder.deletedHere) == .remove)
    }

    @Test("what users moved stays where they moved it, and so does all that was in it")
    func movesStay() {
        for state in Self.states where state.presence == .moved {
            #expect(ConflictTable.resolution(ofMove: false, against: state) == .keepPlace)
        }
        for hasRevision in [false, true] {
            let file = DeletedFile.seen(
                isEdited: false, isMovedByUsers: true, hasRevision: hasRevision)
            let resolution = ConflictTable.resolution(of: file)
            #expect(resolution == (hasRevision ? .keepFromRevision : .remove))
        }
        #expect(ConflictTable.resolution(of: DeletedLink.seen(isMovedByUsers: true)) == .keepUnsent)
        for isEmpty in [false, true] {
            let folder = DeletedFolder.seen(isMovedByUsers: true, isEmpty: isEmpty)
            #expect(ConflictTable.resolution(of: folder) == .keep)
        }
    }

    @Test("what users neither changed nor moved goes when others delete it")
    func deletionsArrive() {
        for hasRevision in [false, true] {
            let file = DeletedFile.seen(
                isEdited: false, isMovedByUsers: false, hasRevision: hasRevision)
            #expect(ConflictTable.resolution(of: file) == .remove)
        }
        #expect(ConflictTable.resolution(of: DeletedLink.seen(isMovedByUsers: false)) == .remove)
        for isEmpty in [false, true] {
            let folder = DeletedFolder.seen(isMovedByUsers: false, isEmpty: isEmpty)
            #expect(ConflictTable.resolution(of: folder) == (isEmpty ? .remove : .keep))
        }
    }

    @Test(
        "only what the server does not have becomes one with what arrives, and files only with the same bytes"
    )
    func merges() {
        for state in Self.states {
            for kind in [NodeKind.folder, .file, .symbolicLink] {
                for hasSameBytes in [false, true] {
                    let arrival = RemoteArrival(kind: kind, hasSameBytes: hasSameBytes)
                    guard ConflictTable.resolution(of: arrival, against: state) == .merge else {
                        continue
                    }
                    #expect(state.presence == .unsent || state.presence == .localOnly)
                    #expect(state.kind == kind)
                    #expect(kind == .folder || hasSameBytes)
                }
            }
        }
    }
}
