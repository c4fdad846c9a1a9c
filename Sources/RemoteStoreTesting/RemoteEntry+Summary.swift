// Entries and references as the words of a history, for tests.

import Core
package import RemoteStore

extension RemoteEntry {
    /// The path with the ID and the revision; a slash behind the path of a folder, a minus before
    /// that of a deletion.
    package var summary: String {
        switch kind {
        case .file(let file): "\(foldedPath.rawValue)=\(file.id.rawValue)@\(file.revision.rawValue)"
        case .folder(let folder): "\(foldedPath.rawValue)/=\(folder.id.rawValue)"
        case .deleted: "-\(foldedPath.rawValue)"
        }
    }
}

extension RemoteReference {
    /// The path with the ID, if that is known.
    package var summary: String { "\(path.rawValue)=\(id?.rawValue ?? "any")" }
}
