// Creates folders; deletes, moves and copies entries.

/// `files.RelocationArg`, and the folder that its paths start from.
struct Relocation: Sendable {
    var base = NodeID.root
    var from: String
    var to: String
    var autorename = false
    /// Whether the original stays.
    var copies = false
}

extension AccountTree {
    /// Creates a folder, and its missing parents.
    mutating func createFolder(
        _ path: String, autorename: Bool, from base: NodeID
    ) throws(WriteError) -> NodeID {
        var target = try writeTarget(path, from: base)
        try checkNames(target)
        try checkAncestors(target)
        if let existing = nodes.node(at: target.path.components, below: target.base) {
            guard autorename else { throw .conflict(self[existing].isFolder ? .folder : .file) }
            target = freeTarget(near: target, style: .numbered, keepsExtension: false)
        }
        try checkWritable(target)
        return makeFolders(target.path.components, below: target.base)
    }

    /// Deletes a file, or a folder with everything in it; returns the entry, whose id stays known.
    ///
    /// The codes for a `parent_rev` that does not match, and for one given for a folder, are not
    /// documented; a write conflict is assumed.
    mutating func delete(
        _ path: String, parentRev: String?, from base: NodeID, at time: APITime
    ) throws(DeleteError) -> NodeID {
        let node = try deletable(path, parentRev: parentRev, from: base)
        remove(node, at: time)
        return node
    }

    /// The entry that a deletion refers to.
    private func deletable(
        _ path: String, parentRev: String?, from base: NodeID
    ) throws(DeleteError) -> NodeID {
        let node: NodeID
        do throws(LookupError) {
            node = try livingNode(path, from: base)
        } catch {
            throw .pathLookup(error)
        }
        guard node != base, node != .root else { throw .pathLookup(.malformedPath) }
        guard !isHome(node) else { throw .pathWrite(.operationSuppressed) }
        if let parentRev {
            guard let revision = self[node].revision else { throw .pathWrite(.conflict(.folder)) }
            guard revText(revision) == parentRev else { throw .pathWrite(.conflict(.file)) }
        }
        if sharedFolders[node] == nil, sharedFolder(of: node)?.isReadOnly == true {
            throw .pathWrite(.noWritePermission)
        }
        return node
    }

    /// Moves or copies an entry, and returns it at the target.
    mutating func relocate(
        _ relocation: Relocation, at time: APITime
    ) throws(RelocationError) -> NodeID {
        let node: NodeID
        do throws(LookupError) {
            node = try livingNode(relocation.from, from: relocation.base)
        } catch {
            throw .fromLookup(error)
        }
        guard node != relocation.base, node != .root else { throw .fromLookup(.malformedPath) }
        guard relocation.copies || !isHome(node) else { throw .fromWrite(.operationSuppressed) }
        if !relocation.copies, let renamed = try caseRename(relocation, of: node) { return renamed }
        if !relocation.copies, conduct.movesOntoThemselves, isThere(relocation, node) {
            return node
        }
        let target = try relocationTarget(relocation, of: node)
        if nodes.subtree(node, isLargerThan: relocationLimit) { throw .tooManyFiles }
        if !relocation.copies, sharedFolders[node] == nil,
            sharedFolder(of: node)?.isReadOnly == true
        {
            throw .fromWrite(.noWritePermission)
        }
        if relocation.copies, !space.hasRoom(for: size(of: node)) { throw .insufficientQuota }
        let parent = makeFolders(target.path.components.dropLast(), below: target.base)
        let component = target.path.components[target.path.components.count - 1]
        guard relocation.copies else {
            move(node, to: parent, as: component, at: time)
            return node
        }
        return copy(node, to: parent, as: component, at: time)
    }

    /// Changes the case of an entry's name, where that is no conflict; nil for any other
    /// relocation.
    private mutating func caseRename(
        _ relocation: Relocation, of node: NodeID
    ) throws(RelocationError) -> NodeID? {
        guard conduct.caseRename != .conflicts else { return nil }
        do throws(WriteError) {
            let target = try writeTarget(relocation.to, from: relocation.base)
            guard nodes.node(at: target.path.components, below: target.base) == node,
                let name = target.path.components.last?.name, name != self[node].name
            else { return nil }
            if conduct.caseRename == .renames {
                nodes.respell(node, as: name)
                recordChange(node)
            }
            return node
        } catch {
            throw .to(error)
        }
    }

    /// Whether a relocation leads to where the entry is, with the same spelling of its name.
    private func isThere(_ relocation: Relocation, _ node: NodeID) -> Bool {
        guard let target = try? writeTarget(relocation.to, from: relocation.base) else {
            return false
        }
        return nodes.node(at: target.path.components, below: target.base) == node
            && target.path.components.last?.name == self[node].name
    }

    /// The target of a relocation, fully checked.
    ///
    /// A path that differs from the source only in case resolves to the source itself, and so
    /// conflicts with it: the service does not support case-only renames.
    private func relocationTarget(
        _ relocation: Relocation, of node: NodeID
    ) throws(RelocationError) -> WriteTarget {
        let target: WriteTarget
        do throws(WriteError) {
            target = try unoccupiedTarget(relocation, of: node)
        } catch {
            throw .to(error)
        }
        guard !leads(target, through: node) else { throw .cantMoveFolderIntoItself }
        do throws(WriteError) {
            try checkWritable(target)
        } catch {
            throw .to(error)
        }
        return target
    }

    private func unoccupiedTarget(
        _ relocation: Relocation, of node: NodeID
    ) throws(WriteError) -> WriteTarget {
        let target = try writeTarget(relocation.to, from: relocation.base)
        try checkNames(target)
        try checkAncestors(target)
        guard let existing = nodes.node(at: target.path.components, below: target.base) else {
            return target
        }
        guard relocation.autorename else {
            throw .conflict(self[existing].isFolder ? .folder : .file)
        }
        return freeTarget(near: target, style: .numbered, keepsExtension: !self[node].isFolder)
    }

    /// Whether a folder is a team member's home, which cannot be moved.
    func isHome(_ node: NodeID) -> Bool {
        sharedFolders[node]?.namespace == Self.homeNamespace(of: namespace)
    }

    private func leads(_ target: WriteTarget, through node: NodeID) -> Bool {
        var current = target.base
        for component in target.path.components.dropLast() {
            guard let next = nodes.child(component.key, of: current) else { return false }
            if next == node { return true }
            current = next
        }
        return false
    }

    func size(of root: NodeID) -> Int64 {
        nodes.subtree(root).reduce(0) { sum, node in
            sum + (self[node].revision.map { self[self[$0].content].size } ?? 0)
        }
    }

    /// Copies a subtree. The copies are new entries with the times of the originals' content.
    private mutating func copy(
        _ root: NodeID, to parent: NodeID, as component: PathComponent, at time: APITime
    ) -> NodeID {
        var copies: [NodeID: NodeID] = [self[root].parent: parent]
        var copiedRoot = root
        for original in nodes.subtree(root) {
            let source = self[original]
            guard let folder = original == root ? parent : copies[source.parent] else { continue }
            let name =
                original == root ? component : PathComponent(source.name, folding: folding)
            let copy: NodeID
            if let revision = source.revision {
                copy = addFile(
                    name, to: folder, content: self[revision].content,
                    clientModified: self[revision].clientModified, serverModified: time)
                mark(copy, marks(of: original))
            } else {
                copy = addFolder(name, to: folder)
            }
            if conduct.copiesHaveProperties { properties.copyAll(of: original, to: copy) }
            copies[original] = copy
            if original == root { copiedRoot = copy }
        }
        return copiedRoot
    }
}
