// Metadata reads of a node's remote place, and of the occupant of its target, after a refusal or a
// move with a lost response. Nodes are requested by ID, because their path may be another node's by
// now.

import Core
import MetadataStore
import RemoteStore
import Tree

/// The subject of a metadata read.
private struct MetadataQuestion: Sendable {
    /// The node whose step was refused.
    var inode: InodeID
    /// The IDs of the nodes that the step concerns.
    var ids: Set<FileID> = []
    /// The believed path of a node with unknown ID.
    var source: RemotePath?
    /// Paths that the step needs.
    var targets: [RemotePath] = []
    var believesAbsence = false
}

/// Reads the metadata of nodes on the server.
struct MetadataReads: Sendable {
    let account: SyncedAccount

    /// Requests the node of a step and the occupant of the step's target, and applies their present
    /// places by the rules for deltas. So an edit follows a folder that another client has moved,
    /// before the delta of that move arrives. Returns whether the server still has the node; true
    /// if it never had it.
    ///
    /// Its absence is applied only with `believesAbsence`.
    func read(
        for step: UploadStep, of inode: InodeID, believesAbsence: Bool
    ) async -> SyncOutcome<Bool> {
        let store = account.store
        let known = await account.local.attempt {
            try await store.read { try $0.node(inode)?.facts.id }
        }
        var question = MetadataQuestion(inode: inode, targets: step.targets)
        question.ids = Set([known.flatMap { $0 }, step.source?.id].compactMap { $0 })
        if question.ids.isEmpty { question.source = step.source?.path }
        question.believesAbsence = believesAbsence
        return await read(question)
    }

    /// Requests the outcome of moves. Throws the failure of the first metadata read that fails.
    func resolve(
        _ moves: [(id: Int64, inode: InodeID, target: String)]
    ) async throws(SyncError) {
        for move in moves {
            let store = account.store
            let known = await account.local.attempt {
                try await store.read { snapshot in
                    (
                        try snapshot.node(move.inode)?.facts.id,
                        try snapshot.remotePath(of: move.inode)
                    )
                }
            }
            var question = MetadataQuestion(inode: move.inode)
            if let id = known?.0 {
                question.ids = [id]
            } else {
                question.targets = [move.target, known?.1].compactMap { $0 }
                    .map { RemotePath(rawValue: $0) }
            }
            _ = try await read(question) { try $0.forgetIntent(move.id) }.get()
        }
    }

    /// Holds the gate for the metadata read, so that no commit's response outdates the result.
    private func read(
        _ question: MetadataQuestion,
        _ body: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async -> SyncOutcome<Bool> {
        await account.gate.read {
            do throws(SyncError) {
                var findings = try await ask(question)
                let isThere = findings.missingIDs.isEmpty && findings.missingPaths.isEmpty
                if !question.believesAbsence {
                    findings.missingIDs = []
                    findings.missingPaths = []
                }
                let entries = [findings.atPaths.map(\.entry), findings.byID].flatMap(\.self)
                await UnsentHashes(account: account).note(like: entries)
                let believed = findings
                // The deltas of these changes will change nothing. Before the account is listed, an
                // unknown node is no change of others.
                let isTreeComplete = account.state.current.isTreeComplete
                try await account.recorder.record(isOfOthers: isTreeComplete) { recorder in
                    try recorder.found(believed, insteadOf: question.inode)
                    try body(recorder.transaction)
                }.get()
                return .success(isThere)
            } catch {
                return .failure(error)
            }
        }
    }

    private func ask(_ question: MetadataQuestion) async throws(SyncError) -> MetadataFindings {
        let remote = account.remote
        var findings = MetadataFindings()
        for path in question.targets {
            if let entry = try await fromServer(await remote.entry(at: path)) {
                findings.atPaths.append((path, entry))
            }
        }
        var ids = Array(question.ids)
        ids.append(contentsOf: await displacedIDs(by: findings.atPaths.map(\.entry)))
        var asked: Set<FileID> = []
        while let id = ids.popLast(), asked.count < Self.mostReads {
            guard asked.insert(id).inserted else { continue }
            if let entry = try await fromServer(await remote.entry(of: id)) {
                let folders = try await unknownFolders(above: entry.foldedPath)
                findings.byID.append(contentsOf: folders)
                findings.byID.append(
                    contentsOf: try await UndoneEdits(account: account).tell(before: [entry]))
                ids.append(contentsOf: await displacedIDs(by: [entry], in: folders))
            } else if question.ids.contains(id) {
                findings.missingIDs.append(id)
            }
        }
        if let path = question.source {
            if let entry = try await fromServer(await remote.entry(at: path)) {
                findings.atPaths.append((path, entry))
            } else {
                findings.missingPaths.append(path)
            }
        }
        return findings
    }

    /// Number of nodes to request after one refusal.
    private static let mostReads = 16

    /// The believed occupants of paths where other nodes were found: they may have moved, not been
    /// deleted. The last of `folders` may be the path's folder, which is known at another path.
    private func displacedIDs(
        by entries: [RemoteEntry], in folders: [RemoteEntry] = []
    ) async -> [FileID] {
        let store = account.store
        let ids = await account.local.attempt {
            try await store.read { snapshot in
                try entries.compactMap { entry in
                    let node = try snapshot.occupant(of: entry.foldedPath, in: folders.last)
                    return node?.facts.id == entry.id ? nil : node?.facts.id
                }
            }
        }
        return ids ?? []
    }

    /// The folders above a path that are unknown there: moved or created by another client, whose
    /// delta is still to come. Once they are in the tree, their contents follow.
    private func unknownFolders(
        above path: RemotePath
    ) async throws(SyncError) -> [RemoteEntry] {
        let store = account.store
        let unknown = await account.local.attempt {
            try await store.read { snapshot in
                try path.parent.withAncestors.reversed().filter { path in
                    let node = try snapshot.remoteNode(foldedPath: path.rawValue)
                    return node?.kind != .folder || node?.facts.id == nil
                }
            }
        }
        var entries: [RemoteEntry] = []
        for path in unknown ?? [] {
            if let entry = try await fromServer(await account.remote.entry(at: path)),
                entry.isFolder
            {
                entries.append(entry)
            }
        }
        return entries
    }
}

extension Snapshot {
    /// The node that the server is believed to have at a path, also if the path's folder is known
    /// at another path.
    fileprivate func occupant(of path: RemotePath, in folder: RemoteEntry?) throws -> Node? {
        if let node = try remoteNode(foldedPath: path.rawValue) { return node }
        guard let folder, folder.foldedPath == path.parent, let id = folder.id,
            let key = path.components.last, let known = try node(id: id)
        else { return nil }
        return try remoteChild(folded: key, of: known.inode)
    }
}

extension UploadStep {
    /// The places that a step needs, and that may be occupied.
    fileprivate var targets: [RemotePath] {
        switch self {
        case .settled, .waitFor, .waitForWriters, .setFacts, .deleteFile, .deleteFolder: []
        case .makeFolder(let path): [path]
        case .upload(let upload), .copy(_, let upload): [upload.path]
        case .move(let move): [move.target]
        }
    }

    /// The node that a step takes from its place.
    fileprivate var source: RemoteReference? {
        switch self {
        case .settled, .waitFor, .waitForWriters, .makeFolder, .upload: nil
        case .deleteFile(let node, _), .deleteFolder(let node): node
        case .setFacts(let update): update.node
        case .copy(let source, _): source
        case .move(let move): move.node
        }
    }
}
