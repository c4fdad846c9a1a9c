// Thumbnails of pictures.

import Foundation
import Testing

@testable import DropboxEmulator

@Suite("Thumbnails")
struct ThumbnailTests {
    private func thumbnails(
        _ client: EmulatorClient, _ paths: [String], _ more: [(String, JSONValue)] = []
    ) async throws -> [JSONValue] {
        let entries = paths.map { path in
            more.reduce(["path": .string(path)] as JSONValue) { $0.adding($1.0, $1.1) }
        }
        let result = try await client.call(
            "files/get_thumbnail_batch", ["entries": .array(entries)])
        return try #require(result["entries"]?.array)
    }

    @Test("a picture has a PNG that fits into the size, of a colour of its content")
    func pictures() async throws {
        try await withEmulator { client in
            let stored = try await client.upload("one", to: "/One.JPG")
            _ = try await client.upload("two", to: "/two.webp")
            _ = try await client.upload("one", to: "/copy.png")
            let revision = try #require(stored["rev"]?.string)
            let entries = try await thumbnails(
                client, ["/one.jpg", "/two.webp", "/copy.png", "rev:" + revision],
                [
                    ("format", "png"), ("size", [".tag": "w256h256"]), ("mode", "bestfit"),
                    ("exclude_media_info", true),
                ])
            #expect(
                entries.map { $0[".tag"]?.string } == ["success", "success", "success", "success"])
            #expect(entries[0]["metadata"]?["rev"]?.string == revision)
            let pictures = try entries.map { entry in
                let text = try #require(entry["thumbnail"]?.string)
                return Array(try #require(Data(base64Encoded: text)))
            }
            #expect(pictures[0] == pictures[2] && pictures[0] == pictures[3])
            #expect(pictures[0] != pictures[1])
            #expect(
                Array(pictures[0].prefix(24)) == [
                    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13,
                    0x49, 0x48, 0x44, 0x52, 0, 0, 1, 0, 0, 0, 0, 192,
                ])
        }
    }

    @Test("pixels of large pictures are in several blocks, and their checksum is right")
    func blocks() {
        let png = ThumbnailPicture(width: 2048, height: 1536, colour: [1, 2, 3]).png
        // 1,536 rows of a filter and 256 bytes, in blocks of 65,535 with 5 bytes before each.
        let pixels = 1536 * 257
        let blocks = (pixels + 65534) / 65535
        // The signature, and the frames of four chunks with their data.
        #expect(png.count == 8 + 4 * 12 + 13 + 3 + 2 + pixels + 5 * blocks + 4)
        let adler = UInt32(pixels % 65521) << 16 | 1
        let end = Array(png.suffix(12 + 4 + 4).prefix(4))
        #expect(end == (0..<4).map { UInt8(truncatingIfNeeded: adler >> (24 - 8 * $0)) })
    }

    @Test("other files, absent ones and documents have an error of their own each")
    func failures() async throws {
        try await withEmulator { client in
            _ = try await client.upload("text", to: "/a.txt")
            _ = try await client.upload("text", to: "/document.png")
            try client.emulator.makeDocument("/document.png", formats: ["html"])
            let entries = try await thumbnails(client, ["/a.txt", "/none.png", "/document.png"])
            #expect(entries.allSatisfy { $0[".tag"]?.string == "failure" })
            let tags = entries.map { $0["failure"]?[".tag"]?.string }
            #expect(tags == ["unsupported_extension", "path", "unsupported_extension"])
            #expect(entries[1]["failure"]?["path"]?[".tag"]?.string == "not_found")
        }
    }

    @Test("more than 25 entries are refused together, and so are unknown sizes")
    func refused() async throws {
        try await withEmulator { client in
            _ = try await client.upload("one", to: "/1.png")
            #expect(
                try await thumbnails(client, Array(repeating: "/1.png", count: 25)).count == 25)
            let entries = JSONValue.array(Array(repeating: ["path": "/1.png"], count: 26))
            let refused = try await client.send(
                "files/get_thumbnail_batch", argument: ["entries": entries])
            #expect(refused.status == 409)
            #expect(
                try JSONParser.parse(refused.body)["error_summary"]?.string
                    == "too_many_files/..")
            let bad = try await client.send(
                "files/get_thumbnail_batch",
                argument: ["entries": [["path": "/1.png", "size": "w1h1"]]])
            #expect(bad.status == 400)
        }
    }
}
