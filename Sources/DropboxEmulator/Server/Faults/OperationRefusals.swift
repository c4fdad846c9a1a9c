// Refusals of a call's operations, regardless of the tree: write contention as a fault, and writes
// by id where the settings refuse them. A refused operation changes nothing, and its error is in
// the union of its own kind.

import Synchronization

/// The planned refusals of a call's operations.
final class OperationRefusals: Sendable {
    /// The refusals of the call that the current task executes.
    @TaskLocal static var current: OperationRefusals?

    /// How many operations still fail with `too_many_write_operations`.
    private let left: Mutex<Int64>
    private let refusesIDs: Bool

    init(_ plan: FaultPlan, refusesIDs: Bool) {
        left = Mutex(plan.details(.contention)?.entries ?? 0)
        self.refusesIDs = refusesIDs
    }

    /// Whether the next operation has to fail.
    private func take() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// Throws the error of an operation that has to fail.
    static func check(_ operation: Operation) throws {
        guard let current else { return }
        if current.refusesIDs { try refuseIDs(operation) }
        switch operation {
        case .commit, .createFolder:
            if current.take() { throw WriteError.tooManyWriteOperations }
        case .delete:
            if current.take() { throw DeleteError.tooManyWriteOperations }
        case .relocate:
            if current.take() { throw RelocationError.to(.tooManyWriteOperations) }
        case .restore:
            if current.take() { throw RestoreError.pathWrite(.tooManyWriteOperations) }
        // Their unions have no tag for contention.
        case .startSession, .append, .endSession, .seed, .setQuota, .setRelocationLimit, .share,
            .mountFolder, .unmountFolder, .mark, .link, .unlink, .resetCursors, .addTemplate,
            .updateTemplate, .removeTemplate, .changeProperties:
            break
        }
    }

    /// Refuses commits, deletions and moves by id. Folders are created and files restored by path
    /// alone, and the setting does not concern the rest.
    private static func refuseIDs(_ operation: Operation) throws {
        switch operation {
        case .commit(let commit, _):
            if commit.path.hasPrefix("id:") { throw WriteError.malformedPath }
        case .delete(let path, _, _):
            if path.hasPrefix("id:") { throw DeleteError.pathLookup(.malformedPath) }
        case .relocate(let relocation):
            if relocation.from.hasPrefix("id:") {
                throw RelocationError.fromLookup(.malformedPath)
            }
            if relocation.to.hasPrefix("id:") { throw RelocationError.to(.malformedPath) }
        case .createFolder, .restore, .startSession, .append, .endSession, .seed, .setQuota,
            .setRelocationLimit, .share, .mountFolder, .unmountFolder, .mark, .link, .unlink,
            .resetCursors, .addTemplate, .updateTemplate, .removeTemplate, .changeProperties:
            break
        }
    }
}
