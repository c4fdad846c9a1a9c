// A server that lies, as JSON; and stores behind it. Nothing goes over a network.

import Core
import DropboxAPI
import DropboxAPITesting
import RemoteStore

@testable import RemoteStore

extension ScriptedTransport {
    /// Answers each request with what a function makes of it.
    convenience init(_ script: @escaping @Sendable (RecordedRequest) -> ScriptedResponse) {
        self.init()
        answerAll(by: script)
    }

    /// Gives the same JSON to every request.
    convenience init(json: String, status: Int = 200) {
        self.init { _ in .json(json, status: status) }
    }

    /// A store behind this transport; a mounted folder is known.
    func store(
        root: DropboxStore.Root = .home, prefix: RemotePath = .root
    ) -> DropboxStore {
        var folder = MountedFolder(prefix)
        if prefix != .root {
            folder.id = FileID("id:t")
            folder.path = RemotePath(rawValue: prefix.rawValue.lowercased())
            folder.confirmed = .now
        }
        return DropboxStore(
            client: client(), root: root, folder: folder, log: silent, clock: StoreClock())
    }
}

/// In place of a field's JSON, leaves the field out.
let absent = ""

/// A file as the API describes it, each field replaceable by other JSON.
func fileJSON(_ changes: [String: String] = [:]) -> String {
    var fields: [String: String] = [
        ".tag": "\"file\"", "name": "\"File.txt\"", "path_lower": "\"/file.txt\"",
        "path_display": "\"/File.txt\"", "id": "\"id:abc\"", "rev": "\"0123456789\"",
        "client_modified": "\"2024-01-01T00:00:00Z\"", "size": "4",
        "server_modified": "\"2024-01-01T00:00:01Z\"", "is_downloadable": "true",
        "content_hash": "\"\(String(repeating: "0a", count: 32))\"",
    ]
    for (name, json) in changes { fields[name] = json }
    let body = fields.filter { $0.value != absent }.sorted { $0.key < $1.key }.map {
        "\"\($0.key)\": \($0.value)"
    }
    return "{" + body.joined(separator: ", ") + "}"
}

func pageJSON(_ entries: [String], cursor: String = "next", hasMore: Bool = false) -> String {
    """
    {"entries": [\(entries.joined(separator: ", "))], "cursor": "\(cursor)", "has_more": \(hasMore)}
    """
}
