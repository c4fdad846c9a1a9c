// Changes of other clients that gather until watchers are told of them. Not responsible for the
// time (`SignalQueue`), nor for the watchers (`SignalBatch`).

package import Core
import Saturating
package import Tree

/// Changes of other clients: a number of them one by one, and of more the folders and nodes alone.
package struct GatheredChanges: Hashable, Sendable {
    /// Changes of which watchers are told one by one.
    static let most = 20_000

    /// The changes that are told one by one, in their order.
    package private(set) var changes: [TreeChange] = []
    /// The folders of names beyond those.
    package private(set) var folders: Set<InodeID> = []
    /// The nodes with other changes beyond those.
    package private(set) var nodes: Set<InodeID> = []

    /// Creates an empty collection, to which changes are added.
    package init() {}

    /// Whether there are none.
    package var isEmpty: Bool { changes.isEmpty && folders.isEmpty && nodes.isEmpty }

    /// Adds changes that came after those that are here.
    package mutating func add(_ later: [TreeChange]) {
        let room = Self.most -| changes.count
        changes.append(contentsOf: later.prefix(room))
        for change in later.dropFirst(room) {
            switch change {
            case .entry(let folder, _), .deletedEntry(let folder, _, _): folders.insert(folder)
            case .content(let node), .attributes(let node): nodes.insert(node)
            case .listing: break
            }
        }
    }

    /// Adds changes that have gathered elsewhere after those that are here.
    mutating func add(_ later: GatheredChanges) {
        add(later.changes)
        folders.formUnion(later.folders)
        nodes.formUnion(later.nodes)
    }
}
