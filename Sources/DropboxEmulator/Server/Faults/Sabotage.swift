// The effects of faults on results and response bodies.

import NIOCore

extension RouteResponse {
    /// Changes the result of a call, whether it is the body or the header beside content.
    func mapResults(_ change: (JSONValue) -> JSONValue) -> RouteResponse {
        var response = self
        if case .json(let value) = body { response.body = .json(change(value)) }
        if let text = header("Dropbox-API-Result"),
            let value = try? JSONParser.parse(Array(text.utf8))
        {
            response.setHeader("Dropbox-API-Result", change(value).text(.ascii))
        }
        return response
    }
}

extension JSONValue {
    /// This value with every content hash replaced by a wrong one.
    var withWrongHashes: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withWrongHashes))
        case .object(let members):
            .object(
                members.map { member in
                    guard member.name == "content_hash", let hash = member.value.string else {
                        return Member(member.name, member.value.withWrongHashes)
                    }
                    return Member(member.name, .string(String(hash.reversed())))
                })
        default: self
        }
    }

    /// This value with a field replaced wherever it occurs.
    func replacing(_ name: String, by value: JSONValue) -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.map { $0.replacing(name, by: value) })
        case .object(let members):
            .object(
                members.map { member in
                    member.name == name
                        ? Member(name, value)
                        : Member(member.name, member.value.replacing(name, by: value))
                })
        default: self
        }
    }

    /// A listing with hostile names added to its entries; other results unchanged.
    func withHostileEntries(_ names: [String]) -> JSONValue {
        guard case .object(let members) = self, self["entries"]?.array != nil else { return self }
        let hostile =
            names.isEmpty
            ? ["..", ".", "", "a/b", "nul\u{0}byte", String(repeating: "x", count: 300)] : names
        return .object(
            members.map { member in
                guard member.name == "entries", let entries = member.value.array else {
                    return member
                }
                return Member("entries", .array(entries + hostile.enumerated().map(Self.entry)))
            })
    }

    private static func entry(_ number: Int, _ name: String) -> JSONValue {
        [
            ".tag": "file", "name": .string(name), "path_lower": .string("/" + name),
            "path_display": .string("/" + name), "id": .string("id:hostile\(number)"),
            "client_modified": "2024-01-01T00:00:00Z", "server_modified": "2024-01-01T00:00:00Z",
            "rev": .string("0badc0de\(10 + number)"), "size": 1, "is_downloadable": true,
            "content_hash": .string(String(repeating: "0", count: 64)),
        ]
    }

    /// Entries whose parents in `path_display` have the wrong case: only the last component is
    /// reliable (files.stone, `Metadata.path_display`).
    var withUnreliableParentCase: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withUnreliableParentCase))
        case .object(let members):
            .object(
                members.map { member in
                    guard member.name == "path_display", let path = member.value.string,
                        let slash = path.lastIndex(of: "/")
                    else { return Member(member.name, member.value.withUnreliableParentCase) }
                    return Member(
                        member.name, .string(path[..<slash].lowercased() + path[slash...]))
                })
        default: self
        }
    }
}

extension RouteResponse.Body {
    /// A prefix of this body, presented as the whole.
    func shortened(to length: Int64) -> RouteResponse.Body {
        switch self {
        case .json(let value):
            .text(String(decoding: value.utf8().prefix(Int(length)), as: UTF8.self))
        case .text(let text): .text(String(decoding: text.utf8.prefix(Int(length)), as: UTF8.self))
        case .stream(let whole, let pieces):
            .stream(
                length: min(length, whole ?? length), ShortPieces(pieces: pieces, length: length))
        }
    }
}

/// The first bytes of a body.
private struct ShortPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let pieces: any RouteResponse.Pieces
    let length: Int64

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: pieces.makeAsyncIterator(), rest: length)
    }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<ByteBuffer, any Error>
        var rest: Int64

        mutating func next() async throws -> ByteBuffer? {
            guard rest > 0, var piece = try await pieces.next(isolation: #isolation) else {
                return nil
            }
            let part = piece.readSlice(length: Int(Swift.min(rest, Int64(piece.readableBytes))))
            rest -= Int64(part?.readableBytes ?? 0)
            return part
        }
    }
}

/// Passes a body's pieces on, and cuts, corrupts or stalls at a position.
struct BodySabotage: Sendable {
    private let cut: Int64?
    private let corrupt: Int64?
    private let stall: (at: Int64, seconds: Double)?

    init(_ plan: FaultPlan) {
        cut = plan.details(.cutBody)?.at
        corrupt = plan.details(.corruptBody)?.at
        stall = plan.details(.stallBody).map { ($0.at, $0.seconds) }
    }

    /// The steps into which faults split the sending of a piece.
    enum Step: Sendable {
        case send(ByteBuffer)
        case stall(seconds: Double)
        case cut

        /// Stalls or resets the connection; returns the bytes to send.
        func part() async throws -> ByteBuffer? {
            switch self {
            case .send(let part): return part
            case .stall(let seconds):
                try await Task.sleep(for: .seconds(seconds))
                return nil
            case .cut: throw ConnectionReset()
            }
        }
    }

    /// The steps for the piece of a body that begins at an offset.
    func steps(_ piece: ByteBuffer, at offset: Int64) -> [Step] {
        var piece = piece
        let end = offset + Int64(piece.readableBytes)
        if let corrupt, (offset..<end).contains(corrupt) {
            let index = piece.readerIndex + Int(corrupt - offset)
            if let byte = piece.getInteger(at: index, as: UInt8.self) {
                piece.setInteger(byte ^ 0xFF, at: index)
            }
        }
        var steps: [Step] = []
        var position = offset
        if let stall, (offset..<max(end, offset + 1)).contains(stall.at) {
            if let head = piece.readSlice(length: Int(stall.at - offset)) {
                steps.append(.send(head))
            }
            steps.append(.stall(seconds: stall.seconds))
            position = stall.at
        }
        guard let cut, cut < end else { return steps + [.send(piece)] }
        if let head = piece.readSlice(length: Int(max(0, cut - position))) {
            steps.append(.send(head))
        }
        return steps + [.cut]
    }
}
