// Every change of one Dropbox, as a value. The state is the result of applying the operations in
// order; replaying the journal of operations restores it after a restart. So the effect of one must
// depend on nothing but the state, the operation and its time.

/// A change of a `SpaceState`.
enum Operation: Sendable {
    case commit(Commit, Content)
    case createFolder(path: String, autorename: Bool, base: NodeID)
    case delete(path: String, parentRev: String?, base: NodeID)
    case relocate(Relocation)
    case restore(path: String, rev: String, base: NodeID)
    case startSession(id: String, isConcurrent: Bool, isClosed: Bool)
    case append(
        session: String, offset: Int64, length: Int64, closes: Bool, digests: [ContentDigest])
    case endSession(id: String)
    case seed(files: Int, folders: Int, bytes: Int)
    case setQuota(Int64)
    case setRelocationLimit(Int)
    case share(path: String, SharedFolder)
    case mountFolder(namespace: String)
    case unmountFolder(namespace: String)
    case mark(path: String, FileMarks)
    case link(path: String, secret: String, base: NodeID)
    case unlink(secret: String)
    case resetCursors
    case addTemplate(id: String, PropertyTemplate)
    case updateTemplate(id: String, PropertyTemplate)
    case removeTemplate(id: String, owner: String)
    case changeProperties(
        path: String, PropertyChange, owner: String, base: NodeID, isTold: Bool)
}

/// The state of one Dropbox: its tree, and the uncommitted upload sessions.
struct SpaceState: Equatable, Sendable {
    var tree: AccountTree
    var sessions: [String: UploadSession] = [:]

    /// Applies an operation; returns the entry that it created, changed or deleted, if any.
    ///
    /// Throws the union of the operation's kind; the state is then unchanged.
    @discardableResult
    mutating func apply(
        _ operation: Operation, at time: APITime
    ) throws -> NodeID? {
        switch operation {
        case .commit(let commit, let content):
            return try tree.commit(commit, content: content, at: time)
        case .createFolder(let path, let autorename, let base):
            return try tree.createFolder(path, autorename: autorename, from: base)
        case .delete(let path, let parentRev, let base):
            return try tree.delete(path, parentRev: parentRev, from: base, at: time)
        case .relocate(let relocation):
            return try tree.relocate(relocation, at: time)
        case .restore(let path, let rev, let base):
            return try tree.restore(path, rev: rev, from: base, at: time)
        case .link(let path, let secret, let base):
            return try tree.addLink(path, secret: secret, from: base)
        case .unlink(let secret): try tree.removeLink(secret)
        case .mountFolder(let namespace): return try tree.mountFolder(namespace)
        case .unmountFolder(let namespace): try tree.unmountFolder(namespace)
        case .addTemplate(let id, let template): try tree.properties.addTemplate(id, template)
        case .updateTemplate(let id, let template):
            try tree.properties.updateTemplate(id, to: template)
        case .removeTemplate(let id, let owner): try tree.properties.removeTemplate(id, of: owner)
        case .changeProperties(let path, let change, let owner, let base, let isTold):
            return try tree.change(path, change, of: owner, from: base, isTold: isTold)
        default:
            try applyToSessionsAndSettings(operation, at: time)
        }
        return nil
    }

    private mutating func applyToSessionsAndSettings(
        _ operation: Operation, at time: APITime
    ) throws {
        switch operation {
        case .startSession(let id, let isConcurrent, let isClosed):
            if sessions.count % 1024 == 1023 { forgetExpiredSessions(at: time) }
            sessions[id] = UploadSession(
                isConcurrent: isConcurrent, isClosed: isClosed,
                takesLatePieces: tree.conduct.takesLatePieces, startedAt: time)
        case .append(let id, let offset, let length, let closes, let digests):
            guard var session = session(id, at: time) else { throw UploadSessionError.notFound }
            try session.append(offset: offset, length: length, closes: closes, digests: digests)
            sessions[id] = session
        case .endSession(let id): sessions[id] = nil
        case .seed(let files, let folders, let bytes):
            tree.seed(files: files, folders: folders, bytes: bytes, at: time)
        case .setQuota(let quota): tree.space.quota = quota
        case .setRelocationLimit(let limit): tree.relocationLimit = limit
        case .share(let path, let shared):
            let node = try tree.livingNode(path, from: .root)
            guard tree[node].isFolder else { throw LookupError.notFolder }
            var named = shared
            named.name = tree[node].name
            named.since = time
            tree.sharedFolders.share(node, named)
            tree.recordChange(node)
        case .mark(let path, let marks):
            let node = try tree.livingNode(path, from: .root)
            guard !tree[node].isFolder else { throw LookupError.notFile }
            tree.mark(node, marks)
            tree.recordChange(node)
        case .resetCursors: tree.resetCursors()
        case .commit, .createFolder, .delete, .relocate, .restore, .link, .unlink, .mountFolder,
            .unmountFolder, .addTemplate, .updateTemplate, .removeTemplate, .changeProperties:
            break
        }
    }

    /// Called only now and then, because it scans all sessions.
    private mutating func forgetExpiredSessions(at time: APITime) {
        sessions = sessions.filter {
            time.seconds - $0.value.startedAt.seconds <= UploadSession.lifetime
        }
    }

    /// A session that exists and has not expired.
    func session(_ id: String, at time: APITime) -> UploadSession? {
        guard let session = sessions[id],
            time.seconds - session.startedAt.seconds <= UploadSession.lifetime
        else { return nil }
        return session
    }
}
