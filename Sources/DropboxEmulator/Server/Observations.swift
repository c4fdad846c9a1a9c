// Answers that a run of the conformance tests got elsewhere, usually from the real service, by the
// ids of their statements: turns them into choices of the emulator. docs/emulator.md lists those
// that it can follow.

import Foundation

/// Answers that an emulator is to give.
public struct Observations: Sendable {
    /// The answers by statement.
    public let answers: [String: String]

    /// Takes over answers.
    ///
    /// Throws for an answer that the emulator cannot give although it has a choice for the
    /// statement.
    public init(_ answers: [String: String]) throws(EmulatorError) {
        self.answers = answers
        for (statement, answer) in answers {
            guard let known = Self.choices[statement], known[answer] == nil else { continue }
            throw .observation(
                statement, answer: answer, known: known.keys.sorted().joined(separator: "' or '"))
        }
    }

    /// Reads a JSON object of texts.
    public init(file: String) throws(EmulatorError) {
        do {
            try self.init(json: try Data(contentsOf: URL(filePath: file)))
        } catch let error as EmulatorError {
            throw error
        } catch {
            throw .observations("\(file): \(error)")
        }
    }

    /// The answers of the real service that this build knows: `observed.json` of the sources.
    public static func recorded() throws(EmulatorError) -> Observations {
        do {
            return try Observations(json: Data(PackageResources.observed_json))
        } catch let error as EmulatorError {
            throw error
        } catch {
            throw .observations("observed.json: \(error)")
        }
    }

    private init(json: Data) throws {
        try self.init(try JSONDecoder().decode([String: String].self, from: json))
    }

    /// The statements for which the emulator has no choice.
    public var ignored: [String] { answers.keys.filter { Self.choices[$0] == nil }.sorted() }

    private enum Choice {
        case conduct(@Sendable (inout Conduct) -> Void)
        case setting(String, JSONValue)
        /// The answer that is given anyway.
        case standard
    }

    /// The answers that the emulator can give, by statement.
    private static let choices: [String: [String: Choice]] = [
        "case-rename-file": [
            "to/conflict/file": .standard,
            "named a": .conduct { $0.caseRename = .succeedsWithOldName },
            "named A": .conduct { $0.caseRename = .renames },
        ],
        "case-rename-folder": [
            "to/conflict/folder": .standard,
            "named d": .conduct { $0.caseRename = .succeedsWithOldName },
            "named D": .conduct { $0.caseRename = .renames },
        ],
        "autorename-file": [
            "a (1).txt": .standard, "a (2).txt": .conduct { $0.firstAutorename = 2 },
        ],
        "strict-overwrite-same-content": [
            "the same rev, the same id": .standard,
            "path/conflict/file": .conduct { $0.strictRefusesSameContent = true },
        ],
        "move-keeps-id": [
            "another rev, the same id": .standard,
            "the same rev, the same id": .conduct { $0.movesKeepRevs = true },
        ],
        "restore-deleted": [
            "another rev, the same id": .standard,
            "another rev, another id": .conduct { $0.restoresMakeIDs = true },
        ],
        "move-onto-itself": [
            "to/conflict/file": .standard,
            "file a": .conduct { $0.movesOntoThemselves = true },
        ],
        "new-file-has-new-id": [
            "another rev, another id": .standard,
            "another rev, the same id": .conduct { $0.newFilesTakeIDs = true },
        ],
        "property-of-move": [
            "red": .standard, "none": .conduct { $0.movesKeepProperties = false },
        ],
        "property-of-copy": [
            "none": .standard, "red": .conduct { $0.copiesHaveProperties = true },
        ],
        "property-of-new-content": [
            "red": .standard, "none": .conduct { $0.newContentKeepsProperties = false },
        ],
        "session-finish-twice": [
            "lookup_failed/not_found": .standard,
            "one": .conduct { $0.sessionsOutliveFinish = true },
        ],
        "changes-of-gone-folder": [
            "path/not_found": .standard, "reset": .conduct { $0.goneFolderResets = true },
        ],
        "changes-of-new-folder": [
            "deleted d, folder d, file d/b": .standard,
            "reset": .conduct { $0.newFolderResets = true },
        ],
        "list-gone-with-deleted": [
            "deleted d/a": .standard,
            "path/not_found": .conduct { $0.listsGoneFolders = false },
        ],
        "list-parents-first": [
            "parents first": .standard,
            "b/c/d/a before its parent": .conduct { $0.listsChildrenFirst = true },
        ],
        "change-of-deleted-folder": [
            "deleted d": .standard,
            "deleted d, deleted d/a": .conduct { $0.deltasNameDescendants = true },
        ],
        "change-of-deleted-folder-with-deleted": [
            "deleted d, deleted d/a": .standard,
            "deleted d": .conduct { $0.deltasNameDeleted = false },
        ],
        // The second one is what follows if deltas name descendants, too.
        "change-of-moved-folder": [
            "deleted d, folder e, file e/a": .standard,
            "deleted d, deleted d/a, folder e, file e/a": .standard,
            "folder e, file e/a, deleted d": .conduct { $0.movesAreToldFirst = true },
            "folder e, file e/a, deleted d, deleted d/a": .conduct {
                $0.movesAreToldFirst = true
                $0.deltasNameDescendants = true
            },
        ],
        "concurrent-piece-after-close": [
            "appended": .standard, "closed": .conduct { $0.takesLatePieces = false },
        ],
        "decomposed-lookup": [
            "found": .standard, "path/not_found": .conduct { $0.findsDecomposed = false },
        ],
        "append-batch-of-501": [
            "taken": .standard, "400": .conduct { $0.maximumAppends = 500 },
        ],
        "property-is-told": [
            "file a": .standard, "nothing": .setting("tell_properties", false),
        ],
        "delete-by-id": [
            "file a": .standard,
            "path_lookup/malformed_path": .setting("refuse_ids", true),
        ],
        "parents-in-path-display": [
            "D/a": .standard, "d/a": .setting("unreliable_parent_case", true),
        ],
        "argument-utf8": [
            "200 \u{E1}": .standard, "400 nothing": .setting("ascii_arguments", true),
        ],
        "folder-batch": ["d, e": .standard, "job": .setting("synchronous_batch", 0)],
    ]

    private var chosen: [Choice] {
        answers.sorted { $0.key < $1.key }.compactMap { Self.choices[$0.key]?[$0.value] }
    }

    var conduct: Conduct {
        chosen.reduce(into: Conduct()) { conduct, choice in
            if case .conduct(let change) = choice { change(&conduct) }
        }
    }

    /// The settings, as `POST /admin/settings` takes them.
    var settings: JSONValue {
        .object(
            chosen.compactMap { choice in
                if case .setting(let name, let value) = choice { .init(name, value) } else { nil }
            })
    }
}
