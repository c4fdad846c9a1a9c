// A request as tests check it.

public import DropboxAPI

/// A request that a client sent.
public struct RecordedRequest: Sendable {
    /// The route, for example `files/list_folder`; `oauth2/token` for the token endpoint.
    public let route: String
    /// The URL of the request, with its query.
    public let url: String
    /// All headers, the access token in `Authorization` among them.
    public let headers: TransportHeaders
    /// The bytes of the body: JSON in the rpc style, content in the upload style.
    public let body: [UInt8]

    init(_ request: TransportRequest) throws {
        route = request.label
        url = request.url
        headers = request.headers
        body = try request.body?.allBytes() ?? []
    }

    /// The argument's JSON, wherever the route's style has it.
    public var argumentJSON: String {
        headers["Dropbox-API-Arg"] ?? String(decoding: body, as: UTF8.self)
    }

    /// The argument. Throws when the JSON does not fit the type.
    public func argument<Argument: Decodable>(as type: Argument.Type) throws -> Argument {
        try JSON.decode(Argument.self, from: Array(argumentJSON.utf8))
    }
}

extension BodySource {
    fileprivate func allBytes() throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(clamping: length))
        var count = 0
        while count < bytes.count {
            let read = try bytes.withUnsafeMutableBytes { buffer in
                try self.read(
                    at: UInt64(count),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            guard read > 0 else { throw ShortBody() }
            count += read
        }
        return bytes
    }
}

private struct ShortBody: Error, CustomStringConvertible {
    var description: String { "the body is shorter than its length" }
}
