// Reads of the rows for tests, by path and as text, and the changes of users to them.

import Core
import MetadataStore
import Staging
import Testing

@testable import Tree

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

    /// Begins an edit of a file, over the whole content that the server has of it.
    func beginEdit(
        of inode: InodeID, in staging: StagingArea
    ) throws -> (file: StagedFile, base: StagedContent.Base) {
        let facts = try #require(try node(inode)?.facts)
        let base = try #require(StagedContent.Base(whole: facts))
        let file = try staging.begin(inode, base: base, size: base.size, in: self)
        return (file, base)
    }

    func deleteTree(_ inode: InodeID, _ openFiles: Harness.OpenSet) throws {
        for child in try children(of: inode) {
            try deleteTree(child.inode, openFiles)
        }
        try move(inode, to: nil)
        try drop(inode, openFiles)
    }

    /// A deleted node: told to the server if that has it, forgotten otherwise.
    func drop(_ inode: InodeID, _ openFiles: Harness.OpenSet) throws {
        if try node(inode)?.remote == .absent { try dropUnlessOpen(inode, openFiles) }
    }

    func dropUnlessOpen(_ inode: InodeID, _ openFiles: Harness.OpenSet) throws {
        if !openFiles.isOpen(inode, in: self) { try remove(inode) }
    }
}
