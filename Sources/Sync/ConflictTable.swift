// The conflict table of docs/semantics.md as a function: from what both sides knew of a node (the base), what users
// have made of it here (local) and what the server says now (remote) to what becomes of it. Pure: carrying it out is
// `DeltaApplier`'s.

import MetadataStore

/// What users have made of a node since the server's last word on it.
struct LocalState: Hashable, Sendable {
    /// Where users see it.
    enum Presence: Hashable, Sendable, CaseIterable {
        /// Where the server has it.
        case inPlace
        /// Elsewhere: a move is still to be sent.
        case moved
        /// Nowhere: a deletion is still to be sent.
        case deleted
        /// Where it was made: the server never had it, or has it no more.
        case unsent
        /// The same, and it never leaves this machine.
        case localOnly
    }

    var kind: NodeKind
    var presence: Presence
    /// Whether it has content that the server does not have.
    var isEdited = false
    /// Whether a process has it open.
    var isOpen = false
}

/// The content that the server has of a file now, beside what is known here.
enum RemoteContent: Hashable, Sendable, CaseIterable {
    /// The bytes of the base: a move gives them a new revision.
    case ofBase
    /// What this mount has sent for the node; the answer was lost.
    case sentFromHere
    /// The bytes that users have written here.
    case sameAsHere
    case other
}

/// What becomes of a file whose content the server says.
enum ContentResolution: Hashable, Sendable {
    /// Users see what the server has.
    case takeTheirs
    /// It is known here: its facts are noted, and what is still to be sent is.
    case noteFacts
    /// Theirs has the name; ours goes on beside it, under a conflicted copy's name.
    case oursStepsAside
    /// Theirs has the name; handles keep what they opened, without a name.
    case theirsUnderName
    /// The file that users deleted is seen again, as the server has it.
    case bringBack
    /// The same in a new inode: handles keep the deleted one.
    case bringBackBeside
}

/// What becomes of a node that the server has elsewhere.
enum MoveResolution: Hashable, Sendable {
    /// Users see it follow.
    case follow
    /// Users see it where it was until the second move is told.
    case hold
    /// Where users see it stands; the server's place is noted.
    case keepPlace
}

/// The server has a node no more.
struct DeletionFacts: Hashable, Sendable {
    /// Whether users have moved a folder that it is in.
    var isInMovedFolder = false
    /// Whether the content that it had can still be read.
    var hasRevision = false
    /// Whether a folder holds nothing any more, when all is gone that went with it.
    var isEmpty = false
}

/// What becomes of a node that the server has no more.
enum DeletionResolution: Hashable, Sendable {
    /// It is gone. Handles go on reading.
    case remove
    /// It stays, to be sent as something new.
    case keepUnsent
    /// The same, from the revision that the server had.
    case keepFromRevision
    /// It stays on this machine.
    case keepLocal
    /// A folder stays for what is in it.
    case keepFolder
}

/// Something new on the server under a name.
struct RemoteArrival: Hashable, Sendable {
    var kind: NodeKind
    /// Whether it has the bytes of what users have under the name.
    var hasSameBytes = false
}

/// What becomes of something new on the server, and of what users see under its name.
enum ArrivalResolution: Hashable, Sendable {
    /// Both are one node.
    case merge
    /// Theirs has the name; ours goes on beside it, under a conflicted copy's name.
    case oursStepsAside
}

enum ConflictTable {
    /// What becomes of a file whose content the server says.
    static func resolution(
        of content: RemoteContent, against local: LocalState
    ) -> ContentResolution {
        switch (content, local.presence) {
        case (.ofBase, _), (.sentFromHere, _): .noteFacts
        case (_, .deleted): local.isOpen ? .bringBackBeside : .bringBack
        case (.sameAsHere, _) where local.isEdited: .noteFacts
        case (_, _) where local.isEdited: .oursStepsAside
        case (_, _) where local.isOpen: .theirsUnderName
        case (_, _): .takeTheirs
        }
    }

    /// What becomes of a node that the server has elsewhere; with `isTemporary`, between two moves of another client.
    static func resolution(
        ofMove isTemporary: Bool, against local: LocalState
    ) -> MoveResolution {
        switch local.presence {
        case .moved, .deleted, .unsent, .localOnly: .keepPlace
        case .inPlace: isTemporary ? .hold : .follow
        }
    }

    /// What becomes of a node that the server has no more.
    static func resolution(
        of deletion: DeletionFacts, against local: LocalState
    ) -> DeletionResolution {
        if local.presence == .deleted { return .remove }
        let isMoved = deletion.isInMovedFolder || local.presence == .moved
        switch local.kind {
        case .folder:
            let isTheirs = local.presence == .inPlace && !isMoved
            return isTheirs && deletion.isEmpty ? .remove : .keepFolder
        case .file, .symbolicLink:
            if local.isEdited { return .keepUnsent }
            guard isMoved else { return .remove }
            // The API cannot store a link.
            if local.kind == .symbolicLink { return .keepLocal }
            return deletion.hasRevision ? .keepFromRevision : .remove
        }
    }

    /// What becomes of something new on the server where users see `local`.
    static func resolution(
        of arrival: RemoteArrival, against local: LocalState
    ) -> ArrivalResolution {
        switch local.presence {
        case .inPlace, .moved, .deleted: return .oursStepsAside
        case .unsent, .localOnly:
            guard local.kind == arrival.kind else { return .oursStepsAside }
            return switch arrival.kind {
            case .folder: .merge
            case .file: arrival.hasSameBytes ? .merge : .oursStepsAside
            case .symbolicLink: .oursStepsAside
            }
        }
    }
}

extension LocalState {
    /// What users have made of a node.
    init(_ node: Node, isOpen: Bool) {
        let presence: Presence =
            if node.flags.contains(.localOnly) {
                .localOnly
            } else if node.remote == .absent {
                .unsent
            } else if node.place == nil {
                .deleted
            } else {
                // What another client is between two moves of, users have not moved.
                node.remote == .inPlace || node.flags.contains(.betweenMoves) ? .inPlace : .moved
            }
        self.init(
            kind: node.kind, presence: presence, isEdited: node.staged != nil, isOpen: isOpen)
    }
}
