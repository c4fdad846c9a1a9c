// A shared folder as `dbxfs shared` shows it, and which one a user means. The names in JSON are an
// interface for scripts: fields are added, never renamed. Not responsible for asking Dropbox.

/// A shared folder of an account.
package struct SharedFolderReport: Hashable, Sendable, Encodable {
    /// The rights of the account in it, as JSON names them.
    package enum Access: String, Hashable, Sendable, Encodable {
        case owner, editor, viewer
        /// Something that Dropbox did not tell, or that only passes through to folders below.
        case other
    }

    /// Dropbox's id of the folder.
    package var id: String
    /// Its name, which its owner has given.
    package var name: String
    package var access: Access
    /// The names of its owners; empty if Dropbox does not tell them.
    package var owners: [String]
    /// The team that owns it.
    package var team: String?
    /// Its path in the account; nil if it is not in the account.
    package var path: String?

    /// Memberwise and without defaults.
    package init(
        id: String, name: String, access: Access, owners: [String], team: String?, path: String?
    ) {
        self.id = id
        self.name = name
        self.access = access
        self.owners = owners
        self.team = team
        self.path = path
    }

    private enum CodingKeys: String, CodingKey {
        case id, name, access, owners, team, joined, path
    }

    /// Writes every field, unknown ones as null, so that scripts find them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(access, forKey: .access)
        try container.encode(owners, forKey: .owners)
        try container.encode(team, forKey: .team)
        try container.encode(path != nil, forKey: .joined)
        try container.encode(path, forKey: .path)
    }
}

extension SharedFolderReport {
    /// The text for people.
    package var text: String {
        StatusRows.text(
            name,
            [("id", id), ("owner", owner ?? "unknown"), ("access", accessText)] + [
                ("joined", path.map { "as \($0)" } ?? "no: `dbxfs join \(id)` does")
            ])
    }

    private var accessText: String {
        switch access {
        case .owner: "owner"
        case .editor: "can edit"
        case .viewer: "can view"
        case .other: "unknown"
        }
    }

    /// Its owners in words, of whom the first ones are named.
    private var owner: String? {
        let people =
            owners.prefix(Self.mostOwners).joined(separator: ", ")
            + (owners.count > Self.mostOwners ? " …" : "")
        let team = team.map { "the team \($0)" }
        let known = [people.isEmpty ? nil : people, team].compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }

    private static let mostOwners = 3
    /// Folders that a message lists.
    private static let mostChoices = 10
}

// MARK: The folder that a user means

/// Why a text does not name one shared folder.
package enum SharedFolderDoubt: Error, Hashable {
    /// No folder has the id or the name.
    case none
    /// The ids of the folders that have the name, and what tells them apart.
    case several([String])
}

extension SharedFolderReport {
    /// The folder of an id or a name. An id goes first, so that a folder that is named like the id
    /// of another folder cannot take its place.
    ///
    /// Names that are the same to the byte go before those that differ in case or composition.
    package static func named(
        _ text: String, among folders: [SharedFolderReport]
    ) throws(SharedFolderDoubt) -> SharedFolderReport {
        if let folder = folders.first(where: { $0.id.utf8.elementsEqual(text.utf8) }) {
            return folder
        }
        var found = folders.filter { $0.name.utf8.elementsEqual(text.utf8) }
        if found.isEmpty {
            let folded = text.lowercased()
            found = folders.filter { $0.name.lowercased() == folded }
        }
        guard let first = found.first else { throw .none }
        guard found.count == 1 else {
            let rest = found.count > mostChoices ? ["…"] : []
            throw .several([found.prefix(mostChoices).map(\.choice), rest].flatMap(\.self))
        }
        return first
    }

    /// The id, and what tells the folder from others of its name.
    private var choice: String {
        let place = path.map { "joined as \($0)" }
        let about = [owner, accessText, place].compactMap(\.self).joined(separator: ", ")
        return "\(id) (\(about))"
    }
}
