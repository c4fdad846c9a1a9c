// The dependencies that the parts of uploading share, and the two ways to work with the local disk:
// for the store, and for files. Not responsible for any step.

import Blocking
import Core
import Logging
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Tree

/// The dependencies of the parts that upload.
struct UploadEnvironment: Sendable {
    var store: MetadataStore
    var staging: StagingArea
    var remote: any RemoteStoring
    var cache: any ContentCaching
    var openFiles: any OpenFileTracking
    var observer: any TreeChangeObserving
    var clock: any SyncClock
    var state: SyncState
    var host: String
    var log: Logger
    /// How long a file that is still open may be written to before its present content is sent, in
    /// seconds.
    var openFileInterval: Double
    /// How modes, times and attributes are shared.
    var posix: PosixRules
    /// Whether no node gets an alias for its name.
    var refusesNames: Bool
    var activities: (any SyncActivityObserving)?
    let changes: UserChanges
    let disk: DiskQueue
    let gate = CommitGate()
    let contradiction = NotedContradiction()

    /// The present context for `DeltaApplier`.
    func deltaContext() -> DeltaContext {
        var context = DeltaContext(
            openFiles: openFiles, staging: staging, now: clock.now(), date: clock.date(),
            host: host,
            isListing: state.current.isListing, isTreeComplete: state.current.isTreeComplete)
        context.posix = posix
        context.refusesNames = refusesNames
        return context
    }

    /// Announces a committed transaction: its changes for users, and its conflicted copies.
    func tell(_ changes: [TreeChange], conflicts: [String]) {
        state.noteStore(nil)
        if !conflicts.isEmpty {
            log.warning("conflicted copies made", metadata: ["names": "\(conflicts)"])
            state.update { $0.conflicts +|= conflicts.count }
            activities?.note(.conflicts(conflicts, changes))
        }
        if !changes.isEmpty { observer.treeDidChange(changes) }
    }

    /// Notes changes of other clients for the history. The first listing of an account is none.
    func noteReceived(_ changes: [TreeChange]) {
        if !changes.isEmpty { activities?.note(.received(changes)) }
    }
}

extension UploadEnvironment {
    /// Runs store work whose failure is the disk's: logged, shown in status, and retried with the
    /// next step.
    @discardableResult
    nonisolated(nonsending) func attempt<Value: Sendable>(_ work: () async throws -> Value) async
        -> Value?
    {
        try? await outcome(of: work).get()
    }

    /// The same, for callers that need the error.
    nonisolated(nonsending) func outcome<Value: Sendable>(
        of work: () async throws -> Value
    ) async -> SyncOutcome<Value> {
        do {
            return .success(try await work())
        } catch {
            let failure = SyncError(cause: error)
            guard case .local(let reason) = failure else { return .failure(failure) }
            if MetadataStore.isContradiction(error) { contradiction.note() }
            log.error("the database failed", metadata: ["error": "\(error)"])
            state.noteStore(reason)
            return .failure(failure)
        }
    }

    /// Runs work on the local disk on a thread that may wait for it.
    func local<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(SyncError) -> Value {
        do {
            return try await disk.run(work)
        } catch {
            throw SyncError(cause: error)
        }
    }
}
