// The numbers that the kernel carries for open files and folders, and what they stand for.

import Core
import Synchronization

/// One open file description of a process.
final class FileHandle: Sendable {
    /// The inode.
    let inode: InodeID
    /// How it was opened.
    let flags: OpenFlags
    /// What it shares with the inode's other handles.
    let file: OpenFile
    /// Its reading habits.
    let session: ReadSession
    /// The folder that the file was in.
    let folder: InodeID?
    /// Its content never leaves this machine, so that the account's quota does not matter.
    let isLocalOnly: Bool
    /// The kernel reads and writes past its pages.
    let isDirect: Bool

    init(
        inode: InodeID, flags: OpenFlags, file: OpenFile, session: ReadSession,
        folder: InodeID? = nil, isLocalOnly: Bool, isDirect: Bool = false
    ) {
        self.inode = inode
        self.flags = flags
        self.file = file
        self.session = session
        self.folder = folder
        self.isLocalOnly = isLocalOnly
        self.isDirect = isDirect
    }
}

/// Gives out numbers that are never used twice.
final class HandleTable<Handle: Sendable>: Sendable {
    private struct State {
        var handles: [HandleID: Handle] = [:]
        var next: UInt64 = 1
    }

    /// Lock rank 1 (see `OpenFiles`), held for a dictionary access.
    private let state = Mutex(State())

    /// Keeps a handle until `remove`.
    func insert(_ handle: Handle) -> HandleID {
        state.withLock { state in
            let id = HandleID(state.next)
            state.next +|= 1
            state.handles[id] = handle
            return id
        }
    }

    /// The handle of a number.
    func handle(_ id: HandleID) throws(FileSystemError) -> Handle {
        let handle = state.withLock { $0.handles[id] }
        guard let handle else { throw .badHandle }
        return handle
    }

    /// Forgets a number.
    func remove(_ id: HandleID) -> Handle? {
        state.withLock { $0.handles.removeValue(forKey: id) }
    }
}
