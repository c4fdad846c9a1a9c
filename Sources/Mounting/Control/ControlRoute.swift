// Commands with the types of their requests and replies. A message is a line of JSON: a request has
// `command` and the fields of its type, a reply has those of its type or `failure`. Programs and
// mounts of other versions read each other's lines: fields are added, never renamed. Not
// responsible for sockets (`ControlSocket`) and for what a command does (`Routes/`).

import DropboxAPI
import Saturating

/// A command that programs send to a mount.
///
/// The coding keys of `Request` and `Reply` are the fields on the socket. A reply may come in
/// several lines.
package struct ControlRoute<Request: Codable & Sendable, Reply: Codable & Sendable>: Sendable {
    /// Serves a request on a thread that may block. Returns the last reply; nil if there is nothing
    /// more to say.
    typealias Handler = @Sendable (Request, ControlCall<Reply>) throws(CommandError) -> Reply?

    let command: ControlCommand
    private let handler: Handler

    init(_ command: ControlCommand, _ handler: @escaping Handler) {
        self.command = command
        self.handler = handler
    }
}

/// A route without its types, for the server.
protocol ServedRoute: Sendable {
    /// The command that selects the route.
    var command: ControlCommand { get }
    /// Serves a line; returns false if it is no request of this route.
    func serve(_ line: [UInt8], _ call: ControlCall<Never>) -> Bool
}

extension ControlRoute: ServedRoute {
    func serve(_ line: [UInt8], _ call: ControlCall<Never>) -> Bool {
        guard let request = try? JSON.decode(Request.self, from: line) else { return false }
        let call = ControlCall<Reply>(
            service: call.service, ending: call.ending, connection: call.connection)
        do throws(CommandError) {
            if let reply = try handler(request, call) { _ = call.send(reply) }
        } catch {
            call.connection.send(FailureReply(failure: error.message))
        }
        return true
    }
}

/// One request that is being served.
struct ControlCall<Reply: Encodable & Sendable>: Sendable {
    let service: any MountService
    let ending: MountEnding
    let connection: ControlConnection

    /// Sends a reply before the last one; returns whether the client has taken it.
    func send(_ reply: Reply) -> Bool { connection.send(reply) }

    /// Whether the client has gone.
    var isAbandoned: Bool { connection.isAbandoned }
}

// MARK: Lines

extension ControlCommand {
    /// The command of a request; nil if it is none.
    init?(of line: [UInt8]) {
        guard let name = try? JSON.decode(Name.self, from: line) else { return nil }
        self = name.command
    }

    private struct Name: Decodable {
        let command: ControlCommand
    }
}

/// A request as it is sent.
struct RequestLine<Fields: Encodable>: Encodable {
    let command: ControlCommand
    let fields: Fields

    private enum CodingKeys: CodingKey {
        case command
    }

    func encode(to encoder: any Encoder) throws {
        try fields.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(command, forKey: .command)
    }
}

/// The reply to a request that failed.
struct FailureReply: Hashable, Sendable, Codable {
    /// The reason, for people.
    let failure: String
}

/// A request that is no more than its command.
package struct NoFields: Hashable, Sendable, Codable {
    /// There is one value only.
    package init() {}
}

/// A request about nodes.
package struct PathsRequest: Hashable, Sendable, Codable {
    /// Paths on the mount, without the mountpoint.
    package var paths: [String]?

    /// Takes any number of paths.
    package init(paths: [String]) {
        self.paths = paths
    }

    /// The path of a request about one node; the mount's root without one.
    var first: String { paths?.first ?? "" }

    /// Divides paths into as many requests as they need: a line is limited to a mebibyte, and JSON
    /// takes six bytes for one at worst.
    package static func pieces(of paths: [String]) -> [[String]] {
        var pieces: [[String]] = []
        var room = 0
        for path in paths {
            let bytes = path.utf8.count +| 1
            if let last = pieces.indices.last, bytes <= room {
                pieces[last].append(path)
            } else {
                pieces.append([path])
                room = mostPathBytes
            }
            room -|= bytes
        }
        return pieces
    }

    /// Bytes of the paths in one request.
    private static let mostPathBytes = 1 << 17
}

extension Array {
    /// The elements in pieces of so many, for replies in several lines; the last may have fewer.
    func pieces(of count: Int) -> [[Element]] {
        var (pieces, rest) = ([[Element]](), self[...])
        while !rest.isEmpty {
            pieces.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pieces
    }
}
