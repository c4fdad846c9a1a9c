// Archives that never end or claim what they have not: each ends with an error, soon, and nothing
// grows with it. What archives of other programs are read as is in `ZipReaderTests`.

import Testing

@testable import DropboxAPI

@Suite struct HostileArchiveTests {
    /// A beginning, and what follows it again and again.
    struct Archive: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: [UInt8]
        let then: [UInt8]

        init(_ name: String, _ first: [UInt8], then: [UInt8]) {
            testDescription = name
            self.first = first
            self.then = then
        }
    }

    /// The head of a file in an archive.
    private static func head(
        _ name: String = "d/a", flags: UInt16 = 0, method: UInt16 = 0, compressed: UInt32 = 0,
        size: UInt32 = 0,
        nameSize: UInt16? = nil, extra: [UInt8] = []
    ) -> [UInt8] {
        func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
        let parts: [[UInt8]] = [
            [0x50, 0x4B, 3, 4], bytes(UInt16(45)), bytes(flags), bytes(method), bytes(UInt32(0)),
            bytes(UInt32(0)),
            bytes(compressed), bytes(size), bytes(nameSize ?? UInt16(name.utf8.count)),
            bytes(UInt16(extra.count)),
            Array(name.utf8), extra,
        ]
        return parts.flatMap { $0 }
    }

    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)
    private static let long: [UInt8] = [1, 0, 16, 0] + [UInt8](repeating: 0xff, count: 16)

    static let archives: [Archive] = [
        Archive("a stored file without end", head(compressed: .max, size: .max), then: zeros),
        Archive(
            "a stored file of 2^64-1 bytes", head(compressed: .max, size: .max, extra: long),
            then: zeros),
        Archive("a stored stream without end", head(flags: 8), then: zeros),
        Archive(
            "a deflated file that is none", head(method: 8, compressed: .max, size: .max),
            then: [UInt8](repeating: 0xff, count: 1 << 16)),
        Archive(
            "a method that there is not", head(method: 99, compressed: .max, size: .max),
            then: zeros),
        Archive("files without end", [], then: head()),
        Archive("files that lead out", [], then: head("../../../../etc/passwd")),
        Archive("files with names of 64 KB", [], then: head(String(repeating: "n", count: 65535))),
        Archive(
            "files with extra fields of 64 KB", [],
            then: head(extra: [UInt8](repeating: 0xff, count: 65535))),
        Archive("a name that never ends", head(nameSize: .max), then: zeros),
        Archive("no archive", Array("<html>".utf8), then: zeros),
        Archive("nothing but signatures", [], then: [0x50, 0x4B, 3, 4]),
    ]

    @Test("an archive without end, or that is none, ends with an error", arguments: archives)
    func hostile(archive: Archive) throws {
        var reader = ZipReader(limit: 1000, total: 4 << 20, entries: 1000)
        #expect(throws: ZipError.self) {
            var next = archive.first
            for _ in 0..<100_000 {
                for file in try reader.take(next) { #expect(file.content.count <= 1000) }
                next = archive.then
            }
        }
        #expect(!reader.isComplete)
    }
}
