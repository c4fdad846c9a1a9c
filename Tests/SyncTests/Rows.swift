// What a test asks of the rows, by path, as text, and whether they contradict each other; and what users
// do to them.

import Core
import MetadataStore

extension TreeReading {
    /// The place that a path names; its folder must exist.
    func place(_ path: String) throws -> Place {
        // By bytes: a slash and a combining mark are one `Character`.
        var names = try path.utf8.split(separator: UInt8(ascii: "/")).map {
            try FileName(String(Substring($0)))
        }
        let last = names.removeLast()
        var parent = InodeID.root
        for name in names {
            parent = try existing(Place(parent: parent, name: name)).inode
            guard try node(parent)?.kind == .folder else { throw Refused() }
        }
        return Place(parent: parent, name: last)
    }

    func existing(_ place: Place) throws -> Node {
        guard let node = try child(place.name, of: place.parent) else { throw Refused() }
        return node
    }

    /// Every row with both its places, for the message of a failure.
    func describeNodes() throws -> String {
        var lines: [String] = []
        for node in try everyNode() {
            let number = node.inode
            let remote = try remotePlace(of: node).map { "\($0.parent)/\($0.name)" } ?? "-"
            let local = node.place.map { "\($0.parent)/\($0.name)" } ?? "-"
            lines.append("\(number) \(node.kind) here \(local) there \(node.remote) \(remote)")
        }
        return lines.joined(separator: "\n")
    }

    /// Contradictions between rows, a line each.
    func brokenInvariants() throws -> [String] {
        let nodes = try everyNode()
        let known = Dictionary(uniqueKeysWithValues: nodes.map { ($0.inode, $0) })
        let queued = Set(try journalEntries(limit: .max).map(\.inode))
        var broken: [String] = []
        var remotePlaces: [String: InodeID] = [:]
        var remoteParents: [InodeID: InodeID] = [:]
        var names: [Place: InodeID] = [:]
        for node in nodes {
            let number = node.inode
            if let parent = node.place?.parent, parent != .root {
                if known[parent]?.kind != .folder {
                    broken.append("\(number) is in a folder that does not exist")
                } else if known[parent]?.place == nil {
                    broken.append("\(number) is in a folder that users do not see")
                }
            }
            if let other = node.place.flatMap({ names.updateValue(node.inode, forKey: $0) }) {
                broken.append("\(number) and \(other) have one name in one folder")
            }
            let remote = try remotePlace(of: node)
            if node.remote != .absent && remote == nil {
                broken.append("\(number) has lost its place on the server")
            }
            if let remote {
                let key = "\(remote.parent)/\(remote.name.folded)"
                if let other = remotePlaces.updateValue(node.inode, forKey: key) {
                    broken.append("\(number) and \(other) have one place on the server: \(key)")
                }
                remoteParents[number] = remote.parent
                if remote.parent != .root, known[remote.parent]?.kind != .folder {
                    broken.append("\(number) is on the server in what is no folder")
                } else if remote.parent != .root, known[remote.parent]?.remote == .absent {
                    broken.append("\(number) is on the server in what is not there")
                }
            }
            broken += try brokenQueue(node, queued)
        }
        broken += looped(nodes, "here") { known[$0]?.place?.parent }
        broken += looped(nodes, "there") { remoteParents[$0] }
        return broken
    }

    /// Nodes that are in themselves.
    private func looped(
        _ nodes: [Node], _ side: String, _ parent: (InodeID) -> InodeID?
    ) -> [String] {
        // Those from which the walk up has ended.
        var ended: Set<InodeID> = []
        return nodes.compactMap { node in
            var walked: Set<InodeID> = []
            var current = node.inode
            while !ended.contains(current), let next = parent(current) {
                guard walked.insert(current).inserted else {
                    return "\(node.inode) is in itself \(side)"
                }
                current = next
            }
            ended.formUnion(walked)
            return nil
        }
    }

    /// What contradicts the journal.
    private func brokenQueue(_ node: Node, _ queued: Set<InodeID>) throws -> [String] {
        let number = node.inode
        var broken: [String] = []
        if node.flags.contains(.localOnly) {
            if node.remote != .absent { broken.append("\(number) is here alone, and there") }
            if queued.contains(node.inode) {
                broken.append("\(number) is here alone, and to be sent")
            }
            return broken
        }
        let isToSend =
            node.remote == .displaced
            || node.place != nil && (node.remote == .absent || node.staged != nil)
        if isToSend, !queued.contains(node.inode), try !isKeptForLocal(node) {
            broken.append("\(number) is to be sent and nobody knows")
        }
        return broken
    }

    /// Whether others have deleted a folder, and what keeps it here never leaves this machine.
    func isKeptForLocal(_ node: Node) throws -> Bool {
        guard node.kind == .folder, node.remote == .absent,
            try journalEntry(of: node.inode) == nil
        else { return false }
        return try children(of: node.inode).contains { child in
            guard let node = try self.node(child.inode) else { return false }
            return try node.flags.contains(.localOnly) || isKeptForLocal(node)
        }
    }

    func allNodes() throws -> [(String, Node)] {
        var found: [(String, Node)] = []
        func visit(_ folder: InodeID, _ path: String) throws {
            for child in try children(of: folder) {
                let childPath = path + "/" + child.name.string
                if let node = try node(child.inode) { found.append((childPath, node)) }
                try visit(child.inode, childPath)
            }
        }
        try visit(.root, "")
        return found
    }
}

extension Transaction {
    /// Whether something made at a place never leaves this machine.
    func isLocal(_ place: Place, named name: String?) throws -> Bool {
        try place.name.string == name || node(place.parent)?.flags.contains(.localOnly) ?? false
    }

    func deleteTree(_ inode: InodeID, _ openFiles: Harness.OpenSet) throws {
        for child in try children(of: inode) {
            try deleteTree(child.inode, openFiles)
        }
        try move(inode, to: nil)
        try drop(inode, openFiles)
    }

    /// What is deleted: told to the server if that has it, forgotten otherwise.
    func drop(_ inode: InodeID, _ openFiles: Harness.OpenSet) throws {
        if try node(inode)?.remote == .absent {
            try dropUnlessOpen(inode, openFiles)
        } else {
            try enqueue(inode, due: .now())
        }
    }

    func dropUnlessOpen(_ inode: InodeID, _ openFiles: Harness.OpenSet) throws {
        if openFiles.isOpen(inode, in: self) {
            try dequeue(inode)
        } else {
            try remove(inode)
        }
    }
}
