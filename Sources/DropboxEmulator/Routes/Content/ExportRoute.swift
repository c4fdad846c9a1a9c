// The route that exports cloud documents. An export is a line with its format, then the file's
// content: so it has another size than the document, and each format another one.

import NIOCore

extension Routes {
    /// `files/export`: sends a cloud document in a format.
    static func export(_ call: Call) async throws -> RouteResponse {
        let (path, asked) = try call.arguments {
            reader throws(ArgumentError) -> (String, String?) in
            (
                try reader.path("path", .readPath),
                try reader.optionalString("export_format")
            )
        }
        let base = call.base
        let metadata = try call.space.tree { tree throws(PathFailure) in
            try PathFailure.wrap { () throws(LookupError) in
                tree.fileMetadata(of: try tree.fileRevision(path, from: base), from: base)
            }
        }
        guard let marks = metadata.marks, let standard = marks.exportAs else {
            throw RouteFailure.route(.tag("non_exportable"))
        }
        let format = asked ?? standard
        guard format == standard || marks.exportOptions.contains(format) else {
            throw RouteFailure.route(.tag("invalid_export_format"))
        }
        let export = try await DocumentExport(of: metadata, as: format, in: call.space)
        let result: JSONValue = [
            "export_metadata": [
                "name": .string(export.name), "size": .integer(export.size),
                "export_hash": .string(export.hash.hex),
            ],
            "file_metadata": metadata.json,
        ]
        return RouteResponse(
            headers: [
                .init("Content-Type", "application/octet-stream"),
                .init("Dropbox-API-Result", call.presented(result).text(.ascii)),
            ],
            body: .stream(length: export.size, export.pieces))
    }
}

/// A cloud document in a format.
private struct DocumentExport {
    /// The document's name with the extension of the format.
    let name: String
    let size: Int64
    let hash: ContentDigest
    let pieces: ExportPieces

    init(of document: FileMetadata, as format: String, in space: Space) async throws {
        let content = document.content
        let head = Array("\(format)\n".utf8)
        let stem = document.path.name.split(separator: ".", omittingEmptySubsequences: false)
            .dropLast().joined(separator: ".")
        name =
            (stem.isEmpty ? document.path.name : stem) + "."
            + (Self.extensions[format] ?? format)
        size = Int64(head.count) + content.size
        (hash, pieces) = try await onDiskThread {
            let reader = try space.content.reader(of: content)
            let whole = 0..<content.size
            var hasher = BlockHasher()
            head.withUnsafeBytes { hasher.update($0) }
            try Self.hash(reader, whole, &hasher)
            let body = ContentPieces(reader: reader, range: whole)
            return (hasher.contentHash, ExportPieces(head: head, body: body))
        }
    }

    /// Extensions of formats whose names are none.
    private static let extensions = ["markdown": "md", "plain_text": "txt"]

    private static func hash(
        _ reader: StoredContentReader, _ range: Range<Int64>, _ hasher: inout BlockHasher
    ) throws {
        var buffer = [UInt8](repeating: 0, count: Int(ContentPieces.pieceSize))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let length = Int(min(range.upperBound - offset, ContentPieces.pieceSize))
            let count = try buffer.withUnsafeMutableBytes { space in
                let part = UnsafeMutableRawBufferPointer(rebasing: space[..<length])
                let count = try reader.read(into: part, at: offset)
                hasher.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
                return count
            }
            // The file is shorter than the tree says.
            guard count == length else { throw ConnectionReset() }
            offset += Int64(count)
        }
    }
}

/// The bytes of an export, piece by piece.
private struct ExportPieces: AsyncSequence, Sendable {
    typealias Element = ByteBuffer
    typealias Failure = any Error

    let head: [UInt8]
    let body: ContentPieces

    func makeAsyncIterator() -> Iterator {
        Iterator(head: ByteBuffer(bytes: head), body: body.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        var head: ByteBuffer?
        var body: ContentPieces.Iterator

        mutating func next() async throws -> ByteBuffer? {
            if let first = head {
                head = nil
                return first
            }
            return try await body.next()
        }
    }
}
