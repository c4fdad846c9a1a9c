// Batches of deltas that a test makes by hand, and applies without an engine.

import ContentHashing
import Core
import MetadataStore
import RemoteStore

@testable import Sync
@testable import Tree

extension RemoteEntry {
    static func folder(_ path: String, _ id: String) throws -> RemoteEntry {
        try entry(path, .folder(RemoteFolder(id: FileID(id))))
    }

    /// An empty file; `revision` is another one where the content was stored anew.
    static func file(
        _ path: String, _ id: String, revision: String = "1", hash: ContentHash? = nil
    ) throws -> RemoteEntry {
        let file = RemoteFile(
            id: FileID(id), revision: Revision("\(id)-\(revision)"), hash: hash, size: 0,
            clientModified: WallTime(seconds: 1), serverModified: WallTime(seconds: 1))
        return try entry(path, .file(file))
    }

    static func deleted(_ path: String) throws -> RemoteEntry {
        try entry(path, .deleted)
    }

    private static func entry(_ path: String, _ kind: RemoteEntry.Kind) throws -> RemoteEntry {
        let path = RemotePath(rawValue: path)
        return RemoteEntry(
            foldedPath: RemotePath(rawValue: Folding.fold(path.rawValue)),
            name: try FileName(path.components.last ?? "a"), kind: kind)
    }
}

extension Harness {
    var deltaContext: DeltaContext {
        var context = DeltaContext(
            openFiles: openFiles, staging: staging, now: .now(), date: .now(), host: "here",
            isListing: false, isTreeComplete: true)
        context.posix = posix
        return context
    }

    /// Applies a batch, by default as one of the feed; afterwards the rows must be in order.
    func apply(_ entries: [RemoteEntry], isFeed: Bool = true) async throws {
        let context = deltaContext
        try await store.write { transaction in
            var applier = try DeltaApplier(transaction: transaction, context: context)
            try applier.apply(entries, isFeed: isFeed)
        }
        try await checkInvariants()
    }

    /// The paths that users see, in order.
    func paths() async throws -> [String] {
        try await store.read { try $0.allNodes().map(\.0).sorted() }
    }
}
