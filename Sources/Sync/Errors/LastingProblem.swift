// Which problems of the journal end a wait for the queue: those that pass only by what users do.
// The journal has their texts alone. Not responsible for when a step is tried again
// (`UploadReaction.swift`).

package import MetadataStore
import Tree

/// The texts of refusals that stay until users, or other clients, change something.
enum LastingProblem {
    static let tooLarge = "larger than Dropbox can store"
    static let tooManyEntries = "more entries than Dropbox changes at once"
    static let disallowedName = "Dropbox does not store this name"
    /// The beginnings of texts, before the server's reason.
    static let forbidden = "not allowed: "
    static let protected = "protected: "
    static let unexplained = "Dropbox refuses it: "

    /// Failed tries after which any problem counts as lasting: it has lasted for a minute, and the
    /// next try comes later than users wait for.
    static let attempts = 6

    private static var texts: [String] {
        let folders = [FolderSplit.changesOnlyCase, .isShared, .isDeleted].compactMap(\.problem)
        let contents = [LocalFailure.stagedContentCut, .stagedContentDoubtful].map(\.problem)
        return folders + contents + [
            tooLarge, tooManyEntries, disallowedName, UploadReaction.fullAccount,
            SyncError.baseLostProblem, UploadPlanner.nothingToSend,
        ]
    }

    /// Whether a problem stays until something changes, in contrast to a failure of the server, a
    /// lock or a full disk, which may pass in a moment.
    static func isLasting(_ problem: String) -> Bool {
        texts.contains(problem)
            || [forbidden, protected, unexplained].contains { problem.hasPrefix($0) }
    }
}

extension TreeReading {
    /// Whether all that is queued waits because of problems that do not pass by themselves.
    package func isQueueRefused() throws -> Bool {
        if try hasSendableEntry() { return false }
        return try problems(triedFewerTimesThan: LastingProblem.attempts)
            .allSatisfy(LastingProblem.isLasting)
    }
}
