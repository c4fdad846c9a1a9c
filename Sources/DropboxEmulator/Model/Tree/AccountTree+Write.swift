// The elementary changes of operations: they keep the children, the change log, the tombstones and
// the used space consistent with one another. The operations that call these decide whether a
// change is allowed.

extension AccountTree {
    /// Records in the change log that an entry is new or changed.
    mutating func recordChange(_ node: NodeID) {
        nodes.setLastChange(changes.end, of: node)
        changes.append(node)
    }

    /// Records a deletion at a path in the change log.
    mutating func recordDeletion(key: String, display: String, parent: NodeID) {
        let parentKey = nodes.paths(of: parent, from: .root).key
        changes.append(
            DeletedPath(key: key, display: display, parent: parent, parentKey: parentKey))
    }

    /// Adds a folder below an existing one.
    mutating func addFolder(_ component: PathComponent, to parent: NodeID) -> NodeID {
        let node = nodes.add(component, to: parent)
        _ = takeTombstone(at: node)
        recordChange(node)
        return node
    }

    /// Adds a file with its first revision to an existing folder.
    mutating func addFile(
        _ component: PathComponent, to parent: NodeID, content: ContentID,
        clientModified: APITime, serverModified: APITime
    ) -> NodeID {
        let node = nodes.add(component, to: parent)
        addRevision(
            to: node, content: content, clientModified: clientModified,
            serverModified: serverModified, previousAtPath: takeTombstone(at: node))
        return node
    }

    /// Removes the tombstone from a path that an entry has taken; returns the last revision there.
    private mutating func takeTombstone(at node: NodeID) -> RevisionID? {
        // Without tombstones, as in large trees that are made for measurements, no path is needed.
        tombstones.isEmpty ? nil : tombstones.take(nodes.paths(of: node, from: .root).key)
    }

    /// Brings a deleted file back, as a new revision of the same id: under its last name, or in
    /// another spelling of that.
    mutating func revive(
        _ file: NodeID, in parent: NodeID, as component: PathComponent? = nil,
        with content: ContentID, clientModified: APITime, at time: APITime
    ) {
        if let component {
            nodes.place(file, in: parent, as: component)
        } else {
            nodes.place(file, in: parent)
        }
        let last = takeTombstone(at: file)
        // Adding a revision takes the size of the one before off.
        if let newest = self[file].revision { space.add(self[self[newest].content].size) }
        addRevision(
            to: file, content: content, clientModified: clientModified, serverModified: time,
            previousAtPath: last)
    }

    /// Replaces the content of a file.
    mutating func replaceContent(
        of node: NodeID, content: ContentID, clientModified: APITime, serverModified: APITime
    ) {
        if !conduct.newContentKeepsProperties { properties.removeAll(of: node) }
        addRevision(
            to: node, content: content, clientModified: clientModified,
            serverModified: serverModified, previousAtPath: self[node].revision)
    }

    /// Adds the newest revision of a file, and updates the used space.
    mutating func addRevision(
        to node: NodeID, content: ContentID, clientModified: APITime, serverModified: APITime,
        previousAtPath: RevisionID?
    ) {
        space.add(self[content].size)
        if let old = self[node].revision { space.remove(self[self[old].content].size) }
        let revision = revisions.append(
            Revision(
                content: content, clientModified: clientModified, serverModified: serverModified,
                file: node, previousAtPath: previousAtPath, previousOfFile: self[node].revision))
        nodes.setRevision(revision, of: node)
        recordChange(node)
    }

    /// Creates the missing folders of a path; returns the last.
    ///
    /// The caller has checked that no file occupies their paths.
    mutating func makeFolders(_ components: some Sequence<PathComponent>, below base: NodeID)
        -> NodeID
    {
        var current = base
        for component in components {
            current =
                nodes.child(component.key, of: current) ?? addFolder(component, to: current)
        }
        return current
    }

    /// Adds tombstones at the paths of a subtree. The caller records the deletion, after so many
    /// other changes.
    mutating func bury(_ root: NodeID, at time: APITime, before others: Int = 0) {
        let change = changes.end + Int32(others)
        for node in nodes.subtree(root) {
            let path = nodes.paths(of: node, from: .root)
            tombstones.add(
                Tombstone(
                    display: path.display, lastRevision: self[node].revision, deletedAt: time,
                    change: change),
                at: path.key)
        }
    }

    /// Deletes a subtree from the tree.
    mutating func remove(_ root: NodeID, at time: APITime) {
        let path = nodes.paths(of: root, from: .root)
        bury(root, at: time)
        let doomed = nodes.subtree(root)
        space.remove(size(of: root))
        nodes.detach(root)
        nodes.delete(doomed)
        recordDeletion(key: path.key, display: path.display, parent: self[root].parent)
    }

    /// Moves a subtree. Every file gets a new rev and the time of the move, and keeps its id and
    /// `client_modified`.
    mutating func move(
        _ root: NodeID, to parent: NodeID, as component: PathComponent, at time: APITime
    ) {
        let old = nodes.paths(of: root, from: .root)
        let oldParent = self[root].parent
        let moved = nodes.subtree(root)
        bury(root, at: time, before: conduct.movesAreToldFirst ? moved.count : 0)
        nodes.detach(root)
        nodes.place(root, in: parent, as: component)
        if !conduct.movesAreToldFirst {
            recordDeletion(key: old.key, display: old.display, parent: oldParent)
        }
        for node in moved {
            if !conduct.movesKeepProperties { properties.removeAll(of: node) }
            let previous = takeTombstone(at: node)
            if let newest = self[node].revision, !conduct.movesKeepRevs {
                let revision = self[newest]
                addRevision(
                    to: node, content: revision.content, clientModified: revision.clientModified,
                    serverModified: time, previousAtPath: previous)
            } else {
                recordChange(node)
            }
        }
        if conduct.movesAreToldFirst {
            recordDeletion(key: old.key, display: old.display, parent: oldParent)
        }
    }
}
