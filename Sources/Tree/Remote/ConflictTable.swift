// The conflict table of docs/semantics.md as a function: from a node's common base, its local state
// and its remote state to the resolution. Pure: `DeltaApplier+Conflicts` carries it out for nodes
// that the server has, `DeltaApplier+Removal` for those that it no longer has. Labels such as U1
// are those of the page's rows; rows that other files decide are named there.

import MetadataStore

/// The local state of a node since the last delta about it.
struct LocalState: Hashable, Sendable {
    /// Its place in the local tree.
    enum Presence: Hashable, Sendable, CaseIterable {
        /// At its remote place.
        case inPlace
        /// At another place: a move is still to be sent.
        case moved
        /// At no place: a deletion is still to be sent.
        case deleted
        /// At a local place only: the server does not have it, not yet or no longer.
        case unsent
        /// At a local place only, and never to be sent.
        case localOnly
    }

    var kind: NodeKind
    var presence: Presence
    /// Whether it has unsent content.
    var isEdited = false
    /// Whether a process has it open.
    var isOpen = false
}

/// The content of a file on the server, compared with the local one.
enum RemoteContent: Hashable, Sendable, CaseIterable {
    /// The bytes of the base: a move gives them a new revision.
    case ofBase
    /// The content that this mount has sent for the node; the response was lost.
    case sentFromHere
    /// The same bytes as the local edit.
    case sameAsHere
    case other
}

/// The resolution of a file's remote content.
enum ContentResolution: Hashable, Sendable {
    /// Users see the server's content.
    case takeTheirs
    /// The content is known here: its facts are recorded, and unsent changes stay.
    case noteFacts
    /// The remote file has the name; the local one becomes a conflicted copy beside it.
    case oursStepsAside
    /// The remote file has the name; open handles keep the detached old one.
    case theirsUnderName
    /// The file that users deleted is restored, as the server has it.
    case bringBack
    /// The same in a new inode: handles keep the deleted one.
    case bringBackBeside
}

/// The resolution of a remote move.
enum MoveResolution: Hashable, Sendable {
    /// The local place follows.
    case follow
    /// The local place is kept until the second move arrives.
    case hold
    /// The local place wins; the remote one is recorded.
    case keepPlace
}

/// A file that others have deleted, as it is here.
///
/// Whether they deleted it by itself or with a folder above it is not known: a listing, and a
/// request by ID, find the absence of one file at a time.
enum DeletedFile: Hashable, Sendable {
    /// Users have deleted it, too.
    case deletedHere
    /// Users see it. `isEdited`: it has unsent content. `isMovedByUsers`: users have moved it, by
    /// itself or with a folder above it. `hasRevision`: its last revision can still be read.
    case seen(isEdited: Bool, isMovedByUsers: Bool, hasRevision: Bool)

    /// The resolution of the deletion.
    enum Resolution: Hashable, Sendable {
        /// The file is removed. Handles continue to read it.
        case remove
        /// The file is kept, to be sent as a new one.
        case keepUnsent
        /// The same, with the server's last revision as base.
        case keepFromRevision
    }
}

/// A symbolic link that others have deleted, as it is here.
enum DeletedLink: Hashable, Sendable {
    /// Users have deleted it, too.
    case deletedHere
    /// Users see it. `isMovedByUsers`: as of a file.
    case seen(isMovedByUsers: Bool)

    /// The resolution of the deletion.
    enum Resolution: Hashable, Sendable {
        /// The link is removed.
        case remove
        /// The link is kept, to be sent as a new one, or as local-only if the account keeps none.
        case keepUnsent
    }
}

/// A folder that others have deleted, as it is here after the same was done to its contents.
enum DeletedFolder: Hashable, Sendable {
    /// Users have deleted it, too.
    case deletedHere
    /// Users see it. `isMovedByUsers`: as of a file. `isEmpty`: none of its contents is kept.
    case seen(isMovedByUsers: Bool, isEmpty: Bool)

    /// The resolution of the deletion.
    enum Resolution: Hashable, Sendable {
        /// The folder is removed.
        case remove
        /// The folder is kept, to be sent with its contents.
        case keep
    }
}

/// A new remote node at a place.
struct RemoteArrival: Hashable, Sendable {
    var kind: NodeKind
    /// Whether its bytes, or a link's target, equal those of the local node.
    var hasSameBytes = false
}

