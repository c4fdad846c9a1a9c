// The settings of an account in memory that tests change: its limits, its facts, and the folders
// that its clients may not change. Not responsible for changes of its tree.

package import Core
import RemoteStore
import Synchronization

extension InMemoryStore {
    /// Sets the account's quota in bytes.
    package func setQuota(_ bytes: Int64) {
        state.withLock { $0.tree.quota = bytes }
    }

    /// Sets how many entries a client may move at once; `otherClient` may always move all.
    package func setMoveLimit(_ entries: Int) {
        state.withLock { $0.moveLimit = entries }
    }

    /// Whether deltas tell of an entry whose facts alone have changed.
    package func setTellsFacts(_ tells: Bool) {
        state.withLock { $0.tree.tellsFacts = tells }
    }

    /// The facts of the entry at a path.
    package func facts(at path: String) -> PosixFacts? {
        read { tree in
            tree.item(at: RemotePath(rawValue: path)).flatMap { tree.facts?[$0.id] }
        }
    }

    /// Removes all facts from the account.
    package func removeFacts() {
        state.withLock { $0.tree.removeFacts() }
    }

    /// Takes the right to change a folder and its contents from all clients but `otherClient`.
    /// Returns whether a folder is there.
    package func setReadOnly(_ path: String) -> Bool {
        state.withLock { state in
            guard let item = state.tree.item(at: RemotePath(rawValue: path)), item.file == nil
            else { return false }
            state.tree.readOnly.insert(item.id)
            return true
        }
    }

    /// Gives all clients the right to change everything.
    package func liftReadOnly() {
        state.withLock { $0.tree.readOnly = [] }
    }
}

extension InMemoryTree {
    /// Throws `forbidden` unless a client may put something at a path.
    func checkRights(toPutAt path: RemotePath) throws(RemoteError) {
        let isBelow = !readOnly.isEmpty && path.parent.withAncestors.contains(where: isReadOnly)
        if isBelow { throw .forbidden("the folder is read-only") }
    }

    /// Throws `forbidden` unless a client may change the entry at a path.
    func checkRights(toChange path: RemotePath) throws(RemoteError) {
        try checkRights(toPutAt: path)
        if isReadOnly(path) { throw .forbidden("it is read-only") }
    }

    /// Throws unless a client may move or delete the entry at a path: `protected` for a read-only
    /// folder itself, and `forbidden` for its contents.
    func checkRights(toRemove path: RemotePath) throws(RemoteError) {
        try checkRights(toPutAt: path)
        if isReadOnly(path) { throw .protected("it is a shared folder") }
    }

    private func isReadOnly(_ path: RemotePath) -> Bool {
        item(at: path).map { readOnly.contains($0.id) } ?? false
    }
}
