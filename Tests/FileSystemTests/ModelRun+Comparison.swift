// The comparison of both sides after every step, and the invariants inside.

import Core
import MetadataStore
import Sync
import Staging
import Testing

@testable import FileSystem

extension ModelRun {
    /// Compares everything that can be seen.
    func compare() async throws {
        try await compare(ReferenceTree.root, .root, "")
        for (index, open) in handles.enumerated() {
            let bytes = try await fixture.fs.read(
                open.inode, handle: open.handle, offset: 0, count: 1000
            ).value()
            try require(
                bytes == reference.read(index, 0, 1000), "handle \(index) reads \(bytes)")
        }
        try compareJournal()
    }

    private func compare(_ id: Int, _ inode: InodeID, _ path: String) async throws {
        let node = reference[id]
        let attributes = try await fixture.fs.attributes(of: inode).value().attributes
        try require(attributes.kind == node.kind, "\(path) is a \(attributes.kind)")
        if let permissions = node.permissions {
            try require(
                attributes.permissions == permissions, "\(path) mode \(attributes.permissions)")
        }
        if let modified = node.modified, node.kind == .regular {
            try require(
                attributes.modificationTime == modified,
                "\(path) time \(attributes.modificationTime)")
        }
        let names = try fixture.fs.extendedAttributeNames(of: inode).now()
        try require(names == node.attributes.keys.sorted(), "\(path) has attributes \(names)")
        switch node.kind {
        case .regular:
            try require(
                attributes.size == node.bytes.count,
                "\(path) size \(attributes.size), expected \(node.bytes.count)")
            try await compareBytes(node.bytes, inode, path)
        case .symbolicLink:
            let target = try fixture.fs.readSymbolicLink(inode).now()
            try require(target == text(node.target), "\(path) leads to \(target)")
        case .fifo, .socket: break
        case .directory:
            let listed = try fixture.names(in: inode).map { FileSystemTests.name($0) }
            try require(
                Set(listed) == Set(node.children.keys) && listed.count == node.children.count,
                "\(path)/ holds \(listed), expected \(node.children.keys.sorted())")
            for (name, child) in node.children {
                let inode = try fixture.lookup(name.string, in: inode)
                try await compare(child, inode, path + "/" + name.string)
                fixture.fs.forget(inode, count: 1)
            }
        }
    }

    private func compareBytes(_ bytes: [UInt8], _ inode: InodeID, _ path: String) async throws {
        let handle = try fixture.open(inode, .reading)
        defer { fixture.fs.release(inode, handle: handle) }
        let read = try await fixture.fs.read(
            inode, handle: handle, offset: 0, count: 1000
        ).value()
        try require(read == bytes, "\(path) reads \(read), expected \(bytes)")
    }

    /// Nodes that the server lacks are queued; local-only ones are not.
    private func compareJournal() throws {
        for node in try fixture.allNodes() where node.inode != .root {
            let isQueued = try fixture.isQueued(node.inode)
            let isLocal = node.flags.contains(.localOnly)
            let isSent = node.remote == .inPlace && node.staged == nil
            if isLocal || node.isOrphan {
                try require(!isQueued, "queued: \(node)")
            } else if !isSent {
                try require(isQueued, "not queued: \(node)")
            }
            if isLocal {
                try require(node.remote == .absent, "local and on the server: \(node)")
            }
        }
    }

    /// Closes everything: no unreachable node may be left.
    func finish() throws {
        for (inode, handle) in handles {
            try fixture.close(inode, handle)
        }
        for (inode, count) in lookups {
            fixture.fs.forget(inode, count: count)
        }
        let nodes = try fixture.allNodes()
        for node in nodes {
            try require(!node.isOrphan, "left over: \(node)")
            try require(!fixture.openFiles.isOpen(node.inode), "still open: \(node)")
        }
        // With what the disk has of the newest content, no content before it is needed.
        try fixture.staging.flush()
        let staged = nodes.count { $0.staged != nil }
        try require(
            fixture.stagingFileCount == staged,
            "\(fixture.stagingFileCount) staging files for \(staged) nodes")
    }
}