/// The resolution of a new remote node against the local node of its name.
enum ArrivalResolution: Hashable, Sendable {
    /// Both are one node.
    case merge
    /// The remote node has the name; the local one becomes a conflicted copy beside it.
    case oursStepsAside
}

enum ConflictTable {
    /// Resolves the remote content of a file.
    static func resolution(
        of content: RemoteContent, against local: LocalState
    ) -> ContentResolution {
        switch (content, local.presence) {
        // Row D2.
        case (.ofBase, _), (.sentFromHere, _): .noteFacts
        // Row D1.
        case (_, .deleted): local.isOpen ? .bringBackBeside : .bringBack
        // Row E2.
        case (.sameAsHere, _) where local.isEdited: .noteFacts
        // Row E1.
        case (_, _) where local.isEdited: .oursStepsAside
        // Rows U1, E4.
        case (_, _) where local.isOpen: .theirsUnderName
        // Rows U1, M1.
        case (_, _): .takeTheirs
        }
    }

    /// Resolves a remote move; with `isTemporary`, between two moves of another client.
    static func resolution(
        ofMove isTemporary: Bool, against local: LocalState
    ) -> MoveResolution {
        switch local.presence {
        // Rows M2, D3, D7.
        case .moved, .deleted, .unsent, .localOnly: .keepPlace
        // Rows U2, E6.
        case .inPlace: isTemporary ? .hold : .follow
        }
    }

    /// Resolves the remote deletion of a file.
    static func resolution(of file: DeletedFile) -> DeletedFile.Resolution {
        switch file {
        // Row D4.
        case .deletedHere: .remove
        // Rows E3, D8.
        case .seen(isEdited: true, isMovedByUsers: _, hasRevision: _): .keepUnsent
        // Row U3.
        case .seen(isEdited: false, isMovedByUsers: false, hasRevision: _): .remove
        // Rows M3, M5: one rule, because the case does not distinguish a move of the file from a
        // move of a folder above it. The parts of a split folder count as moved files, too.
        case .seen(isEdited: false, isMovedByUsers: true, hasRevision: true): .keepFromRevision
        // Row M6.
        case .seen(isEdited: false, isMovedByUsers: true, hasRevision: false): .remove
        }
    }

    /// Resolves the remote deletion of a symbolic link, whose content is known by its target.
    static func resolution(of link: DeletedLink) -> DeletedLink.Resolution {
        switch link {
        // Row D4.
        case .deletedHere: .remove
        // Row U3.
        case .seen(isMovedByUsers: false): .remove
        // Rows M4, M5.
        case .seen(isMovedByUsers: true): .keepUnsent
        }
    }

    /// Resolves the remote deletion of a folder.
    static func resolution(of folder: DeletedFolder) -> DeletedFolder.Resolution {
        switch folder {
        // Row D4.
        case .deletedHere: .remove
        // Row U3.
        case .seen(isMovedByUsers: false, isEmpty: true): .remove
        // Rows D8, L1.
        case .seen(isMovedByUsers: false, isEmpty: false): .keep
        // Row M5.
        case .seen(isMovedByUsers: true, isEmpty: _): .keep
        }
    }

    /// Resolves a new remote node at the place of `local`.
    static func resolution(
        of arrival: RemoteArrival, against local: LocalState
    ) -> ArrivalResolution {
        switch local.presence {
        // Row M7.
        case .inPlace, .moved, .deleted: return .oursStepsAside
        case .unsent, .localOnly:
            // Row N4.
            guard local.kind == arrival.kind else { return .oursStepsAside }
            return switch arrival.kind {
            // Rows N3, L3.
            case .folder: .merge
            // Rows N1, N2, L2.
            case .file, .symbolicLink: arrival.hasSameBytes ? .merge : .oursStepsAside
            case .fifo, .socket: .oursStepsAside
            }
        }
    }
}

extension LocalState {
    /// The local state of a node.
    init(_ node: Node, isOpen: Bool) {
        let presence: Presence =
            if node.flags.contains(.localOnly) {
                .localOnly
            } else if node.remote == .absent {
                .unsent
            } else if node.place == nil {
                .deleted
            } else {
                // A node between another client's two moves was not moved by users.
                node.remote == .inPlace || node.flags.contains(.betweenMoves) ? .inPlace : .moved
            }
        self.init(
            kind: node.kind, presence: presence, isEdited: node.staged != nil, isOpen: isOpen)
    }
}
