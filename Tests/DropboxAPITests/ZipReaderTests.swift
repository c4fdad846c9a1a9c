// Archives as other programs write them, taken apart as they come.

import Foundation
import Testing

@testable import DropboxAPI

@Suite struct ZipReaderTests {
    /// The folder `d` with three files, made by Python's zipfile: with and without compression,
    /// with the sizes before and behind the data, of 32 and of 64 bits.
    enum Archive: String, CaseIterable {
        case stored =
            """
            UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwMEFAAAAAAAAAAhAICI+eURAAAAEQAAAAMAAABk\
            L2FoZWxsbyBoZWxsbyBoZWxsb1BLAwQUAAAAAAAAACEAAAAAAAAAAAAAAAAABwAAAGQvZW1wdHlQSwMEFAAA\
            CAAAAAAhAEuX11IKAAAACgAAAAQAAABkL8OkUEsHCFBLAwRQS1BLAQIUAxQAAAAAAAAAIQAAAAAAAAAAAAAA\
            AAACAAAAAAAAAAAAAACAAQAAAABkL1BLAQIUAxQAAAAAAAAAIQCAiPnlEQAAABEAAAADAAAAAAAAAAAAAACA\
            ASAAAABkL2FQSwECFAMUAAAAAAAAACEAAAAAAAAAAAAAAAAABwAAAAAAAAAAAAAAgAFSAAAAZC9lbXB0eVBL\
            AQIUAxQAAAgAAAAAIQBLl9dSCgAAAAoAAAAEAAAAAAAAAAAAAACAAXcAAABkL8OkUEsFBgAAAAAEAAQAyAAA\
            AKMAAAAAAA==
            """
        case deflated =
            """
            UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwMEFAAAAAgAAAAhAICI+eUKAAAAEQAAAAMAAABk\
            L2HLSM3JyVfIQJAAUEsDBBQAAAAIAAAAIQAAAAAAAgAAAAAAAAAHAAAAZC9lbXB0eQMAUEsDBBQAAAgIAAAA\
            IQBLl9dSDAAAAAoAAAAEAAAAZC/DpAvwZucI8GZmCfAGAFBLAQIUAxQAAAAAAAAAIQAAAAAAAAAAAAAAAAAC\
            AAAAAAAAAAAAAACAAQAAAABkL1BLAQIUAxQAAAAIAAAAIQCAiPnlCgAAABEAAAADAAAAAAAAAAAAAACAASAA\
            AABkL2FQSwECFAMUAAAACAAAACEAAAAAAAIAAAAAAAAABwAAAAAAAAAAAAAAgAFLAAAAZC9lbXB0eVBLAQIU\
            AxQAAAgIAAAAIQBLl9dSDAAAAAoAAAAEAAAAAAAAAAAAAACAAXIAAABkL8OkUEsFBgAAAAAEAAQAyAAAAKAA\
            AAAAAA==
            """
        case storedStream =
            """
            UEsDBBQACAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwcIAAAAAAAAAAAAAAAAUEsDBBQACAAAAAAAIQAA\
            AAAAAAAAAAAAAAADAAAAZC9haGVsbG8gaGVsbG8gaGVsbG9QSwcIgIj55REAAAARAAAAUEsDBBQACAAAAAAA\
            IQAAAAAAAAAAAAAAAAAHAAAAZC9lbXB0eVBLBwgAAAAAAAAAAAAAAABQSwMEFAAICAAAAAAhAAAAAAAAAAAA\
            AAAAAAQAAABkL8OkUEsHCFBLAwRQS1BLBwhLl9dSCgAAAAoAAABQSwECFAMUAAgAAAAAACEAAAAAAAAAAAAA\
            AAAAAgAAAAAAAAAAAAAAgAEAAAAAZC9QSwECFAMUAAgAAAAAACEAgIj55REAAAARAAAAAwAAAAAAAAAAAAAA\
            gAEwAAAAZC9hUEsBAhQDFAAIAAAAAAAhAAAAAAAAAAAAAAAAAAcAAAAAAAAAAAAAAIABcgAAAGQvZW1wdHlQ\
            SwECFAMUAAgIAAAAACEAS5fXUgoAAAAKAAAABAAAAAAAAAAAAAAAgAGnAAAAZC/DpFBLBQYAAAAABAAEAMgA\
            AADjAAAAAAA=
            """
        case deflatedStream =
            """
            UEsDBBQACAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwcIAAAAAAAAAAAAAAAAUEsDBBQACAAIAAAAIQAA\
            AAAAAAAAAAAAAAADAAAAZC9hy0jNyclXyECQAFBLBwiAiPnlCgAAABEAAABQSwMEFAAIAAgAAAAhAAAAAAAA\
            AAAAAAAAAAcAAABkL2VtcHR5AwBQSwcIAAAAAAIAAAAAAAAAUEsDBBQACAgIAAAAIQAAAAAAAAAAAAAAAAAE\
            AAAAZC/DpAvwZucI8GZmCfAGAFBLBwhLl9dSDAAAAAoAAABQSwECFAMUAAgAAAAAACEAAAAAAAAAAAAAAAAA\
            AgAAAAAAAAAAAAAAgAEAAAAAZC9QSwECFAMUAAgACAAAACEAgIj55QoAAAARAAAAAwAAAAAAAAAAAAAAgAEw\
            AAAAZC9hUEsBAhQDFAAIAAgAAAAhAAAAAAACAAAAAAAAAAcAAAAAAAAAAAAAAIABawAAAGQvZW1wdHlQSwEC\
            FAMUAAgICAAAACEAS5fXUgwAAAAKAAAABAAAAAAAAAAAAAAAgAGiAAAAZC/DpFBLBQYAAAAABAAEAMgAAADg\
            AAAAAAA=
            """
        case long =
            """
            UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwMELQAAAAgAAAAhAICI+eX//////////wMAFABk\
            L2EBABAAEQAAAAAAAAAKAAAAAAAAAMtIzcnJV8hAkABQSwMELQAAAAgAAAAhAAAAAAD//////////wcAFABk\
            L2VtcHR5AQAQAAAAAAAAAAAAAgAAAAAAAAADAFBLAwQtAAAICAAAACEAS5fXUv//////////BAAUAGQvw6QB\
            ABAACgAAAAAAAAAMAAAAAAAAAAvwZucI8GZmCfAGAFBLAQIUAxQAAAAAAAAAIQAAAAAAAAAAAAAAAAACAAAA\
            AAAAAAAAAACAAQAAAABkL1BLAQItAy0AAAAIAAAAIQCAiPnlCgAAABEAAAADAAAAAAAAAAAAAACAASAAAABk\
            L2FQSwECLQMtAAAACAAAACEAAAAAAAIAAAAAAAAABwAAAAAAAAAAAAAAgAFfAAAAZC9lbXB0eVBLAQItAy0A\
            AAgIAAAAIQBLl9dSDAAAAAoAAAAEAAAAAAAAAAAAAACAAZoAAABkL8OkUEsFBgAAAAAEAAQAyAAAANwAAAAA\
            AA==
            """
        case longStoredStream =
            """
            UEsDBBQACAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwcIAAAAAAAAAAAAAAAAUEsDBC0ACAAAAAAAIQAA\
            AAAA//////////8DABQAZC9hAQAQAAAAAAAAAAAAAAAAAAAAAABoZWxsbyBoZWxsbyBoZWxsb1BLBwiAiPnl\
            EQAAAAAAAAARAAAAAAAAAFBLAwQtAAgAAAAAACEAAAAAAP//////////BwAUAGQvZW1wdHkBABAAAAAAAAAA\
            AAAAAAAAAAAAAFBLBwgAAAAAAAAAAAAAAAAAAAAAAAAAAFBLAwQtAAgIAAAAACEAAAAAAP//////////BAAU\
            AGQvw6QBABAAAAAAAAAAAAAAAAAAAAAAAFBLBwhQSwMEUEtQSwcIS5fXUgoAAAAAAAAACgAAAAAAAABQSwEC\
            FAMUAAgAAAAAACEAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAgAEAAAAAZC9QSwECLQMtAAgAAAAAACEAgIj5\
            5REAAAARAAAAAwAAAAAAAAAAAAAAgAEwAAAAZC9hUEsBAi0DLQAIAAAAAAAhAAAAAAAAAAAAAAAAAAcAAAAA\
            AAAAAAAAAIABjgAAAGQvZW1wdHlQSwECLQMtAAgIAAAAACEAS5fXUgoAAAAKAAAABAAAAAAAAAAAAAAAgAHf\
            AAAAZC/DpFBLBQYAAAAABAAEAMgAAAA3AQAAAAA=
            """
        case longDeflatedStream =
            """
            UEsDBBQACAAAAAAAIQAAAAAAAAAAAAAAAAACAAAAZC9QSwcIAAAAAAAAAAAAAAAAUEsDBC0ACAAIAAAAIQAA\
            AAAA//////////8DABQAZC9hAQAQAAAAAAAAAAAAAAAAAAAAAADLSM3JyVfIQJAAUEsHCICI+eUKAAAAAAAA\
            ABEAAAAAAAAAUEsDBC0ACAAIAAAAIQAAAAAA//////////8HABQAZC9lbXB0eQEAEAAAAAAAAAAAAAAAAAAA\
            AAAAAwBQSwcIAAAAAAIAAAAAAAAAAAAAAAAAAABQSwMELQAICAgAAAAhAAAAAAD//////////wQAFABkL8Ok\
            AQAQAAAAAAAAAAAAAAAAAAAAAAAL8GbnCPBmZgnwBgBQSwcIS5fXUgwAAAAAAAAACgAAAAAAAABQSwECFAMU\
            AAgAAAAAACEAAAAAAAAAAAAAAAAAAgAAAAAAAAAAAAAAgAEAAAAAZC9QSwECLQMtAAgACAAAACEAgIj55QoA\
            AAARAAAAAwAAAAAAAAAAAAAAgAEwAAAAZC9hUEsBAi0DLQAIAAgAAAAhAAAAAAACAAAAAAAAAAcAAAAAAAAA\
            AAAAAIABhwAAAGQvZW1wdHlQSwECLQMtAAgICAAAACEAS5fXUgwAAAAKAAAABAAAAAAAAAAAAAAAgAHaAAAA\
            ZC/DpFBLBQYAAAAABAAEAMgAAAA0AQAAAAA=
            """

