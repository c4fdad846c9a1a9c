// A store whose calls fail when a test wants them to. Not responsible for what a cloud does: that is
// the wrapped store's.

public import Core
public import RemoteStore
import Synchronization

/// Passes calls on to another store and makes some of them fail.
///
/// Without faults it behaves as the wrapped store. Faults are planned for certain calls (`inject`) or
/// happen by chance (`injectRandomly`), the same in every run with one seed.
public final class FaultInjectingStore: RemoteStoring {
    /// What the subject of a recursive listing ends with.
    public static let below = "/**"

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
        var stalled: [Int: CheckedContinuation<Void, Never>] = [:]
        var stallCount = 0
    }

    private let base: any RemoteStoring
    private let lottery: FaultLottery
    /// Held for memory only.
    private let state = Mutex(State())

    /// Wraps a store. The seed is for `injectRandomly`.
    public init(_ base: some RemoteStoring, seed: UInt64 = 0) {
        self.base = base
        lottery = FaultLottery(seed: seed)
    }

    // MARK: Planning

    /// Makes a fault happen in the calls that `isMeant` picks, `times` times; nil for always.
    public func inject(
        _ fault: Fault, times: Int? = 1, when isMeant: @escaping @Sendable (RemoteCall) -> Bool
    ) {
        state.withLock {
            $0.planned.append(PlannedFault(fault: fault, remaining: times, isMeant: isMeant))
        }
    }

    /// Makes a fault happen in the `number`-th call of an operation from the beginning, 1 for the
    /// first; by default in the next one.
    public func inject(_ fault: Fault, into operation: RemoteOperation, number: Int? = nil) {
        inject(fault) { call in
            call.operation == operation && (number == nil || call.number == number)
        }
    }

    /// Makes calls fail by chance: each with the given probability, with one of the faults.
    public func injectRandomly(
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

    /// Forgets all faults. Calls that are held stay held.
    public func removeFaults() {
        state.withLock { $0.planned = [] }
    }

    /// While true, every call fails as without a network.
    public var isOffline: Bool {
        get { state.withLock { $0.isOffline } }
        set { state.withLock { $0.isOffline = newValue } }
    }

    /// While true, every call fails because paths start from another root by now; `refreshRoot` ends it.
    public var isRootStale: Bool {
        get { state.withLock { $0.isRootStale } }
        set { state.withLock { $0.isRootStale = newValue } }
    }

    /// While true, changes take whatever is at the path of their node, as they can where the service takes no
    /// ids and another client is faster.
    public var forgetsIDs: Bool {
        get { state.withLock { $0.forgetsIDs } }
        set { state.withLock { $0.forgetsIDs = newValue } }
    }

    /// While set, nothing is where paths start from, as when others have deleted the mounted folder, which was
    /// there.
    public var missingRoot: String? {
        get { state.withLock { $0.missingRoot } }
        set { state.withLock { $0.missingRoot = newValue } }
    }

    /// How many seconds each request and each answer may be on its way at most; how many they are is
    /// chance. A call that is cancelled meanwhile may have been done.
    public var distance: Double {
        get { state.withLock { $0.distance } }
        set { state.withLock { $0.distance = newValue } }
    }

    /// Names that listings leave out and count, as such that no filesystem can hold.
    public var impossibleNames: Set<String> {
        get { state.withLock { $0.impossibleNames } }
        set { state.withLock { $0.impossibleNames = newValue } }
    }

    /// Lets all held calls go on.
    public func releaseStalled() {
        let stalled = state.withLock { state in
            defer { state.stalled = [:] }
            return state.stalled
        }
        for call in stalled.values { call.resume() }
    }

    /// How many calls are held.
    public var stalledCount: Int { state.withLock { $0.stalled.count } }

    /// All calls so far, in order.
    public var calls: [RemoteCall] { state.withLock { $0.calls } }

    // MARK: Happening

    /// Does a call, with what goes wrong in it.
    private func perform<Value: Sendable>(
        _ operation: RemoteOperation, _ subject: String,
        _ work: (Fault?) async throws(RemoteError) -> Value
    ) async throws(RemoteError) -> Value {
        let (call, fault) = try begin(operation, subject)
        try await travel(call, salt: 3)
        switch fault {
        case .failBefore(let error): throw error
        case .stall: try await stall()
        case .failAfter, .cutBody, .corruptBody, nil: break
        }
        let value = try await work(fault)
        try await travel(call, salt: 4)
        if case .failAfter(let error) = fault { throw error }
        // The network may have gone while the call was on its way.
        if state.withLock({ $0.isOffline }) { throw .offline("switched off") }
        return value
    }

    private func begin(
        _ operation: RemoteOperation, _ subject: String
    ) throws(RemoteError) -> (RemoteCall, Fault?) {
        try state.withLock { (state) throws(RemoteError) in
            var call = RemoteCall(operation: operation, subject: subject, occurrence: 0, number: 0)
            state.occurrences[call, default: 0] += 1
            state.numbers[operation, default: 0] += 1
            call.occurrence = state.occurrences[call] ?? 0
            call.number = state.numbers[operation] ?? 0
            state.calls.append(call)
            if state.isOffline { throw .offline("switched off") }
            if state.isRootStale || state.missingRoot != nil {
                if operation != .account && operation != .space { throw .rootChanged }
            }
            let index = state.planned.indices.first { state.planned[$0].happens(in: call) }
            return (call, index.map { state.planned[$0].fault })
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

    private func stall() async throws(RemoteError) {
        let ticket = state.withLock { state in
            state.stallCount += 1
            return state.stallCount
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if Task.isCancelled { return true }
                    state.stalled[ticket] = continuation
                    return false
                }
                if isCancelled { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.stalled.removeValue(forKey: ticket) }?.resume()
        }
        if Task.isCancelled { throw .cancelled }
    }

    // MARK: RemoteStoring

    /// That of the wrapped store.
    public var root: String { base.root }

    /// That of the wrapped store; fails by itself only while there is no root.
    public func refreshRoot() async throws(RemoteError) {
        if let missing = missingRoot { throw .rootMissing(missing) }
        try await base.refreshRoot()
        isRootStale = false
    }

    /// Passes on.
    public func account() async throws(RemoteError) -> RemoteAccount {
        try await perform(.account, "") { _ async throws(RemoteError) in try await base.account() }
    }

    /// Passes on.
    public func space() async throws(RemoteError) -> RemoteSpace {
        try await perform(.space, "") { _ async throws(RemoteError) in try await base.space() }
    }

    /// Passes on.
    public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(RemoteError) -> RemotePage {
        let subject = folder.rawValue + (recursive ? Self.below : "")
        return try await perform(.list, subject) { _ async throws(RemoteError) in
            refusing(try await base.list(folder, recursive: recursive))
        }
    }

    /// Passes on.
    public func list(after cursor: Cursor) async throws(RemoteError) -> RemotePage {
        try await perform(.listAfter, cursor.rawValue) { _ async throws(RemoteError) in
            refusing(try await base.list(after: cursor))
        }
    }

    /// Passes on.
    public func latestCursor() async throws(RemoteError) -> Cursor {
        try await perform(.latestCursor, "") { _ async throws(RemoteError) in
            try await base.latestCursor()
        }
    }

    /// Passes on.
    public func waitForChange(
        after cursor: Cursor, timeout: Int
    ) async throws(RemoteError) -> RemoteChange {
        try await perform(.waitForChange, cursor.rawValue) { _ async throws(RemoteError) in
            try await base.waitForChange(after: cursor, timeout: timeout)
        }
    }

    /// Passes on.
    public func entry(at path: RemotePath) async throws(RemoteError) -> RemoteEntry? {
        try await perform(.entry, path.rawValue) { _ async throws(RemoteError) in
            try await base.entry(at: path)
        }
    }

    /// Passes on.
    public func entry(of id: FileID) async throws(RemoteError) -> RemoteEntry? {
        try await perform(.entry, id.rawValue) { _ async throws(RemoteError) in
            try await base.entry(of: id)
        }
    }

    /// Passes on.
    public func deletionCursor() async throws(RemoteError) -> Cursor? {
        try await perform(.deletionCursor, "") { _ async throws(RemoteError) in
            try await base.deletionCursor()
        }
    }

    /// Passes on.
    public func restoreDeleted(
        _ path: RemotePath
    ) async throws(RemoteError) -> RemoteEntry? {
        try await perform(.restoreDeleted, path.rawValue) { _ async throws(RemoteError) in
            try await base.restoreDeleted(path)
        }
    }

    /// Passes on.
    public func download(
        _ revision: Revision, range: Range<Int64>
    ) async throws(RemoteError) -> any RemoteByteStream {
        try await perform(.download, revision.rawValue) { fault async throws(RemoteError) in
            FaultyStream(try await base.download(revision, range: range), fault)
        }
    }

    /// Passes on.
    public func archive(
        of folder: RemotePath, bytes: Int64
    ) async throws(RemoteError) -> any RemoteArchive {
        try await perform(.download, folder.rawValue) { _ async throws(RemoteError) in
            try await base.archive(of: folder, bytes: bytes)
        }
    }

    /// Passes on.
    public func upload(
        _ source: any UploadSource, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.upload, commit.path.rawValue) { fault async throws(RemoteError) in
            try await base.upload(FaultySource(source, fault, start: 0), commit: commit)
        }
    }

    /// Passes on.
    public func startUpload(concurrent: Bool) async throws(RemoteError) -> UploadSession {
        try await perform(.startUpload, "") { _ async throws(RemoteError) in
            try await base.startUpload(concurrent: concurrent)
        }
    }

    /// Passes on.
    public func append(
        _ source: any UploadSource, range: Range<Int64>, to session: UploadSession, closes: Bool
    ) async throws(RemoteError) {
        let subject = "\(session.id) \(range)"
        try await perform(.append, subject) { fault async throws(RemoteError) in
            try await base.append(
                FaultySource(source, fault, start: range.lowerBound), range: range, to: session,
                closes: closes)
        }
    }

    /// Passes on.
    public func finishUpload(
        _ session: UploadSession, size: Int64, commit: RemoteCommit
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.finishUpload, commit.path.rawValue) { _ async throws(RemoteError) in
            try await base.finishUpload(session, size: size, commit: commit)
        }
    }

    /// Passes on.
    public func makeFolder(at path: RemotePath) async throws(RemoteError) -> RemoteEntry {
        try await perform(.makeFolder, path.rawValue) { _ async throws(RemoteError) in
            try await base.makeFolder(at: path)
        }
    }

    /// Passes on.
    public func delete(
        _ node: RemoteReference, revision: Revision?
    ) async throws(RemoteError) {
        try await perform(.delete, node.path.rawValue) { _ async throws(RemoteError) in
            try await base.delete(named(node), revision: revision)
        }
    }

    /// Passes on.
    public func move(
        _ node: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.move, node.path.rawValue) { _ async throws(RemoteError) in
            try await base.move(named(node), to: target)
        }
    }

    /// Passes on.
    public func copy(
        _ source: RemoteReference, to target: RemotePath
    ) async throws(RemoteError) -> RemoteEntry {
        try await perform(.copy, source.path.rawValue) { _ async throws(RemoteError) in
            try await base.copy(named(source), to: target)
        }
    }
}
