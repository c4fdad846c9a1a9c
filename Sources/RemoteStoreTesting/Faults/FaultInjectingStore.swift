// A store whose calls fail on a test's demand. Not responsible for a cloud's behaviour: that is the
// wrapped store's.

package import Core
package import RemoteStore
import Synchronization

/// Forwards calls to another store and makes some of them fail.
///
/// Without faults it behaves like the wrapped store. Faults are planned for certain calls
/// (`inject`) or happen randomly (`injectRandomly`), the same in every run with one seed.
package final class FaultInjectingStore: RemoteStoring {
    /// The suffix of a recursive listing's subject.
    package static let below = "/**"

    private struct State {
        var planned: [PlannedFault] = []
        var isOffline = false
        var isRootStale = false
        var missingRoot: String?
        var forgetsIDs = false
        var distance = 0.0
        var impossibleNames: Set<String> = []
        var calls: [RemoteCall] = []
        var numbers: [RemoteOperation: Int] = [:]
        var occurrences: [RemoteCall: Int] = [:]
        var lostReplies: [RemoteOperation: Int] = [:]
    }

    private let base: any RemoteStoring
    private let lottery: FaultLottery
    private let stalls = StalledCalls()
    /// Held for memory only.
    private let state = Mutex(State())

    /// Wraps a store. The seed is for `injectRandomly`.
    package init(_ base: some RemoteStoring, seed: UInt64 = 0) {
        self.base = base
        lottery = FaultLottery(seed: seed)
    }

    // MARK: Planning

    /// Applies a fault to the calls for which `isMeant` is true, `times` times; nil for always.
    package func inject(
        _ fault: Fault, times: Int? = 1, when isMeant: @escaping @Sendable (RemoteCall) -> Bool
    ) {
        state.withLock {
            $0.planned.append(PlannedFault(fault: fault, remaining: times, isMeant: isMeant))
        }
    }

    /// Applies a fault to the `number`-th call of an operation since the beginning, 1 for the
    /// first; by default to the next one.
    package func inject(_ fault: Fault, into operation: RemoteOperation, number: Int? = nil) {
        inject(fault) { call in
            call.operation == operation && (number == nil || call.number == number)
        }
    }

    /// Makes calls fail randomly: each with the given probability, with one of the faults.
    package func injectRandomly(
        _ faults: [Fault], probability: Double,
        into operations: Set<RemoteOperation> = Set(RemoteOperation.allCases)
    ) {
        let lottery = lottery
        for (index, fault) in faults.enumerated() {
            let share = Double(index)..<Double(index + 1)
            inject(fault, times: nil) { call in
                operations.contains(call.operation)
                    && lottery.draw(call, salt: 1) < probability
                    && share.contains(lottery.draw(call, salt: 2) * Double(faults.count))
            }
        }
    }

    /// Removes all faults. Stalled calls stay stalled.
    package func removeFaults() {
        state.withLock { $0.planned = [] }
    }

    /// While true, every call fails as without a network.
    package var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// While true, every call without a planned fault fails because the root has changed;
    /// `refreshRoot` ends it.
    package var isRootStale: Bool {
        get { state.withLock { $0.isRootStale } }
        set { state.withLock { $0.isRootStale = newValue } }
    }

    /// While true, changes apply to the node at the path, whichever it is: as for a service that
    /// refuses ids, when another client is faster.
    package var forgetsIDs: Bool {
        get { state.withLock { $0.forgetsIDs } }
        set { state.withLock { $0.forgetsIDs = newValue } }
    }

    /// While set, the root is missing, as when another client has deleted the mounted folder.
    package var missingRoot: String? {
        get { state.withLock { $0.missingRoot } }
        set { state.withLock { $0.missingRoot = newValue } }
    }

    /// Maximum latency in seconds of each request and each response; the actual one is random. A
    /// call that is cancelled during it may have taken effect.
    package var distance: Double {
        get { state.withLock { $0.distance } }
        set { state.withLock { $0.distance = newValue } }
    }

    /// Names that listings omit and count, like names that a filesystem cannot hold.
    package var impossibleNames: Set<String> {
        get { state.withLock { $0.impossibleNames } }
        set { state.withLock { $0.impossibleNames = newValue } }
    }

    /// Lets all stalled calls continue.
    package func releaseStalled() { stalls.releaseAll() }

    /// Number of stalled calls; each counts from the moment at which `calls` has it.
    package var stalledCount: Int { stalls.count }

    /// All calls so far, in order.
    package var calls: [RemoteCall] { state.withLock { $0.calls } }

    /// Number of calls of an operation that took effect while the network failed.
    package func lostReplies(to operation: RemoteOperation) -> Int {
        state.withLock { $0.lostReplies[operation] ?? 0 }
    }

    // MARK: Happening

    /// Performs a call with its fault.
    private func perform<Value: Sendable>(
        _ operation: RemoteOperation, _ subject: String,
        _ work: (Fault?) async throws(RemoteError) -> Value
    ) async throws(RemoteError) -> Value {
        let (call, fault, stall) = try begin(operation, subject)
        defer { if let stall { stalls.release(stall) } }
        try await travel(call, salt: 3)
        if case .failBefore(let error) = fault { throw error }
        if let stall { try await stalls.stop(stall) }
        let value = try await work(fault)
        try await travel(call, salt: 4)
        if case .failAfter(let error) = fault { throw error }
        // The network may have failed during the call.
        let isLost = state.withLock { state in
            if state.isOffline { state.lostReplies[operation, default: 0] += 1 }
            return state.isOffline
        }
        if isLost { throw .offline("switched off") }
        return value
    }

    private func begin(
        _ operation: RemoteOperation, _ subject: String
    ) throws(RemoteError) -> (RemoteCall, Fault?, stall: Int?) {
        try state.withLock { (state) throws(RemoteError) in
            var call = RemoteCall(operation: operation, subject: subject, occurrence: 0, number: 0)
            state.occurrences[call, default: 0] += 1
            state.numbers[operation, default: 0] += 1
            call.occurrence = state.occurrences[call] ?? 0
            call.number = state.numbers[operation] ?? 0
            state.calls.append(call)
            if state.isOffline {
                throw operation.isChange ? .unreachable("switched off") : .offline("switched off")
            }
            let index = state.planned.indices.first { state.planned[$0].happens(in: call) }
            let fault = index.map { state.planned[$0].fault }
            if fault == nil, state.isRootStale || state.missingRoot != nil {
                if operation != .account && operation != .space { throw .rootChanged }
            }
            return (call, fault, stall: fault == .stall ? stalls.begin() : nil)
        }
    }

    private func named(_ node: RemoteReference) -> RemoteReference {
        forgetsIDs ? RemoteReference(path: node.path) : node
    }

    private func refusing(_ page: RemotePage) -> RemotePage {
        let impossible = impossibleNames
        var possible = page
        possible.entries.removeAll { impossible.contains($0.name.string) }
        possible.refusedCount += page.entries.count - possible.entries.count
        return possible
    }

    private func travel(_ call: RemoteCall, salt: UInt64) async throws(RemoteError) {
        let distance = distance
        guard distance > 0 else { return }
        do {
            try await Task.sleep(for: .seconds(distance * lottery.draw(call, salt: salt)))
        } catch {
            throw .cancelled
        }
    }

    // MARK: RemoteStoring

    /// Returns the wrapped store's root.
    package var root: String { base.root }

    /// Forwards the call; fails on its own account only while the root is missing.
    package func refreshRoot() async throws(RemoteError) {
        if let missing = missingRoot { throw .rootMissing(missing) }
        try await base.refreshRoot()
        isRootStale = false
    }

    /// Forwards the call, unless a fault is due.
    package func account() async throws(RemoteError) -> RemoteAccount {
        try await perform(.account, "") { _ async throws(RemoteError) in try await base.account() }
    }

    /// Forwards the call, unless a fault is due.
    package func space() async throws(RemoteError) -> RemoteSpace {
        try await perform(.space, "") { _ async throws(RemoteError) in try await base.space() }
    }

    /// Forwards the call, unless a fault is due.
    package func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        let subject = folder.rawValue + (recursive ? Self.below : "")
        return try await perform(.list, subject) { _ async throws(RemoteError) in
            refusing(try await base.list(folder, recursive: recursive))
        }
    }

    /// Forwards the call, unless a fault is due.
    package func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        try await perform(.listAfter, cursor.rawValue) { _ async throws(RemoteError) in
            refusing(try await base.list(after: cursor))
        }
    }

    /// Forwards the call, unless a fault is due.
    package func latestCursor() async throws(RemoteError) -> Cursor {
        try await perform(.latestCursor, "") { _ async throws(RemoteError) in
            try await base.latestCursor()
        }
    }

    /// Forwards the call, unless a fault is due.
    package func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        try await perform(.waitForChange, cursor.rawValue) { _ async throws(RemoteError) in
            try await base.waitForChange(after: cursor, timeout: timeout)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        try await perform(.entry, path.rawValue) { _ async throws(RemoteError) in
            try await base.entry(at: path)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        try await perform(.entry, id.rawValue) { _ async throws(RemoteError) in
            try await base.entry(of: id)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func revisions(of id: FileID) async throws(RemoteError) -> [RemoteFile] {
        try await perform(.revisions, id.rawValue) { _ async throws(RemoteError) in
            try await base.revisions(of: id)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func deletionCursor() async throws(RemoteError) -> Cursor? {
        try await perform(.deletionCursor, "") { _ async throws(RemoteError) in
            try await base.deletionCursor()
        }
    }

    /// Forwards the call, unless a fault is due.
    package func deletedFile(
        at path: RemotePath
    ) async throws(RemoteError) -> RemoteRevisions? {
        try await perform(.deletedFile, path.rawValue) { _ async throws(RemoteError) in
            try await base.deletedFile(at: path)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func restore(
        _ path: RemotePath, to revision: Revision
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.restore, path.rawValue) { _ async throws(RemoteError) in
            try await base.restore(path, to: revision)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        try await perform(.download, revision.rawValue) { fault async throws(RemoteError) in
            FaultyStream(try await base.download(revision, range: range), fault)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func archive(
        of folder: RemotePath, bytes: Int64
    ) async throws(RemoteError) -> any RemoteArchive {
        try await perform(.download, folder.rawValue) { _ async throws(RemoteError) in
            try await base.archive(of: folder, bytes: bytes)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.upload, commit.path.rawValue) { fault async throws(RemoteError) in
            try await base.upload(FaultySource(source, fault, start: 0), commit: commit)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        try await perform(.startUpload, "") { _ async throws(RemoteError) in
            try await base.startUpload(concurrent: concurrent)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        let subject = "\(session.id) \(range)"
        try await perform(.append, subject) { fault async throws(RemoteError) in
            try await base.append(
                FaultySource(source, fault, start: range.lowerBound), range: range, to: session,
                closes: closes)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.finishUpload, commit.path.rawValue) { _ async throws(RemoteError) in
            try await base.finishUpload(session, size: size, commit: commit)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        try await perform(.makeFolder, path.rawValue) { _ async throws(RemoteError) in
            try await base.makeFolder(at: path)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func delete(
        _ node: RemoteReference, revision: Revision?
    ) async throws(RemoteError) {
        try await perform(.delete, node.path.rawValue) { _ async throws(RemoteError) in
            try await base.delete(named(node), revision: revision)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.move, node.path.rawValue) { _ async throws(RemoteError) in
            try await base.move(named(node), to: target)
        }
    }

    /// Forwards the call, unless a fault is due.
    package func setFacts(
        _ facts: PosixFacts, of node: RemoteReference
    ) async throws(RemoteError) {
        try await perform(.setFacts, node.path.rawValue) { _ async throws(RemoteError) in
            try await base.setFacts(facts, of: named(node))
        }
    }

    /// Forwards the call, unless a fault is due.
    package func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.copy, source.path.rawValue) { _ async throws(RemoteError) in
            try await base.copy(named(source), to: target)
        }
    }
}
