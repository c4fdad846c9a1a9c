// Cursors: positions of listings. They contain all of their state, so that they survive a restart
// and cost the server nothing.

import Foundation

/// The scope of a listing.
struct ListingScope: Equatable, Sendable {
    /// The folder that paths of the client start from.
    var base = NodeID.root
    /// Folded path of the listed folder from the tree's root.
    var folderKey: String
    var isRecursive = false
    var includesDeleted = false
    var includesNonDownloadable = true
    /// The templates whose properties entries have.
    var templates: [String] = []
    /// The most entries of a page.
    var pageSize: Int
}

/// A position in a listing.
struct Cursor: Equatable, Sendable {
    /// The phase of the listing.
    enum Phase: Equatable, Sendable {
        /// The living entries, after the one with these folded names below the folder.
        case entries(after: [String])
        /// The tombstones, after the one at this folded path.
        case tombstones(after: String)
        /// Changes after position `changes`.
        case changes
    }

    /// The account that the cursor belongs to.
    var account: String
    var scope: ListingScope
    var phase: Phase
    /// Length of the change log that the client knows once `phase` is `changes`.
    var changes: Int
    /// The tree's `cursorEpoch` at the time.
    var epoch: Int

    /// The opaque text given to clients; safe in a URL.
    var text: String {
        var position: [JSONValue] = []
        let phaseNumber: Int64
        switch phase {
        case .entries(let names):
            phaseNumber = 0
            position = names.map { .string($0) }
        case .tombstones(let key):
            phaseNumber = 1
            position = [.string(key)]
        case .changes: phaseNumber = 2
        }
        let flags =
            (scope.isRecursive ? 1 : 0) | (scope.includesDeleted ? 2 : 0)
            | (scope.includesNonDownloadable ? 4 : 0)
        let fields: JSONValue = [
            .string(account), .integer(Int64(scope.base.index)), .string(scope.folderKey),
            .integer(Int64(flags)), .integer(Int64(scope.pageSize)), .integer(phaseNumber),
            .array(position), .integer(Int64(changes)), .integer(Int64(epoch)),
            .array(scope.templates.map { .string($0) }),
        ]
        return "AAE"
            + Data(fields.utf8()).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    init(account: String, scope: ListingScope, phase: Phase, changes: Int, epoch: Int) {
        self.account = account
        self.scope = scope
        self.phase = phase
        self.changes = changes
        self.epoch = epoch
    }

    /// Parses the text of a cursor; nil for an invalid one.
    init?(_ text: String) {
        guard text.hasPrefix("AAE") else { return nil }
        let body = text.dropFirst(3).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - body.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: body + padding),
            let fields = try? JSONParser.parse(data),
            let account = fields[0]?.string, let base = fields[1]?.integer,
            let folder = fields[2]?.string, let flags = fields[3]?.integer,
            let pageSize = fields[4]?.integer, let phase = fields[5]?.integer,
            let position = fields[6]?.array?.compactMap(\.string),
            let changes = fields[7]?.integer, let epoch = fields[8]?.integer,
            let baseIndex = Int32(exactly: base), baseIndex >= 0, changes >= 0, pageSize > 0
        else { return nil }
        self.account = account
        scope = ListingScope(
            base: NodeID(index: baseIndex), folderKey: folder, isRecursive: flags & 1 != 0,
            includesDeleted: flags & 2 != 0, includesNonDownloadable: flags & 4 != 0,
            templates: fields[9]?.array?.compactMap(\.string) ?? [], pageSize: Int(pageSize))
        switch phase {
        case 0: self.phase = .entries(after: position)
        case 1: self.phase = .tombstones(after: position.first ?? "")
        default: self.phase = .changes
        }
        self.changes = Int(changes)
        self.epoch = Int(epoch)
    }
}
