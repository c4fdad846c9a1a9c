// One Dropbox at run time: its state behind a lock, its journal, its contents, and the tasks that
// wait for changes. Not responsible for access to it (`AccountRegistry`).

import Synchronization

/// One Dropbox, which one or more accounts use.
final class Space: Sendable {
    /// 2 TB, as in the smallest paid plan: large enough for every test that sets no quota.
    static let defaultQuota: Int64 = 2 << 40

    let number: UInt32
    let content: ContentStore
    let changed = ChangeSignal()
    let hashes = SessionHashes()
    private let state: Mutex<SpaceState>
    private let journal: Journal
    private let times = Mutex(ChangeTimes())

    /// Opens the Dropbox kept in a folder, or makes an empty one.
    init(
        number: UInt32, folder: String, folding: FoldingRule = .unicode4,
        conduct: Conduct = .init()
    ) throws {
        try ContentStore.makeFolder(folder)
        self.number = number
        content = try ContentStore(folder: folder)
        var restored = SpaceState(
            tree: AccountTree(
                namespace: number, quota: Space.defaultQuota, folding: folding,
                conduct: conduct))
        journal = try Journal(path: "\(folder)/journal") { operation, time in
            // The journal contains only operations that succeeded on this very state.
            _ = try? restored.apply(operation, at: time)
        }
        state = Mutex(restored)
    }

    /// The choices of this Dropbox.
    var conduct: Conduct { tree { $0.conduct } }

    /// Reads the state under the lock.
    func read<Value: Sendable, Failure: Error>(
        _ body: (SpaceState) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(state) }
    }

    /// Reads the tree under the lock.
    func tree<Value: Sendable, Failure: Error>(
        _ body: (AccountTree) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try state.withLock { state throws(Failure) in try body(state.tree) }
    }

    /// Applies an operation, and reads its result before any other operation can change it.
    ///
    /// The journal is written under the lock, so that its order is the order of the changes; the
    /// write is short and goes to the page cache.
    func apply<Value: Sendable>(
        _ operation: Operation, _ result: (SpaceState, NodeID?) -> Value
    ) throws -> Value {
        let (value, hasChanged) = try state.withLock { state in
            let time = APITime.now()
            let before = state.tree.changes.count
            let node = try state.apply(operation, at: time)
            let hasChanged = state.tree.changes.count != before
            if hasChanged || !operation.isTreeOperation {
                try journal.append(operation, at: time)
            }
            if hasChanged { times.withLock { $0.note(from: before, at: .now) } }
            return (result(state, node), hasChanged)
        }
        if hasChanged { changed.announce() }
        return value
    }

    /// The time of the change at a position of the change log; nil if it is long ago.
    func time(ofChange position: Int) -> ContinuousClock.Instant? {
        times.withLock { $0.time(of: position) }
    }

    /// Applies an operation and discards its result.
    func apply(_ operation: Operation) throws {
        try apply(operation) { _, _ in }
    }
}

extension Operation {
    /// Whether the operation only changes the tree's entries, so that it is not recorded when it
    /// changed none.
    fileprivate var isTreeOperation: Bool {
        switch self {
        case .commit, .createFolder, .delete, .relocate, .restore: true
        case .startSession, .append, .endSession, .seed, .setQuota, .setRelocationLimit, .share,
            .mountFolder, .unmountFolder, .mark, .link, .unlink, .resetCursors, .addTemplate,
            .updateTemplate, .removeTemplate, .changeProperties:
            false
        }
    }
}
