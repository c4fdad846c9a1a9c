// Sends a content, or the requested range of it.

import NIOCore

/// A response with the bytes of a content.
struct ContentResponse {
    let space: Space
    let content: Content
    /// The `Range` header of the request.
    let range: String?
    /// The `If-None-Match` header of the request.
    let knownTag: String?

    /// The part of the content that the client requests.
    private enum Part {
        case whole
        case range(ClosedRange<Int64>)
        case unsatisfiable
    }

    /// The response: 200, 206, or 416 for a range behind the end.
    func response() async throws -> RouteResponse {
        let space = space
        let content = content
        let etag = RouteResponse.Header("ETag", "W/\"\(content.hash.hex.prefix(32))\"")
        var headers = [
            .init("Content-Type", "application/octet-stream"), etag,
            RouteResponse.Header("Accept-Ranges", "bytes"),
        ]
        if knownTag == etag.value {
            return RouteResponse(status: 304, headers: [etag], body: .text(""))
        }
        var status = 200
        var bytes: Range<Int64> = 0..<content.size
        switch part {
        case .whole: break
        case .range(let range):
            status = 206
            bytes = range.lowerBound..<range.upperBound + 1
            headers.append(
                .init(
                    "Content-Range",
                    "bytes \(range.lowerBound)-\(range.upperBound)/\(content.size)"))
        case .unsatisfiable:
            return RouteResponse(
                status: 416,
                headers: [
                    .init("Content-Type", "text/plain; charset=utf-8"),
                    .init("Content-Range", "bytes */\(content.size)"),
                ], body: .text("Requested range not satisfiable"))
        }
        let reader = try await onDiskThread { try space.content.reader(of: content) }
        return RouteResponse(
            status: status, headers: headers,
            body: .stream(
                length: Int64(bytes.count), ContentPieces(reader: reader, range: bytes)))
    }

    /// Parses a single range (RFC 9110, 14.1.2); a header of any other form is ignored, as the RFC
    /// demands.
    private var part: Part {
        guard let range, range.hasPrefix("bytes=") else { return .whole }
        let ends = range.dropFirst("bytes=".count).split(
            separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .whole }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (let first?, let last?):
            guard first <= last else { return .whole }
            return first < content.size
                ? .range(first...min(last, content.size - 1)) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            return first < content.size ? .range(first...content.size - 1) : .unsatisfiable
        case (nil, let length?) where ends[0].isEmpty:
            guard length > 0, content.size > 0 else { return .unsatisfiable }
            return .range(max(0, content.size - length)...content.size - 1)
        default: return .whole
        }
    }
}

/// A range of a content, piece by piece.
struct ContentPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    /// Size in bytes; large enough to make switching to a disk thread cheap.
    static let pieceSize: Int64 = 256 * 1024

    let reader: StoredContentReader
    let range: Range<Int64>

    func makeAsyncIterator() -> Iterator { Iterator(reader: reader, rest: range) }

    struct Iterator: AsyncIteratorProtocol {
        let reader: StoredContentReader
        var rest: Range<Int64>

        mutating func next() async throws -> ByteBuffer? {
            guard !rest.isEmpty else { return nil }
            let reader = reader
            let start = rest.lowerBound
            let length = Int(Swift.min(Int64(rest.count), ContentPieces.pieceSize))
            let piece = try await onDiskThread {
                var buffer = ByteBufferAllocator().buffer(capacity: length)
                try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { space in
                    try reader.read(
                        into: UnsafeMutableRawBufferPointer(rebasing: space[..<length]),
                        at: start)
                }
                return buffer
            }
            // The file is shorter than the tree says: reset the connection rather than silently
            // send less.
            guard piece.readableBytes == length else { throw ConnectionReset() }
            rest = start + Int64(length)..<rest.upperBound
            return piece
        }
    }
}
