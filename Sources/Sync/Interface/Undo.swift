// Which files an undo of a folder brings back, and to which revision. Pure; the requests are those
// of `SyncEngine+Undo.swift`.

package import Core
import RemoteStore
import Saturating

/// The state of a folder that an undo goes back to.
package enum UndoTarget: Hashable, Sendable {
    /// Every deleted file exists, with its newest revision; others are left alone.
    case nothingDeleted
    /// Each file is as it was before this time; files that are newer are left alone.
    case before(WallTime)

    /// Whether a file may differ from the state, as far as a listing tells.
    func concerns(_ entry: RemoteEntry) -> Bool {
        switch (self, entry.kind) {
        case (_, .deleted): true
        case (.before(let time), .file(let file)): file.serverModified >= time
        case (_, .file), (_, .folder): false
        }
    }

    /// The revision to make current; nil if the file is to stay as it is.
    func revision(of file: RemoteRevisions) -> Revision? {
        guard let newest = file.versions.first?.file else { return nil }
        switch self {
        case .nothingDeleted: return file.isDeleted ? newest.revision : nil
        case .before(let time):
            // It was gone by then.
            if file.isDeleted, let deleted = file.deleted, deleted < time { return nil }
            let old = file.versions.first { $0.file.serverModified < time }?.file.revision
            return !file.isDeleted && old == newest.revision ? nil : old
        }
    }
}

/// The progress of an undo.
package struct UndoProgress: Hashable, Sendable {
    /// A file that could not be brought back.
    package struct Refusal: Hashable, Sendable {
        /// Its path on the mount.
        package var path: String
        /// The failure that prevented it.
        package var error: HistoryError
    }

    /// Whether the folder is still being listed.
    package var isListing = true
    /// Number of deleted entries and changed files found; folders are among the first.
    package var found = 0
    /// Number of finished entries and files.
    package var done = 0
    /// Number of files brought back.
    package var restored = 0
    /// Sum of their sizes in bytes.
    package var bytes: Int64 = 0
    /// Files that could not be brought back.
    package var refused = 0
    /// The first of them.
    package var refusals: [Refusal] = []

    /// Number of refusals that are kept.
    private static let mostRefusals = 20

    /// Creates the progress of an undo that begins.
    package init() {}

    mutating func note(_ outcome: UndoneFile, at path: String) {
        done +|= 1
        switch outcome {
        case .restored(let size):
            restored +|= 1
            bytes +|= size
        case .unchanged: break
        case .refused(let error):
            refused +|= 1
            if refusals.count < Self.mostRefusals {
                refusals.append(.init(path: path, error: error))
            }
        }
    }
}

/// The outcome of an undo for one file.
enum UndoneFile: Hashable, Sendable {
    /// It was brought back, with so many bytes.
    case restored(Int64)
    /// It is as it should be, or a folder, or was never a file.
    case unchanged
    case refused(HistoryError)
}

extension HistoryError {
    /// Whether every other file would fail likewise.
    var endsUndo: Bool {
        switch self {
        case .remote(let error):
            switch error {
            case .offline, .unreachable, .timedOut, .unauthorized, .rateLimited,
                .insufficientSpace, .rootChanged, .rootMissing, .cancelled:
                true
            default: false
            }
        case .store: true
        case .unsentChanges, .isFolder, .localOnly, .unknown, .notDeleted, .noSuchVersion: false
        }
    }
}
