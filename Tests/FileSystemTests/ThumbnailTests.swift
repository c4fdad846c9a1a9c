// Thumbnails for file managers, as values: names, pictures, and which files get one.

import Core
import MetadataStore
import RemoteStore
import Testing

@testable import FileSystem

@Suite struct ThumbnailNameTests {
    @Test("the name is that of the specification's example")
    func example() {
        let name = ThumbnailName(path: Array("/home/jens/photos/me.png".utf8))
        #expect(name?.address == "file:///home/jens/photos/me.png")
        #expect(name?.file == "c6ee772d9e49320e97ec29a7eb5b1697.png")
    }

    @Test("addresses are those of g_filename_to_uri, of each byte that a path can have")
    func encoding() {
        let path = [UInt8(ascii: "/")] + (1...255).map { UInt8($0) }
        let plain =
            "!$&'()*+,-./0123456789:=@ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~"
        let expected = (1...255).map { (byte: UInt8) -> String in
            let character = String(decoding: [byte], as: UTF8.self)
            if byte < 0x80, plain.contains(character) { return character }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        #expect(ThumbnailName.address(of: path) == "file:///" + expected.joined())
    }
}

@Suite struct PNGImageTests {
    private typealias PNG = ThumbnailPictures

    @Test(
        "a well-formed picture is taken, and any change of a byte and any other length is refused")
    func damage() {
        let bytes = PNG.picture()
        #expect(PNGImage(bytes, side: 3)?.bytes(with: []) == bytes)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(PNGImage(damaged, side: 128) == nil, "byte \(index)")
            #expect(PNGImage(Array(bytes[..<index]), side: 128) == nil, "\(index) bytes")
        }
        #expect(PNGImage(bytes + [0], side: 128) == nil)
        #expect(PNGImage(bytes + PNG.end, side: 128) == nil)
    }

    @Test("a picture fits into the square")
    func sizes() {
        for (width, height, isTaken) in [
            (128, 128, true), (1, 1, true), (129, 1, false), (1, 129, false), (0, 1, false),
            (1, 0, false), (.max, 1, false),
        ] as [(UInt32, UInt32, Bool)] {
            let image = PNGImage(PNG.picture(width, height), side: 128)
            #expect((image != nil) == isTaken, "\(width) \(height)")
        }
        let large = PNG.chunk("IDAT", [UInt8](repeating: 0, count: 1 << 20))
        #expect(PNGImage(PNG.signature + PNG.head(1, 1) + large + PNG.end, side: 128) == nil)
    }

    @Test(
        "formats that PNG does not have, and pictures without pixels or with them twice, are refused"
    )
    func structure() {
        for format in [
            [3, 2, 0, 0, 0], [8, 1, 0, 0, 0], [8, 2, 1, 0, 0], [8, 2, 0, 1, 0], [8, 2, 0, 0, 2],
        ] as [[UInt8]] {
            let bytes = PNG.signature + PNG.head(1, 1, format: format) + PNG.pixels + PNG.end
            #expect(PNGImage(bytes, side: 128) == nil, "\(format)")
        }
        let (head, pixels, end) = (PNG.head(1, 1), PNG.pixels, PNG.end)
        let gamma = PNG.chunk("gAMA", [0, 0, 0, 1])
        for (name, chunks) in [
            ("no head", pixels + end), ("no pixels", head + end), ("no end", head + pixels),
            ("two heads", head + head + pixels + end), ("late head", pixels + head + end),
            ("two ends", head + pixels + end + end),
            ("unknown", head + PNG.chunk("XXXX", []) + pixels + end),
            ("a gap", head + pixels + gamma + pixels + end),
            ("an end with data", head + pixels + PNG.chunk("IEND", [1])),
            ("a huge length", head + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8)),
        ] {
            #expect(PNGImage(PNG.signature + chunks, side: 128) == nil, "\(name)")
        }
        #expect(PNGImage([], side: 128) == nil)
        #expect(PNGImage(Array("<html>".utf8), side: 128) == nil)
    }

    @Test("texts are put behind the head and read back; those of the server and its profiles go")
    func texts() throws {
        let more =
            PNG.chunk("tEXt", Array("Thumb::URI\u{0}file:///other".utf8))
            + PNG.chunk("iCCP", [1, 2, 3]) + PNG.chunk("gAMA", [0, 0, 0, 1])
        let image = try #require(PNGImage(PNG.picture(more: more), side: 128))
        let address = "file:///" + String(repeating: "%C3", count: 1000)
        let bytes = image.bytes(with: [("Thumb::URI", address), ("Thumb::MTime", "17")])
        let expected = ["Thumb::URI": address, "Thumb::MTime": "17"]
        #expect(PNGImage.texts(inBeginning: bytes) == expected)
        #expect(PNGImage.texts(inBeginning: Array(bytes.prefix(bytes.count - 20))) == expected)
        #expect(
            bytes.count == PNG.picture(more: PNG.chunk("gAMA", [0, 0, 0, 1])).count
                + 12 + 11 + address.utf8.count + 12 + 13 + 2)
        #expect(PNGImage(bytes, side: 128)?.bytes(with: []) == image.bytes(with: []))
        #expect(PNGImage.texts(inBeginning: []).isEmpty)
    }
}

