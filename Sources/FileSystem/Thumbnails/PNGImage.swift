// The chunks of a PNG: a picture of the server's is checked, and gets the texts by which desktops
// recognise it. Pure. Not responsible for the pixels, which the programs that show them decode.
// https://www.w3.org/TR/png-3/

import CZlib
import Saturating

/// A PNG that is well-formed and small.
struct PNGImage: Hashable, Sendable {
    /// A part of a PNG.
    struct Chunk: Hashable, Sendable {
        var type: String
        var data: ArraySlice<UInt8>
    }

    /// Bytes of the largest picture that is looked at.
    static let largest = 1 << 20

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    /// Bytes around the data of a chunk: length and type before it, checksum behind it.
    private static let frame = (before: 8, behind: 4)
    /// The optional chunks that are kept. Others, such as texts and profiles, are not needed, and
    /// their formats are richer.
    private static let kept: Set<String> = ["tRNS", "gAMA", "cHRM", "sRGB"]

    private let chunks: [Chunk]

    /// Checks bytes that may be anything: the checksums, the order of the chunks, and that the
    /// picture fits into a square.
    init?(_ bytes: [UInt8], side: UInt32) {
        guard bytes.count <= Self.largest, let all = Self.chunks(of: bytes, isWhole: true),
            let head = all.first, Self.isHead(head, side: side),
            let end = all.last, end.type == "IEND", end.data.isEmpty
        else { return nil }
        var chunks: [Chunk] = []
        for chunk in all.dropFirst().dropLast() {
            switch chunk.type {
            case "IDAT", "PLTE": chunks.append(chunk)
            case "IHDR", "IEND": return nil
            case let type where Self.isOptional(type):
                if Self.kept.contains(type) { chunks.append(chunk) }
            // Without it, the picture cannot be read.
            default: return nil
            }
        }
        guard Self.hasContent(chunks) else { return nil }
        self.chunks = [head] + chunks + [end]
    }

    /// The bytes of the picture with texts behind its head, where all readers look for them. The
    /// texts are ASCII.
    func bytes(with texts: [(keyword: String, text: String)]) -> [UInt8] {
        var result = Self.signature
        for (index, chunk) in chunks.enumerated() {
            Self.append(chunk, to: &result)
            guard index == 0 else { continue }
            for (keyword, text) in texts {
                let data = Array(keyword.utf8) + [0] + Array(text.utf8)
                Self.append(Chunk(type: "tEXt", data: data[...]), to: &result)
            }
        }
        return result
    }

    /// The texts in the beginning of a PNG, by keyword; none of other bytes.
    static func texts(inBeginning bytes: [UInt8]) -> [String: String] {
        var texts: [String: String] = [:]
        for chunk in chunks(of: bytes, isWhole: false) ?? [] where chunk.type == "tEXt" {
            let parts = chunk.data.split(
                separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let (keyword, text) = (parts[0], parts[1])
            texts[String(decoding: keyword, as: UTF8.self)] = String(decoding: text, as: UTF8.self)
        }
        return texts
    }

    // MARK: Chunks

    /// The chunks; nil if these are none. With `isWhole`, nothing may be missing, and nothing be
    /// behind the last one.
    private static func chunks(of bytes: [UInt8], isWhole: Bool) -> [Chunk]? {
        guard bytes.starts(with: signature) else { return nil }
        var rest = bytes[signature.count...]
        var chunks: [Chunk] = []
        while !rest.isEmpty {
            guard let chunk = takeChunk(from: &rest) else { return isWhole ? nil : chunks }
            chunks.append(chunk)
        }
        return chunks
    }

    /// Takes a chunk off the front; nil if it is not there as a whole, or damaged.
    private static func takeChunk(from rest: inout ArraySlice<UInt8>) -> Chunk? {
        guard let length = number(rest.prefix(4)), length <= UInt32(clamping: largest) else {
            return nil
        }
        let type = rest.dropFirst(4).prefix(4)
        let data = rest.dropFirst(frame.before).prefix(Int(clamping: length))
        let body = rest.dropFirst(4).prefix(data.count +| 4)
        let check = rest.dropFirst(frame.before +| data.count).prefix(frame.behind)
        guard data.count == Int(clamping: length), type.allSatisfy(isLetter),
            number(check) == checksum(of: body)
        else { return nil }
        rest = rest.dropFirst(frame.before +| data.count +| frame.behind)
        return Chunk(type: String(decoding: type, as: UTF8.self), data: data)
    }

    private static func append(_ chunk: Chunk, to bytes: inout [UInt8]) {
        var body = Array(chunk.type.utf8)
        body.append(contentsOf: chunk.data)
        bytes.append(contentsOf: word(UInt32(clamping: chunk.data.count)))
        bytes.append(contentsOf: body)
        bytes.append(contentsOf: word(checksum(of: body[...])))
    }

    /// Width and height within the square, and a format that PNG has.
    private static func isHead(_ chunk: Chunk, side: UInt32) -> Bool {
        guard chunk.type == "IHDR", chunk.data.count == 13,
            let width = number(chunk.data.prefix(4)),
            let height = number(chunk.data.dropFirst(4).prefix(4))
        else { return false }
        let format = Array(chunk.data.dropFirst(8))
        let depths: [UInt8: Set<UInt8>] = [
            0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
        ]
        return (1...side).contains(width) && (1...side).contains(height)
            && depths[format[1]]?.contains(format[0]) == true
            && format[2] == 0 && format[3] == 0 && format[4] <= 1
    }

    /// Whether pixels are there, all in one row of chunks.
    private static func hasContent(_ chunks: [Chunk]) -> Bool {
        guard let first = chunks.firstIndex(where: { $0.type == "IDAT" }),
            let last = chunks.lastIndex(where: { $0.type == "IDAT" })
        else { return false }
        return chunks[first...last].allSatisfy { $0.type == "IDAT" }
    }

    // MARK: Bytes

    /// An optional chunk's type begins with a small letter.
    private static func isOptional(_ type: String) -> Bool {
        type.utf8.first.map { $0 & 0x20 != 0 } ?? false
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        bytes.count == 4 ? bytes.reduce(0) { $0 << 8 | UInt32(clamping: $1) } : nil
    }

    private static func word(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBufferPointer {
            UInt32(truncatingIfNeeded: crc32_z(0, $0.baseAddress, $0.count))
        }
    }
}
