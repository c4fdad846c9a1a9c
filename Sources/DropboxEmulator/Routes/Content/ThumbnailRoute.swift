// The route that makes thumbnails. The content is not decoded: a thumbnail has one colour, which
// follows from the content's hash. It is a PNG, independent of the format that a client asks for.

import Foundation
import NIOCore

extension Routes {
    /// Entries of a request.
    private static let mostThumbnails = 25

    /// `files/get_thumbnail_batch`: makes thumbnails of several files.
    static func thumbnails(_ call: Call) async throws -> RouteResponse {
        let asked = try call.arguments { reader throws(ArgumentError) in
            try reader.structs("entries") { entry throws(ArgumentError) in
                try ThumbnailArguments(&entry)
            }
        }
        guard asked.count <= mostThumbnails else {
            throw RouteFailure.route(.tag("too_many_files"))
        }
        return .json([
            "entries": .array(asked.map { thumbnail($0, call) })
        ])
    }

    private static func thumbnail(_ asked: ThumbnailArguments, _ call: Call) -> JSONValue {
        let base = call.base
        let metadata: FileMetadata
        do {
            metadata = try call.space.tree { tree throws(PathFailure) in
                try PathFailure.wrap { () throws(LookupError) in
                    tree.fileMetadata(
                        of: try tree.fileRevision(asked.path, from: base), from: base)
                }
            }
        } catch {
            return .tag("failure", error.json)
        }
        if let refusal = refusal(of: metadata) { return .tag("failure", .tag(refusal)) }
        let picture = ThumbnailPicture(
            width: asked.width, height: asked.height, colour: metadata.content.hash.bytes)
        return .tagged(
            "success",
            [
                "metadata": call.presented(metadata.json),
                "thumbnail": .string(Data(picture.png).base64EncodedString()),
            ])
    }

    /// The error for a file of which no thumbnail is made.
    private static func refusal(of file: FileMetadata) -> String? {
        let name = file.path.name.lowercased()
        guard let dot = name.lastIndex(of: "."), file.marks?.exportAs == nil,
            pictureExtensions.contains(String(name[name.index(after: dot)...]))
        else { return "unsupported_extension" }
        return file.content.size > largestPicture ? "unsupported_image" : nil
    }

    /// Photos that are larger than 20MB are not converted.
    private static let largestPicture: Int64 = 20 << 20
    private static let pictureExtensions: Set<String> = [
        "jpg", "jpeg", "png", "tiff", "tif", "gif", "webp", "ppm", "bmp",
    ]
}

/// One entry of the argument (`files.ThumbnailArg`).
private struct ThumbnailArguments {
    let path: String
    let width: Int
    let height: Int

    private static let sizes = [
        "w32h32": (32, 32), "w64h64": (64, 64), "w128h128": (128, 128), "w256h256": (256, 256),
        "w480h320": (480, 320), "w640h480": (640, 480), "w960h640": (960, 640),
        "w1024h768": (1024, 768), "w2048h1536": (2048, 1536),
    ]

    init(_ reader: inout ArgumentReader) throws(ArgumentError) {
        path = try reader.path("path", .readPath)
        _ = try Self.tag("format", of: ["jpeg", "png", "webp"], in: &reader)
        let size =
            try Self.tag("size", of: Self.sizes.keys.sorted(), in: &reader) ?? "w64h64"
        _ = try Self.tag(
            "mode", of: ["strict", "bestfit", "fitone_bestfit", "original"], in: &reader)
        if try reader.isPresent("exclude_media_info") {
            _ = try reader.boolean("exclude_media_info", default: false)
        }
        // Pictures of 4 by 3 are as common as any.
        let (width, height) = Self.sizes[size] ?? (64, 64)
        self.width = width
        self.height = min(height, width * 3 / 4)
    }

    private static func tag(
        _ name: String, of tags: [String], in reader: inout ArgumentReader
    ) throws(ArgumentError) -> String? {
        guard let value = try reader.nullable(name) else { return nil }
        return try ArgumentReader.tag(of: value, among: tags, at: reader.at(name))
    }
}
