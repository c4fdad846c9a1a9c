// Saves the content of files that stay open: a program may write to a log for hours and never close
// it. Not responsible for how content is saved (`ContentKeeper`).

import Blocking
import Core
import Synchronization

/// The open files with changes that no row has.
final class UnsavedFiles: Sendable {
    /// Seconds from the first unsaved change to its save: as many as until closed content is
    /// flushed. Later changes are lost if this process is killed.
    private static let delay = 2.0
    /// Seconds after which a save that has failed is tried again. Each failure is logged.
    private static let pause = 30.0

    private struct State {
        var inodes: [InodeID] = []
        var isScheduled = false
        var hasEnded = false
    }

    private let keeper: ContentKeeper
    private let openFiles: OpenFiles
    private let queue: any BackgroundQueue
    private let work: LocalWork
    /// Lock: a leaf; held for memory only.
    private let state = Mutex(State())

    init(
        keeper: ContentKeeper, openFiles: OpenFiles, queue: any BackgroundQueue, work: LocalWork
    ) {
        self.keeper = keeper
        self.openFiles = openFiles
        self.queue = queue
        self.work = work
    }

    /// Has an open file saved soon.
    func note(_ inode: InodeID) {
        let isFirst = state.withLock { state in
            guard !state.hasEnded else { return false }
            defer { state.isScheduled = true }
            state.inodes.append(inode)
            return !state.isScheduled
        }
        guard isFirst else { return }
        queue.run(after: Self.delay) { [weak self] in self?.saveNoted() }
    }

    /// Saves all files, for the end of this process: their last change is over.
    func end() {
        state.withLock { $0.hasEnded = true }
        queue.run {}
        for file in openFiles.all { _ = attempt { try keeper.complete(file) } }
    }

    private func saveNoted() {
        let inodes = state.withLock { state in
            defer { (state.inodes, state.isScheduled) = ([], false) }
            return state.hasEnded ? [] : state.inodes
        }
        // The close has saved closed files already.
        for inode in inodes {
            guard let file = openFiles[inode] else { continue }
            file.noteSaveBegun()
            guard !attempt({ try keeper.saveUnasked(file) }) else { continue }
            queue.run(after: Self.pause) { [weak self] in self?.note(inode) }
        }
    }

    /// Returns whether it has succeeded.
    private func attempt(_ save: () throws -> Void) -> Bool {
        do {
            try save()
            return true
        } catch {
            _ = work.failure(error)
            return false
        }
    }
}
