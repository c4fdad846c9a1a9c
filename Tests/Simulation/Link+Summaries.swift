// Requests and replies as the words of a history. Not responsible for sending them (`Link.swift`).

import RemoteStore
import RemoteStoreTesting

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

extension RemoteError {
    /// The name of its case.
    var kind: String {
        let text = "\(self)"
        return String(text.prefix { $0 != "(" })
    }

    /// Whether the account has no right to a change.
    var isForRights: Bool {
        switch self {
        case .forbidden, .protected: true
        default: false
        }
    }
}