@Suite struct ThumbnailWishTests {
    private func wish(
        _ text: String, size: Int64 = 1000, flags: NodeFlags = [], on fixture: Fixture
    ) throws -> ThumbnailWish? {
        var facts = fixture.content.add([1], isCached: false, flags: flags)
        facts.size = size
        let known = facts
        let inode = try fixture.store.write {
            try $0.insertRemote(.file, at: Place(parent: .root, name: name(text)), facts: known)
        }
        return try fixture.node(inode).flatMap(ThumbnailWish.init)
    }

    @Test("pictures of a name and size of which Dropbox makes thumbnails get one")
    func names() throws {
        let fixture = try Fixture()
        for text in [
            "a.jpg", "b.JPEG", "c.Png", "d.tiff", "e.tif", "f.gif", "g.webp", "h.ppm", "i.x.bmp",
        ] {
            let wish = try #require(try wish(text, on: fixture), "\(text)")
            #expect(wish.name == Array(text.utf8))
            #expect(wish.modified == 1_600_000_000)
        }
        for text in ["a", "jpg", ".jpg", "b.jpg.txt", "c.heic", "d.mp4", "e.pdf", "f.jpg~", "g."] {
            #expect(try wish(text, on: fixture) == nil, "\(text)")
        }
        #expect(try wish("1.jpg", size: 0, on: fixture) == nil)
        #expect(try wish("2.jpg", size: 20 << 20, on: fixture) != nil)
        #expect(try wish("3.jpg", size: 20 << 20 + 1, on: fixture) == nil)
        #expect(try wish("4.jpg", flags: .notDownloadable, on: fixture) == nil)
    }

    @Test("a file whose content was changed here gets none before Dropbox has it")
    func changed() throws {
        let fixture = try Fixture()
        let inode = try fixture.makeFile("a.jpg", [1])
        #expect(try fixture.node(inode).flatMap(ThumbnailWish.init) == nil)
        try fixture.commitAll()
        #expect(try fixture.node(inode).flatMap(ThumbnailWish.init) != nil)
    }

    @Test("file managers look for one size each, and other programs for none")
    func programs() {
        for name in ["nautilus", "nemo", "caja"] {
            #expect(FileManagers.thumbnailSize(for: name) == .large)
        }
        for name in ["thunar", "Thunar", "dolphin", "pcmanfm", "pcmanfm-qt"] {
            #expect(FileManagers.thumbnailSize(for: name) == .normal)
        }
        for name in ["ls", "find", "tumblerd", ""] {
            #expect(FileManagers.thumbnailSize(for: name) == nil)
        }
    }
}
