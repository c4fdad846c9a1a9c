// Requests and replies as the words of a history. Not responsible for sending them (`Link.swift`).

import Core
import RemoteStore

extension Link {
    static func summary(of reply: Any) -> String {
        switch reply {
        case let page as RemotePage:
            page.entries.map(\.summary).joined(separator: ", ") + (page.hasMore ? " …" : "")
        case let entry as RemoteEntry: entry.summary
        case let entry as RemoteEntry?: entry?.summary ?? "none"
        default: ""
        }
    }
}

extension RemoteReference {
    var summary: String { "\(path.rawValue)=\(id?.rawValue ?? "any")" }
}

extension RemoteError {
    /// The name of its case.
    var kind: String {
        let text = "\(self)"
        return String(text.prefix { $0 != "(" })
    }
}

extension RemoteEntry {
    var summary: String {
        switch kind {
        case .file(let file): "\(foldedPath.rawValue)=\(file.id.rawValue)@\(file.revision.rawValue)"
        case .folder(let folder): "\(foldedPath.rawValue)/=\(folder.id.rawValue)"
        case .deleted: "-\(foldedPath.rawValue)"
        }
    }
}
