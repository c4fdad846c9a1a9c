// Routes of which only the name is known: called with arguments that are documents.

import DropboxAPIComplete
import Foundation

/// A route, and a way to call it with JSON.
struct RouteProbe: Sendable {
    let name: String
    let host: RouteHost
    let style: RouteStyle
    let authentication: RouteAuthentication
    let scope: String?
    let isSafeToRepeat: Bool
    /// Calls the route and gives the result as JSON.
    let call: @Sendable (DropboxClient, Data) async throws -> Data

    /// Bytes that go up, where a route takes some.
    static let content = Array("content".utf8)

    init<Argument: Codable, Output: Codable, Failure>(_ route: Route<Argument, Output, Failure>) {
        name = route.name
        host = route.host
        style = route.style
        authentication = route.authentication
        scope = route.scope
        isSafeToRepeat = route.isSafeToRepeat
        call = { client, json in
            let argument = try JSONDecoder().decode(Argument.self, from: json)
            let result: Output
            // The hashes of the examples are those of other bytes.
            let unchecked = CallOptions(comparesHashes: false)
            switch route.style {
            case .rpc: result = try await client.call(route, argument)
            case .upload:
                result = try await client.upload(
                    route, argument, body: BytesBody(Self.content), options: unchecked)
            case .download:
                let download = try await client.download(route, argument, options: unchecked)
                _ = try await download.body.collect(upTo: 1 << 20)
                result = download.result
            }
            return try JSONEncoder().encode(result)
        }
    }
}

/// Argument and result of each route, by the route's name.
struct RouteDocument: Sendable {
    /// The example of the specification if there is one.
    let argument: Data
    let everyField: Data
    let result: Data

    static func all() throws -> [String: RouteDocument] {
        var documents: [String: RouteDocument] = [:]
        for line in try ExampleDocument.lines("routes") {
            guard let name = line["route"] as? String else { continue }
            documents[name] = RouteDocument(
                argument: try ExampleDocument.data(line["argument"] ?? NSNull()),
                everyField: try ExampleDocument.data(line["every_field"] ?? NSNull()),
                result: try ExampleDocument.data(line["result"] ?? NSNull()))
        }
        return documents
    }
}

/// Answers every request with its route's document, and remembers the requests.
actor AnsweringTransport: HTTPTransport {
    private let documents: [String: RouteDocument]
    private(set) var last: TransportRequest?

    init(_ documents: [String: RouteDocument]) {
        self.documents = documents
    }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        last = request
        let json = documents[request.label]?.result ?? Data("null".utf8)
        guard request.purpose == .download else {
            return TransportResponse(
                status: 200, headers: [:], body: ResponseBody(Chunk([UInt8](json))))
        }
        let size = (try? JSONDecoder().decode(Sized.self, from: json))?.size ?? 0
        return TransportResponse(
            status: 200,
            headers: ["Dropbox-API-Result": String(decoding: json, as: UTF8.self)],
            body: ResponseBody(Chunk(Array(repeating: 0, count: size))))
    }

    nonisolated func limitBandwidth(up: UInt64?, down: UInt64?) {}

    func shutDown() async {}

    private struct Sized: Decodable {
        let size: Int
    }
}

/// A body in one piece.
actor Chunk: ChunkSource {
    private var bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    func nextChunk() async throws(TransportError) -> [UInt8]? {
        defer { bytes = [] }
        return bytes.isEmpty ? nil : bytes
    }

    nonisolated func abandon() {}
}
