// Changes and questions of tests that the kernel does not see, as those of another client of the
// cloud.

import Core
import FileSystem
import Synchronization

extension TestFileSystem {
    /// Makes or replaces a file in the root folder.
    func put(_ name: String, _ text: String) {
        state.withLock { state in
            guard let fileName = try? FileName(name) else { return }
            let known = state.nodes[.root]?.children[fileName]
            let made = try? known ?? state.make(Array(name.utf8), in: .root, .regular, 0o644, .root)
            guard let inode = made else { return }
            state.nodes[inode]?.content = Array(text.utf8)
            state.nodes[inode]?.attributes.size = Int64(text.utf8.count)
        }
    }

    /// Makes files `file-00000` and so on in the root folder.
    func fill(count: Int) {
        for index in 0..<count {
            put("file-" + String(100_000 + index).dropFirst(), "")
        }
    }

    /// Removes a name from the root folder; the inode stays for those who know it.
    func remove(_ name: String) {
        guard let fileName = try? FileName(name) else { return }
        state.withLock { $0.nodes[.root]?.children[fileName] = nil }
    }

    /// The inode behind a name in the root folder.
    func inode(of name: String) -> InodeID? {
        guard let fileName = try? FileName(name) else { return nil }
        return state.withLock { $0.nodes[.root]?.children[fileName] }
    }

    /// How often an operation was called.
    func count(of operation: String) -> Int {
        state.withLock { $0.counts[operation, default: 0] }
    }

    /// How many lookups the kernel holds on a name in the root folder, or on all inodes together.
    func lookupCount(of name: String) -> UInt64 {
        if name.isEmpty {
            return state.withLock { $0.nodes.values.reduce(0) { $0 + $1.lookupCount } }
        }
        guard let inode = inode(of: name) else { return 0 }
        return state.withLock { $0.nodes[inode]?.lookupCount ?? 0 }
    }
}