        var bytes: [UInt8] { Array(Data(base64Encoded: rawValue) ?? Data()) }
    }

    private let files = [
        "d/a": Array("hello hello hello".utf8), "d/empty": [],
        "d/ä": Array("PK\u{7}\u{8}PK\u{3}\u{4}PK".utf8),
    ]

    private func read(
        _ bytes: [UInt8], pieces size: Int, limit: Int = 100
    ) throws(ZipError) -> (files: [String: [UInt8]], isComplete: Bool) {
        var reader = ZipReader(limit: limit)
        var found: [String: [UInt8]] = [:]
        for start in stride(from: 0, to: bytes.count, by: size) {
            for file in try reader.take(Array(bytes[start..<min(start + size, bytes.count)])) {
                found[file.name] = file.content
            }
        }
        return (found, reader.isComplete)
    }

    @Test("all files are found, in pieces of any size", arguments: Archive.allCases)
    func whole(_ archive: Archive) throws {
        for size in 1...archive.bytes.count {
            let (found, isComplete) = try read(archive.bytes, pieces: size)
            #expect(found == files)
            #expect(isComplete)
        }
    }

    @Test(
        "large files are passed over, and those behind them are found", arguments: Archive.allCases)
    func large(_ archive: Archive) throws {
        let (found, isComplete) = try read(archive.bytes, pieces: 7, limit: 12)
        #expect(found == files.filter { $0.key != "d/a" })
        #expect(isComplete)
    }

