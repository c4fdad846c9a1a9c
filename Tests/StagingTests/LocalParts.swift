// A mount's files, which are opened again as after the death of the process or of the system. Not
// responsible for what these leave.

import ContentHashing
import Core
import MetadataStore

@testable import Staging

/// A mount's local parts.
struct LocalParts {
    let store: MetadataStore
    let staging: StagingArea

    /// Opens those in a folder.
    init(in folder: String, removalDelay: Double = 1, flushDelay: Double = 1000) throws {
        store = try MetadataStore(path: folder + "/tree.sqlite")
        staging = try StagingArea(
            directory: folder + "/staging", store: store, removalDelay: removalDelay,
            flushDelay: flushDelay)
    }
}

extension LocalParts {
    /// Makes a new file in the root, and saves its content.
    func write(_ text: String, to name: String) throws -> StagedFile {
        try store.write { transaction in
            let place = Place(parent: .root, name: try FileName(name))
            let inode = try transaction.insert(.file, at: place, local: LocalFacts())
            let file = try staging.begin(inode, base: nil, size: 0, in: transaction)
            _ = try Array(text.utf8).withUnsafeBytes { try file.write(at: 0, $0, now: .now()) }
            try file.persist(in: transaction)
            return file
        }
    }

    /// The same over a version that the server has.
    func edit(_ text: String, of name: String) throws -> StagedFile {
        let file = try write(text, to: name)
        try store.write { transaction in
            let facts = RemoteFacts(
                id: FileID("id:1"), revision: Revision("0123456789"), size: 3, hash: nil)
            try transaction.setFacts(facts, of: file.inode)
            try transaction.setRemotePlace(
                file.inode, Place(parent: .root, name: try FileName(name)))
        }
        return file
    }

    /// The node of this name in the root.
    func node(_ name: String) throws -> Node? {
        try store.read { try $0.child(try FileName(name), of: .root) }
    }
}

extension MetadataStore {
    /// The next start is in another system's memory: unflushed bytes are gone.
    func forgetSystem() throws {
        try write { try $0.setSetting("staging.system", to: "another boot") }
    }
}

extension StagingArea {
    /// Begins staged content of a new file, over bytes that the server has; of none, without a
    /// base.
    func begin(over bytes: [UInt8], in store: MetadataStore) throws -> StagedFile {
        try store.write { transaction in
            let inode = try transaction.insert(
                .file, at: Place(parent: .root, name: try FileName("f")), local: LocalFacts())
            let size = Int64(bytes.count)
            let base =
                bytes.isEmpty
                ? nil
                : StagedContent.Base(
                    revision: Revision("r"), hash: ContentHasher.hash(bytes), size: size,
                    limit: size)
            return try begin(inode, base: base, size: size, in: transaction)
        }
    }
}
