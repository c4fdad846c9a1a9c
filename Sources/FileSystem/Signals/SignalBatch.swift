// Which watchers are told of changes of other clients, and of what. Not responsible for which nodes
// are watched, nor for the events.

package import Core
package import MetadataStore
import Tree

/// The signals for changes, as far as programs watch their nodes or the folders of these.
package struct SignalBatch {
    private let snapshot: Snapshot
    private let isWatched: (InodeID) -> Bool
    private var nodes: [InotifySignal] = []
    private var folders: [InodeID] = []
    /// The places of nodes' signals.
    private var places: [InodeID: Int] = [:]
    private var toldFolders: Set<InodeID> = []

    /// A batch without signals. `isWatched` tells of a node.
    package init(snapshot: Snapshot, isWatched: @escaping (InodeID) -> Bool) {
        self.snapshot = snapshot
        self.isWatched = isWatched
    }

    /// In the order of the changes; folders come last, after the files in them.
    package var signals: [InotifySignal] {
        let names = folders.compactMap { folder in
            (try? snapshot.shownPath(of: folder)).flatMap { $0 }.map {
                InotifySignal(.names, at: $0)
            }
        }
        return [nodes, names].flatMap(\.self)
    }

    /// Adds the signals for changes. Throws if the database does.
    package mutating func add(_ gathered: GatheredChanges) throws {
        for change in gathered.changes { try add(change) }
        for node in gathered.nodes.sorted() {
            if let folder = try snapshot.node(node)?.place?.parent { add(namesIn: folder) }
        }
        for folder in gathered.folders.sorted() { add(namesIn: folder) }
    }

    private mutating func add(_ change: TreeChange) throws {
        switch change {
        case .entry(let parent, let name), .deletedEntry(let parent, _, let name):
            guard isWatched(parent) else { return }
            if let node = try snapshot.child(name, of: parent), node.kind == .file {
                try tell(.content, node)
            }
            add(namesIn: parent)
        case .content(let inode):
            if let node = try snapshot.node(inode) { try tell(.content, node) }
        case .attributes(let inode):
            if let node = try snapshot.node(inode) { try tell(.attributes, node) }
        case .listing: break
        }
    }

    private mutating func add(namesIn folder: InodeID) {
        if isWatched(folder), toldFolders.insert(folder).inserted { folders.append(folder) }
    }

    private mutating func tell(_ change: InotifySignal.Change, _ node: Node) throws {
        if let place = places[node.inode] {
            // New content is told with the attributes.
            if change == .content { nodes[place].change = .content }
            return
        }
        guard isWatched(node.inode) || node.place.map({ isWatched($0.parent) }) ?? false,
            let path = try snapshot.shownPath(of: node.inode)
        else { return }
        places[node.inode] = nodes.count
        nodes.append(InotifySignal(change, at: path))
    }
}
