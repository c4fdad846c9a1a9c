// An HTTP transport that answers by script, for a server that lies. Nothing goes over a network.

import DropboxAPI
import RemoteStore
import Synchronization

@testable import RemoteStore

/// Answers each request with what a function makes of it.
final class ScriptedTransport: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var headers: HTTPHeaders = [:]
        var body: [UInt8] = []

        static func json(_ text: String, status: Int = 200) -> Answer {
            Answer(status: status, body: Array(text.utf8))
        }
    }

    private let script: @Sendable (HTTPRequest) -> Answer
    private let log = Mutex<[HTTPRequest]>([])

    /// Requests so far, in order.
    var requests: [HTTPRequest] { log.withLock { $0 } }

    init(_ script: @escaping @Sendable (HTTPRequest) -> Answer) {
        self.script = script
    }

    /// Gives the same JSON to every request.
    convenience init(json: String, status: Int = 200) {
        self.init { _ in .json(json, status: status) }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        log.withLock { $0.append(request) }
        let answer = script(request)
        return HTTPResponse(
            status: answer.status, headers: answer.headers,
            body: ResponseBody(WholeBody(answer.body)))
    }

    func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async {}

    /// A store behind this transport.
    func store(
        root: DropboxStore.Root = .home, prefix: RemotePath = .root
    ) -> DropboxStore {
        var configuration = DropboxConfiguration()
        configuration.retryPolicy = RetryPolicy(firstFaultDelay: .zero, longestFaultDelay: .zero)
        let client = DropboxClient(
            configuration: configuration, tokens: FixedAccessToken(AccessToken("token")),
            transport: self, logger: silent)
        return DropboxStore(client: client, root: root, prefix: prefix, log: silent)
    }
}

/// A body in one chunk.
private final class WholeBody: ChunkSource {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func nextChunk() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    func abandon() {}
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
