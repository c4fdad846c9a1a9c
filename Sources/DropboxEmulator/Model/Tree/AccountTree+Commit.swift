// Commits content to a path: conflicts, autorename, and commits that change nothing.

/// The condition on which a commit replaces an entry: `files.WriteMode`.
enum WriteMode: Equatable, Sendable {
    case add
    case overwrite
    case update(rev: String)
}

/// `files.CommitInfo`, and the folder that its path starts from.
struct Commit: Sendable {
    var base = NodeID.root
    var path: String
    var mode = WriteMode.add
    var autorename = false
    var clientModified: APITime?
    var strictConflict = false
}

extension AccountTree {
    /// Commits content to a path, and returns the file that has it, which autorename may have
    /// placed elsewhere. Identical content is never written again.
    mutating func commit(
        _ commit: Commit, content: Content, at time: APITime
    ) throws(WriteError) -> NodeID {
        var target = try writeTarget(commit.path, from: commit.base)
        try checkNames(target)
        try checkAncestors(target)
        let existing = nodes.node(at: target.path.components, below: target.base)
        switch decision(commit, content: content, existing: existing) {
        case .keep(let node): return node
        case .write: break
        case .conflict(let conflict):
            guard commit.autorename else { throw .conflict(conflict) }
            target = freeTarget(near: target, style: .init(commit.mode))
        }
        try checkWritable(target)
        let replaced = nodes.node(at: target.path.components, below: target.base)
        let freed = replaced.flatMap { self[$0].revision }.map { self[self[$0].content].size } ?? 0
        guard space.hasRoom(for: content.size, freeing: freed) else { throw .insufficientSpace }
        let (stored, modified) = (contents.intern(content), commit.clientModified ?? time)
        if conduct.newFilesTakeIDs, let deleted = lastFile(at: target), !self[deleted].isAlive {
            let parent = makeFolders(target.path.components.dropLast(), below: target.base)
            revive(
                deleted, in: parent, as: target.path.components.last, with: stored,
                clientModified: modified, at: time)
            return deleted
        }
        return write(stored, to: target, clientModified: modified, serverModified: time)
    }

    private enum CommitDecision {
        case write
        case keep(NodeID)
        case conflict(WriteConflict)
    }

    /// The rules of `files.WriteMode`. It is an assumption that a commit of identical content
    /// changes nothing under `strict_conflict`, too, if it has the right rev or overwrites: the
    /// flag is documented to add conflicts, not writes.
    private func decision(
        _ commit: Commit, content: Content, existing: NodeID?
    ) -> CommitDecision {
        guard let existing else {
            if case .update = commit.mode, commit.strictConflict { return .conflict(.file) }
            return .write
        }
        guard let revision = self[existing].revision else { return .conflict(.folder) }
        let isIdentical = self[self[revision].content].hash == content.hash
        let mayReplace =
            switch commit.mode {
            case .add: false
            case .overwrite: true
            case .update(let rev): rev == revText(revision)
            }
        if isIdentical {
            let isRefused =
                commit.strictConflict && (!mayReplace || conduct.strictRefusesSameContent)
            return isRefused ? .conflict(.file) : .keep(existing)
        }
        return mayReplace ? .write : .conflict(.file)
    }

    private mutating func write(
        _ content: ContentID, to target: WriteTarget, clientModified: APITime,
        serverModified: APITime
    ) -> NodeID {
        let parent = makeFolders(target.path.components.dropLast(), below: target.base)
        let component = target.path.components[target.path.components.count - 1]
        if let file = nodes.child(component.key, of: parent) {
            replaceContent(
                of: file, content: content, clientModified: clientModified,
                serverModified: serverModified)
            return file
        }
        return addFile(
            component, to: parent, content: content, clientModified: clientModified,
            serverModified: serverModified)
    }

    /// Commits an old revision's content to a path.
    mutating func restore(
        _ path: String, rev: String, from base: NodeID, at time: APITime
    ) throws(RestoreError) -> NodeID {
        guard let old = revision(rev: rev) else { throw .invalidRevision }
        do throws(WriteError) {
            let target = try writeTarget(path, from: base)
            try checkNames(target)
            try checkAncestors(target)
            try checkWritable(target)
            if let existing = nodes.node(at: target.path.components, below: target.base),
                self[existing].isFolder
            {
                throw .conflict(.folder)
            }
            let size = self[self[old].content].size
            guard space.hasRoom(for: size) else { throw .insufficientSpace }
            if let deleted = deletedFile(of: old, at: target), !conduct.restoresMakeIDs {
                let parent = makeFolders(target.path.components.dropLast(), below: target.base)
                revive(
                    deleted, in: parent, with: self[old].content,
                    clientModified: self[old].clientModified, at: time)
                return deleted
            }
            return write(
                self[old].content, to: target, clientModified: self[old].clientModified,
                serverModified: time)
        } catch {
            throw .pathWrite(error)
        }
    }

    /// The file of a revision if it is deleted, and was the last one at a path.
    private func deletedFile(of revision: RevisionID, at target: WriteTarget) -> NodeID? {
        let file = self[revision].file
        guard !self[file].isAlive, lastFile(at: target) == file else { return nil }
        return file
    }

    /// The file that was the last one at a path where nothing is.
    private func lastFile(at target: WriteTarget) -> NodeID? {
        let key = nodes.paths(of: target.base, from: .root).key + target.path.key
        return tombstones[key]?.lastRevision.map { self[$0].file }
    }
}

// MARK: Checks of every write

extension AccountTree {
    func checkNames(_ target: WriteTarget) throws(WriteError) {
        if target.path.hasRefusedName { throw .disallowedName }
    }

    /// Throws if a file occupies the path of a parent folder.
    func checkAncestors(_ target: WriteTarget) throws(WriteError) {
        var current = target.base
        for component in target.path.components.dropLast() {
            guard let next = nodes.child(component.key, of: current) else { return }
            if !self[next].isFolder { throw .conflict(.fileAncestor) }
            current = next
        }
    }

    /// Throws if the nearest existing folder is shared read-only.
    func checkWritable(_ target: WriteTarget) throws(WriteError) {
        guard !sharedFolders.isEmpty else { return }
        var current = target.base
        for component in target.path.components {
            guard let next = nodes.child(component.key, of: current) else { break }
            current = next
        }
        if sharedFolder(of: current)?.isReadOnly == true { throw .noWritePermission }
    }

    /// The shared folder that an entry is or lies in.
    func sharedFolder(of node: NodeID) -> SharedFolder? {
        guard !sharedFolders.isEmpty else { return nil }
        var current = node
        while true {
            if let shared = sharedFolders[current] { return shared }
            if current == .root { return nil }
            current = self[current].parent
        }
    }
}
