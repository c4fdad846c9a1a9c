// A small sample Dropbox, with which `--sample` fills an empty account.

import NIOCore

/// The sample's folders and files.
enum Sample {
    private static let texts: [(path: String, text: String)] = [
        (
            "/Welcome.md",
            """
            # Welcome

            This Dropbox lives on your own machine. Nothing here reaches the network.
            Change, move and delete what you like.

            """
        ),
        (
            "/Documents/Letters/2024-03 Landlord.txt",
            "Dear Ms Okafor,\n\nthe heating works again.\n"
        ),
        ("/Documents/Letters/2024-05 Library.txt", "Please find enclosed the overdue book.\n"),
        (
            "/Documents/Budget.csv",
            "month,rent,food,books\nJanuary,900,310,45\nFebruary,900,295,80\nMarch,900,330,20\n"
        ),
        ("/Documents/Reading list 📚.txt", "The Pragmatic Programmer\nMiddlemarch\nSolaris\n"),
        ("/Projects/hello/README.md", "# hello\n\nPrints a greeting.\n"),
        (
            "/Projects/hello/Sources/hello/main.swift",
            "print(\"Hello from a file that lives in Dropbox.\")\n"
        ),
        (
            "/Projects/hello/Package.swift",
            """
            // swift-tools-version: 6.0
            import PackageDescription

            let package = Package(
                name: "hello",
                targets: [.executableTarget(name: "hello")]
            )

            """
        ),
        ("/Recipes/Zwiebelkuchen (für Gäste).txt", "1 kg onions, 250 g flour, patience.\n"),
        ("/Photos/Captions.txt", "Lake at dawn: a test pattern, really.\n"),
    ]

    /// Fills a space, unless it has entries already.
    static func fill(_ space: Space) throws {
        guard space.tree({ $0.nodes.livingCount }) == 0 else { return }
        for (path, text) in texts {
            try add(Array(text.utf8), at: path, to: space)
        }
        try add(picture(width: 320, height: 240), at: "/Photos/Lake at dawn.bmp", to: space)
        try space.apply(
            .createFolder(path: "/Photos/Holidays 🏖️", autorename: false, base: .root))
        for number in 1...3 {
            let content = GeneratedContent.content(seed: UInt64(number), size: 3 << 20)
            let commit = Commit(path: "/Photos/Holidays 🏖️/IMG_000\(number).raw")
            try space.apply(.commit(commit, content))
        }
    }

    private static func add(_ bytes: [UInt8], at path: String, to space: Space) throws {
        let file = try space.content.makeIncoming()
        defer { space.content.discard(file.path) }
        var hasher = BlockHasher()
        try bytes.withUnsafeBytes { buffer in
            try file.write(buffer, at: 0)
            hasher.update(buffer)
        }
        let content = Content(
            hash: hasher.contentHash, size: Int64(bytes.count), source: .stored)
        _ = try space.commitFile(file.path, content: content, commit: Commit(path: path))
    }

    /// A real bitmap of a lake, so that an image viewer can show it.
    private static func picture(width: Int, height: Int) -> [UInt8] {
        var buffer = ByteBuffer()
        let size = UInt32(width * height * 3)
        buffer.writeString("BM")
        for word in [54 + size, 0, 54, 40, UInt32(width), UInt32(height)] {
            buffer.writeInteger(word, endianness: .little)
        }
        for half: UInt16 in [1, 24] { buffer.writeInteger(half, endianness: .little) }
        for word: UInt32 in [0, size, 2835, 2835, 0, 0] {
            buffer.writeInteger(word, endianness: .little)
        }
        for row in 0..<height {
            let isSky = row > height / 3
            for column in 0..<width {
                let light = UInt8(row * 200 / height)
                let wave = UInt8(truncatingIfNeeded: (row * 7 + column * 3) % 32)
                let pixel = isSky ? [200, light, 255 - light / 2] : [120 + wave, 60 + wave, 30]
                buffer.writeBytes(pixel.map { UInt8($0) })
            }
        }
        return Array(buffer.readableBytesView)
    }
}
