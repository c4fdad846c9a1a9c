// The exports of cloud documents that a mount serves as their content: one request for each
// revision, and a bounded number of bytes on the disk. Not responsible for the right to open a
// document.

package import Blocking
import Core
package import RemoteStore
import Saturating
import Synchronization

/// Exports of documents, newest revision by newest revision.
///
/// Those used last stay, also for later mounts; a handle keeps its own to its end. The sizes of the
/// others stay until the mount ends, so that `stat` does not go back and forth.
package final class DocumentExports: Sendable {
    /// How much is kept.
    package struct Limits: Sendable {
        /// Bytes of all exports together, and of one at most.
        package var bytes: Int64 = 1 << 30
        /// Number of exports, each of which has a descriptor.
        package var files = 32
        /// Number of documents whose size is known.
        package var documents = 4096

        /// The limits of a mount.
        package init() {}
    }

    private struct Entry {
        /// The revision that the tree had when the export was asked for.
        var asked: Revision
        /// The revision that came: the same, or a newer one that the tree does not have yet.
        var came: Revision
        var size: Int64
        /// Nil once it is no longer kept.
        var file: ExportedFile?
        var lastUse: UInt64 = 0

        func isOf(_ revision: Revision) -> Bool { revision == asked || revision == came }
    }

    private struct Waiter {
        let inode: InodeID
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var entries: [InodeID: Entry] = [:]
        var uses: UInt64 = 0
        var running: Set<InodeID> = []
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
    }

    private let remote: any RemoteExporting
    private let folder: ExportsFolder
    private let limits: Limits
    private let disk: DiskQueue
    /// Held for dictionary accesses. No other lock is taken under it.
    private let state = Mutex(State())

    /// Keeps the exports in a folder, and takes over those of the mount before.
    package init(
        remote: any RemoteExporting, folder: String, limits: Limits = Limits(),
        disk: DiskQueue = DiskQueue(label: "dbxfs.exports")
    ) {
        self.remote = remote
        self.folder = ExportsFolder(folder)
        self.limits = limits
        self.disk = disk
        let dropped = state.withLock { state in
            var replaced: [ExportedFile?] = []
            for (name, file) in self.folder.files() {
                state.uses +|= 1
                let entry = Entry(
                    asked: name.asked, came: name.came, size: file.size, file: file,
                    lastUse: state.uses)
                // A process that was killed has left the export of an earlier revision, too.
                replaced.append(state.entries.updateValue(entry, forKey: name.inode)?.file)
            }
            replaced.append(contentsOf: reduce(&state))
            return replaced
        }
        for file in dropped { file?.forget() }
    }

    /// Removes the exports of earlier mounts from a folder.
    package static func remove(from folder: String) {
        for (_, file) in ExportsFolder(folder).files() { file.forget() }
    }

    /// The export of a revision, if it is here, whole.
    func file(of inode: InodeID, _ revision: Revision) -> ExportedFile? {
        guard let file = kept(inode, revision) else { return nil }
        guard !file.isWhole else { return file }
        state.withLock { state in
            if state.entries[inode]?.file === file { state.entries[inode]?.file = nil }
        }
        file.forget()
        return nil
    }

    private func kept(_ inode: InodeID, _ revision: Revision) -> ExportedFile? {
        state.withLock { state in
            guard var entry = state.entries[inode], entry.isOf(revision), let file = entry.file
            else { return nil }
            state.uses +|= 1
            entry.lastUse = state.uses
            state.entries[inode] = entry
            return file
        }
    }

    /// The size of the last export, if it is of this revision.
    func size(of inode: InodeID, _ revision: Revision?) -> Int64? {
        guard let revision else { return nil }
        return state.withLock { state in
            state.entries[inode].flatMap { $0.isOf(revision) ? $0.size : nil }
        }
    }

    /// Gets the export of a document's revision, or of a newer one. Callers for one document share
    /// a request.
    func fetch(
        _ inode: InodeID, id: FileID, revision: Revision
    ) async throws(ExportFailure) {
        while !begin(inode) {
            await waitForEnd(of: inode)
            if Task.isCancelled { throw .remote(.cancelled) }
            if file(of: inode, revision) != nil { return }
        }
        defer { end(inode) }
        // The one before may have ended between the caller's look and its turn.
        if file(of: inode, revision) != nil { return }
        let folder = folder
        let made = await disk.run { () -> Result<UnnamedFile, ExportFailure> in
            do throws(ExportFailure) {
                return .success(try folder.newFile())
            } catch {
                return .failure(error)
            }
        }
        let unnamed = try made.get()
        let export = try await remote.export(id, as: nil, limit: limits.bytes, on: disk) {
            unnamed.write($0, at: $1)
        }
        let name = ExportsFolder.Name(
            inode: inode, asked: revision, came: export.revision, size: export.size)
        let path = await disk.run { folder.keep(unnamed, as: name) }
        let file = ExportedFile(unnamed, size: export.size, path: path)
        let dropped = state.withLock { state in
            state.uses +|= 1
            let old = state.entries.updateValue(
                Entry(
                    asked: revision, came: export.revision, size: export.size, file: file,
                    lastUse: state.uses), forKey: inode)
            return [old?.file] + self.reduce(&state)
        }
        // To free the blocks of a large file takes time, for which no lock is held.
        for file in dropped { file?.forget() }
    }

    /// Gives up all exports; open documents can be read to their end. Returns the number of bytes.
    package func clear() -> Int64 {
        let dropped = state.withLock { state in
            let files = state.entries.values.compactMap(\.file)
            for inode in state.entries.keys { state.entries[inode]?.file = nil }
            return files
        }
        for file in dropped { file.forget() }
        return dropped.reduce(Int64(0)) { $0 +| $1.size }
    }

    /// Gives up what was used least recently, down to the limits; but never the last one.
    private func reduce(_ state: inout State) -> [ExportedFile?] {
        var kept = state.entries.filter { $0.value.file != nil }
            .sorted { $0.value.lastUse < $1.value.lastUse }[...]
        var bytes = kept.reduce(Int64(0)) { $0 +| $1.value.size }
        var dropped: [ExportedFile?] = []
        while kept.count > 1, bytes > limits.bytes || kept.count > limits.files {
            guard let (inode, entry) = kept.popFirst() else { break }
            bytes -|= entry.size
            dropped.append(entry.file)
            state.entries[inode]?.file = nil
        }
        if state.entries.count > limits.documents {
            let oldest = state.entries.filter { $0.value.file == nil }
                .min { $0.value.lastUse < $1.value.lastUse }
            if let oldest { state.entries[oldest.key] = nil }
        }
        return dropped
    }

    // MARK: Turns

    private func begin(_ inode: InodeID) -> Bool {
        state.withLock { $0.running.insert(inode).inserted }
    }

    private func end(_ inode: InodeID) {
        let waiters = state.withLock { state in
            state.running.remove(inode)
            let waiters = state.waiters.filter { $0.value.inode == inode }
            for ticket in waiters.keys { state.waiters[ticket] = nil }
            return waiters
        }
        for waiter in waiters.values { waiter.continuation.resume() }
    }

    /// Returns when a running request has ended, or when the caller's task is cancelled.
    private func waitForEnd(of inode: InodeID) async {
        let ticket = state.withLock { state in
            state.nextWaiter +|= 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || !state.running.contains(inode) { return true }
                    state.waiters[ticket] = Waiter(inode: inode, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: ticket) }
            waiter?.continuation.resume()
        }
    }
}
