// The elementary changes of operations: they keep the children, the change log, the tombstones and
// the used space consistent with one another. The operations that call these decide whether a
// change is allowed.

extension AccountTree {
    /// Records in the change log that an entry is new or changed.
    mutating func recordChange(_ node: NodeID) {
        nodes[Int(node.index)].lastChange = changes.end
        changes.append(node)
    }

    /// Records a deletion at a path in the change log.
    mutating func recordDeletion(key: String, display: String, parent: NodeID) {
        let parentKey = paths(of: parent, from: .root).key
        changes.append(
            DeletedPath(key: key, display: display, parent: parent, parentKey: parentKey))
    }

    /// Adds a folder below an existing one.
    mutating func addFolder(_ component: PathComponent, to parent: NodeID) -> NodeID {
        let node = addNode(component, to: parent)
        if !tombstones.isEmpty {
            tombstones[paths(of: node, from: .root).key] = nil
        }
        recordChange(node)
        return node
    }

    /// Adds a file with its first revision to an existing folder.
    mutating func addFile(
        _ component: PathComponent, to parent: NodeID, content: ContentID,
        clientModified: APITime, serverModified: APITime
    ) -> NodeID {
        let node = addNode(component, to: parent)
        let previous =
            tombstones.isEmpty
            ? nil
            : tombstones.removeValue(forKey: paths(of: node, from: .root).key)?.lastRevision
        addRevision(
            to: node, content: content, clientModified: clientModified,
            serverModified: serverModified, previousAtPath: previous)
        return node
    }

    private mutating func addNode(_ component: PathComponent, to parent: NodeID) -> NodeID {
        let node = NodeID(index: Int32(nodes.count))
        nodes.append(
            Node(name: component.name, key: component.key, parent: parent, lastChange: 0))
        link(node)
        return node
    }

    /// Brings a deleted file back under its last name, as a new revision of the same id.
    mutating func revive(
        _ file: NodeID, in parent: NodeID, with content: ContentID, clientModified: APITime,
        at time: APITime
    ) {
        nodes[Int(file.index)].parent = parent
        nodes[Int(file.index)].isAlive = true
        link(file)
        let last = tombstones.removeValue(forKey: paths(of: file, from: .root).key)?.lastRevision
        // Adding a revision takes the size of the one before off.
        if let newest = self[file].revision { usedBytes += self[self[newest].content].size }
        addRevision(
            to: file, content: content, clientModified: clientModified, serverModified: time,
            previousAtPath: last)
    }

    /// Replaces the content of a file.
    mutating func replaceContent(
        of node: NodeID, content: ContentID, clientModified: APITime, serverModified: APITime
    ) {
        addRevision(
            to: node, content: content, clientModified: clientModified,
            serverModified: serverModified, previousAtPath: self[node].revision)
    }

    /// Adds the newest revision of a file, and updates the used space.
    mutating func addRevision(
        to node: NodeID, content: ContentID, clientModified: APITime, serverModified: APITime,
        previousAtPath: RevisionID?
    ) {
        usedBytes += self[content].size
        if let old = self[node].revision { usedBytes -= self[self[old].content].size }
        let revision = RevisionID(index: Int32(revisions.count))
        revisions.append(
            Revision(
                content: content, clientModified: clientModified, serverModified: serverModified,
                file: node, previousAtPath: previousAtPath, previousOfFile: self[node].revision))
        nodes[Int(node.index)].revision = revision
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
                child(component.key, of: current) ?? addFolder(component, to: current)
        }
        return current
    }

    /// Adds tombstones at the paths of a subtree. The caller records the deletion as the next
    /// change.
    mutating func bury(_ root: NodeID, at time: APITime) {
        for node in subtree(root) {
            let path = paths(of: node, from: .root)
            tombstones[path.key] = Tombstone(
                display: path.display, lastRevision: self[node].revision, deletedAt: time,
                change: changes.end)
        }
    }

    /// Deletes a subtree from the tree.
    mutating func remove(_ root: NodeID, at time: APITime) {
        let path = paths(of: root, from: .root)
        bury(root, at: time)
        let doomed = subtree(root)
        unlink(root)
        for node in doomed {
            if let revision = self[node].revision {
                usedBytes -= self[self[revision].content].size
            }
            nodes[Int(node.index)].isAlive = false
            nodes[Int(node.index)].children = []
        }
        recordDeletion(key: path.key, display: path.display, parent: self[root].parent)
    }

    /// Moves a subtree. Every file gets a new rev and the time of the move, and keeps its id and `client_modified`.
    mutating func move(
        _ root: NodeID, to parent: NodeID, as component: PathComponent, at time: APITime
    ) {
        let old = paths(of: root, from: .root)
        let oldParent = self[root].parent
        bury(root, at: time)
        unlink(root)
        nodes[Int(root.index)].parent = parent
        nodes[Int(root.index)].name = component.name
        nodes[Int(root.index)].key = component.key
        link(root)
        recordDeletion(key: old.key, display: old.display, parent: oldParent)
        for node in subtree(root) {
            let key = paths(of: node, from: .root).key
            let previous = tombstones.removeValue(forKey: key)?.lastRevision
            if let newest = self[node].revision, !conduct.movesKeepRevs {
                let revision = self[newest]
                addRevision(
                    to: node, content: revision.content, clientModified: revision.clientModified,
                    serverModified: time, previousAtPath: previous)
            } else {
                recordChange(node)
            }
        }
    }
}
