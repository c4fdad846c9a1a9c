// Asks the server where a node is, and what is at the place where one is to go: after a refusal, and when the
// answer to a move was lost. A node is asked for by its id, because its path may be another's by now.

import Core
import MetadataStore
import RemoteStore

/// What a look at the server has found.
struct LookFindings: Sendable {
    /// What is at paths that were asked for.
    var atPaths: [(path: RemotePath, entry: RemoteEntry)] = []
    /// What has the ids that were asked for, after the folders above that were not known.
    var byID: [RemoteEntry] = []
    /// What is nowhere, if that is to be believed.
    var missingIDs: [FileID] = []
    /// The same of nodes whose id is not known.
    var missingPaths: [RemotePath] = []
}

/// What is to be found out.
private struct LookQuestion: Sendable {
    /// The node whose step was refused.
    var inode: InodeID
    /// What the server knows the nodes by that the step is about.
    var ids: Set<FileID> = []
    /// Where a node is believed to be whose id is not known.
    var source: RemotePath?
    /// Places that the step needs.
    var targets: [RemotePath] = []
    var believesAbsence = false
}

extension Uploader {
    /// Asks for what a step is about and brings it into the tree by the rules for deltas: where the node is by
    /// now, and what is in the way at its target. So an edit follows a folder that others have moved before the
    /// delta of that move is here. Returns whether the node is there, as far as the server ever had it.
    ///
    /// That it is missing is brought in only if that is to be believed.
    func look(
        for step: UploadStep, of inode: InodeID, believesAbsence: Bool
    ) async -> RemoteOutcome<Bool> {
        let store = environment.store
        let known = await attempt { try await store.read { try $0.node(inode)?.facts.id } }
        var question = LookQuestion(inode: inode, targets: step.targets)
        question.ids = Set([known.flatMap { $0 }, step.source?.id].compactMap { $0 })
        if question.ids.isEmpty { question.source = step.source?.path }
        question.believesAbsence = believesAbsence
        return await look(question)
    }

    /// Finds out what became of moves.
    func resolve(_ moves: [(id: Int64, inode: InodeID, target: String)]) async {
        for move in moves {
            let store = environment.store
            let known = await attempt {
                try await store.read { snapshot in
                    (
                        try snapshot.node(move.inode)?.facts.id,
                        try snapshot.remotePath(of: move.inode)
                    )
                }
            }
            var question = LookQuestion(inode: move.inode)
            if let id = known?.0 {
                question.ids = [id]
            } else {
                question.targets = [move.target, known?.1].compactMap { $0 }
                    .map { RemotePath(rawValue: $0) }
            }
            let outcome = await look(question) { try $0.forgetAttempt(move.id) }
            if case .failure(let error) = outcome {
                pause(after: error)
                break
            }
        }
        isResolving = false
        wake()
    }

    /// As one look, so that no commit is on its way whose answer would make the answers out of date.
    private func look(
        _ question: LookQuestion,
        _ body: @escaping @Sendable (Transaction) throws -> Void = { _ in }
    ) async -> RemoteOutcome<Bool> {
        await environment.gate.look {
            do throws(RemoteError) {
                var findings = try await ask(question)
                let isThere = findings.missingIDs.isEmpty && findings.missingPaths.isEmpty
                if !question.believesAbsence {
                    findings.missingIDs = []
                    findings.missingPaths = []
                }
                let believed = findings
                try await record { recorder in
                    try recorder.found(believed, insteadOf: question.inode)
                    try body(recorder.transaction)
                }.get()
                return .success(isThere)
            } catch {
                return .failure(error)
            }
        }
    }

    private func ask(_ question: LookQuestion) async throws(RemoteError) -> LookFindings {
        let remote = environment.remote
        var findings = LookFindings()
        for path in question.targets {
            if let entry = try await remote.entry(at: path) {
                findings.atPaths.append((path, entry))
            }
        }
        var ids = Array(question.ids)
        ids.append(contentsOf: await displacedIDs(by: findings.atPaths.map(\.entry)))
        var asked: Set<FileID> = []
        while let id = ids.popLast(), asked.count < Self.longestLook {
            guard asked.insert(id).inserted else { continue }
            if let entry = try await remote.entry(of: id) {
                findings.byID.append(
                    contentsOf: try await unknownFolders(above: entry.foldedPath))
                findings.byID.append(entry)
                ids.append(contentsOf: await displacedIDs(by: [entry]))
            } else if question.ids.contains(id) {
                findings.missingIDs.append(id)
            }
        }
        if let path = question.source {
            if let entry = try await remote.entry(at: path) {
                findings.atPaths.append((path, entry))
            } else {
                findings.missingPaths.append(path)
            }
        }
        return findings
    }

    /// Nodes that one refusal makes this mount ask for, at most.
    private static let longestLook = 16

    /// What was believed to be where something else was found: it may be elsewhere, and not deleted.
    private func displacedIDs(by entries: [RemoteEntry]) async -> [FileID] {
        let store = environment.store
        let ids = await attempt {
            try await store.read { snapshot in
                try entries.compactMap { entry in
                    let node = try snapshot.remoteNode(foldedPath: entry.foldedPath.rawValue)
                    return node?.facts.id == entry.id ? nil : node?.facts.id
                }
            }
        }
        return ids ?? []
    }

    /// The folders above a path that are not known by it: moved or made by others, and the delta is not here. Once
    /// they are in the tree, what is in them follows.
    private func unknownFolders(
        above path: RemotePath
    ) async throws(RemoteError) -> [RemoteEntry] {
        let store = environment.store
        var paths: [RemotePath] = []
        var folder = path.parent
        while folder != .root {
            paths.append(folder)
            folder = folder.parent
        }
        let candidates = Array(paths.reversed())
        let unknown = await attempt {
            try await store.read { snapshot in
                try candidates.filter { path in
                    let node = try snapshot.remoteNode(foldedPath: path.rawValue)
                    return node?.kind != .folder || node?.facts.id == nil
                }
            }
        }
        var entries: [RemoteEntry] = []
        for path in unknown ?? [] {
            if let entry = try await environment.remote.entry(at: path), entry.isFolder {
                entries.append(entry)
            }
        }
        return entries
    }
}

extension UploadStep {
    /// The places that a step needs, and at which something may be in the way.
    fileprivate var targets: [RemotePath] {
        switch self {
        case .settled, .waitFor, .waitForWriters, .deleteFile, .deleteFolder: []
        case .makeFolder(let path): [path]
        case .upload(let upload), .copy(_, let upload): [upload.path]
        case .move(let move): [move.target]
        }
    }

    /// What a step takes from its place.
    fileprivate var source: RemoteReference? {
        switch self {
        case .settled, .waitFor, .waitForWriters, .makeFolder, .upload: nil
        case .deleteFile(let node, _), .deleteFolder(let node): node
        case .copy(let source, _): source
        case .move(let move): move.node
        }
    }
}
