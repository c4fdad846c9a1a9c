// Fills a tree with many files at once, for measurements.

extension AccountTree {
    /// Adds folders, nested two deep, and files spread evenly over them, with generated content of
    /// `bytes` bytes each.
    mutating func seed(files: Int, folders: Int, bytes: Int, at time: APITime) {
        var made: [NodeID] = [.root]
        for number in 0..<folders {
            // Every tenth folder lies directly in the root; the next nine folders lie in it.
            let parent = number % 10 == 0 ? NodeID.root : made[number / 10 * 10 + 1]
            let name = PathComponent("Folder \(number)", folding: folding)
            made.append(nodes.child(name.key, of: parent) ?? addFolder(name, to: parent))
        }
        for number in 0..<files {
            let parent = made[folders == 0 ? 0 : 1 + number % folders]
            let name = PathComponent("file-\(number).bin", folding: folding)
            guard self[parent].isFolder, nodes.child(name.key, of: parent) == nil else { continue }
            let content = contents.intern(
                GeneratedContent.content(seed: UInt64(number), size: bytes))
            _ = addFile(
                name, to: parent, content: content, clientModified: time, serverModified: time)
        }
    }
}
