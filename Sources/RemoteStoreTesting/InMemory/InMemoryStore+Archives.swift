// Archives of folders.

import Core
package import RemoteStore
import Synchronization

extension InMemoryStore {
    /// The files below a folder, one at a time.
    package func archive(
        of folder: RemotePath, bytes: Int64
    ) async throws(RemoteError) -> any RemoteArchive {
        let contents = try state.withLock { (state) throws(RemoteError) in
            let entries = state.tree.entries(in: try state.tree.folder(at: folder), recursive: true)
            return entries.compactMap { entry -> [UInt8]? in
                guard case .file(let file) = entry.kind, file.size <= 4 << 20 else { return nil }
                return state.tree.contents[file.revision]
            }
        }
        return InMemoryArchive(contents)
    }
}

private final class InMemoryArchive: RemoteArchive {
    private let rest: Mutex<ArraySlice<[UInt8]>>

    init(_ contents: [[UInt8]]) {
        rest = Mutex(contents[...])
    }

    func next() async throws(RemoteError) -> [[UInt8]]? {
        if Task.isCancelled { throw .cancelled }
        return rest.withLock { rest in rest.popFirst().map { [$0] } }
    }
}