    @Test("files that a few bytes complete are returned in batches of some 8 MiB")
    func batches() throws {
        let content = [UInt8](repeating: 0, count: 4 << 20)
        func bytes(_ number: UInt, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt($0))) }
        }
        let size = bytes(UInt(content.count), 4)
        let entry =
            bytes(0x0403_4B50, 4) + bytes(0, 10) + bytes(checksum(0, content[...]), 4) + size + size
            + bytes(1, 2) + bytes(0, 2) + [UInt8(ascii: "z")] + content
        var reader = ZipReader(limit: content.count)
        let archive = Array((0..<5).map { _ in entry }.joined()) + bytes(0x0201_4B50, 4)
        var counts = [try reader.take(archive).count]
        while reader.hasMore { counts.append(try reader.take([]).count) }
        #expect(counts == [2, 2, 1])
        #expect(reader.isComplete)
    }

    @Test("an archive that becomes more than it can be is not read on", arguments: Archive.allCases)
    func bounded(_ archive: Archive) throws {
        var reader = ZipReader(limit: 100, total: 1 << 20, entries: 10)
        #expect(try reader.take(archive.bytes).count == 3)
        reader = ZipReader(limit: 100, total: 40)
        #expect(throws: ZipError.self) { try reader.take(archive.bytes) }
        reader = ZipReader(limit: 100, entries: 2)
        #expect(throws: ZipError.self) { try reader.take(archive.bytes) }
    }

    @Test(
        "an archive that is cut off is not complete, and gives nothing wrong",
        arguments: Archive.allCases)
    func cut(_ archive: Archive) throws {
        let directory = try #require(archive.bytes.firstRange(of: [0x50, 0x4B, 1, 2]))
        for count in 0..<directory.lowerBound {
            let (found, isComplete) = try read(Array(archive.bytes.prefix(count)), pieces: 50)
            #expect(!isComplete)
            #expect(found.allSatisfy { files[$0.key] == $0.value })
        }
    }

    @Test("damaged bytes are noticed, or are no file's", arguments: Archive.allCases)
    func damaged(_ archive: Archive) {
        for index in archive.bytes.indices {
            for bit in 0..<8 {
                var bytes = archive.bytes
                bytes[index] ^= 1 << bit
                guard let (found, _) = try? read(bytes, pieces: 50) else { continue }
                // The checksum does not cover names, and the reader does not use them.
                #expect(found.values.allSatisfy { content in files.values.contains(content) })
            }
        }
    }

    @Test("bytes that are no archive are refused")
    func foreign() {
        #expect(throws: ZipError.self) {
            try read(Array("<html>no archive</html>".utf8), pieces: 5)
        }
    }
}
