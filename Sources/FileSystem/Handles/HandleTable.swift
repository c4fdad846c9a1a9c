// The numbers that the kernel uses for open files, and the handles behind them.

import Core
import Saturating
import Synchronization

/// One open file description of a process.
final class FileHandle: Sendable {
    /// Inode of the file.
    let inode: InodeID
    /// The flags of its open.
    let flags: OpenFlags
    /// The state that all handles of the inode share.
    let file: OpenFile
    /// Read pattern and read-ahead of this handle.
    let session: ReadSession
    /// The folder of the file at its open.
    let folder: InodeID?
    /// The revision that this handle reads although the file has another content by now; nil if it
    /// reads the file's.
    let told: FileVersion?
    /// The content is local-only, so that the account's quota does not matter.
    let isLocalOnly: Bool
    /// Direct I/O: reads and writes bypass the kernel's pages.
    let isDirect: Bool

    init(
        inode: InodeID, flags: OpenFlags, file: OpenFile, session: ReadSession,
        folder: InodeID? = nil, told: FileVersion? = nil, isLocalOnly: Bool,
        isDirect: Bool = false
    ) {
        self.inode = inode
        self.flags = flags
        self.file = file
        self.session = session
        self.folder = folder
        self.told = told
        self.isLocalOnly = isLocalOnly
        self.isDirect = isDirect
    }

    /// The location of the bytes that are read through this handle.
    var content: OpenFile.Content {
        told.map { OpenFile.Content.revision($0) } ?? file.content
    }
}

/// Maps handle numbers, which are never reused, to handles.
final class HandleTable: Sendable {
    private struct State {
        var handles: [HandleID: FileHandle] = [:]
        var next: UInt64 = 1
    }

    /// Lock rank 1 (see `OpenFiles`), held for a dictionary access.
    private let state = Mutex(State())

    /// Stores a handle until `remove`.
    func insert(_ handle: FileHandle) -> HandleID {
        state.withLock { state in
            let id = HandleID(state.next)
            state.next +|= 1
            state.handles[id] = handle
            return id
        }
    }

    /// The handle with this number.
    func handle(_ id: HandleID) throws(FileSystemError) -> FileHandle {
        let handle = state.withLock { $0.handles[id] }
        guard let handle else { throw .badHandle }
        return handle
    }

    /// Removes and returns a handle.
    func remove(_ id: HandleID) -> FileHandle? {
        state.withLock { $0.handles.removeValue(forKey: id) }
    }
}
