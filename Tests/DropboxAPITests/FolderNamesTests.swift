// Listings of local folders, and the way from a file to its folder.

import Glibc
import LocalFiles
import TestSupport
import Testing

@Suite struct FolderNamesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func make(_ names: some Sequence<String>) throws {
        for name in names { _ = try folder.write("", to: name, mode: 0o600) }
    }

    @Test("every name is there once, and the dots are not")
    func allNames() throws {
        // More than one call of the system returns, up to the longest name.
        let long = String(repeating: "x", count: 251)
        let names = (1000..<2500).map { "\(long)\($0)" } + [".hidden", "...", "..a", " ", "ä"]
        try make(names)
        try #require(mkdir(folder.path + "/inner", 0o700) == 0)
        for isFollowing in [true, false] {
            let found = try namesOfFolder(folder.path, followingLink: isFollowing)
            #expect(found.sorted() == (names + ["inner"]).sorted())
        }
        #expect(folderNames(in: folder.path + "/inner").isEmpty)
    }

    @Test("bytes that are no UTF-8 are replaced")
    func otherBytes() throws {
        let path: [CChar] = folder.path.utf8CString.dropLast() + [0x2f, 0x61, -1, 0]
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        try #require(file >= 0)
        close(file)
        #expect(try namesOfFolder(folder.path) == ["a\u{fffd}"])
    }

    @Test("a link to a folder is followed unless that is refused")
    func links() throws {
        try make(["file"])
        let link = folder.path + ".link"
        try #require(symlink(folder.path, link) == 0)
        defer { unlink(link) }
        #expect(try namesOfFolder(link) == ["file"])
        #expect(throws: DiskError(errno: ENOTDIR)) { try namesOfFolder(link, followingLink: false) }
        #expect(folderNames(in: link, followingLink: false).isEmpty)
    }

    @Test(
        "what cannot be listed throws the system's reason, or has no names",
        arguments: [true, false])
    func unreadable(isFollowing: Bool) throws {
        try make(["file"])
        for (name, reason) in [
            ("file", DiskError(errno: ENOTDIR)), ("none", DiskError(errno: ENOENT)),
        ] {
            let path = folder.path + "/" + name
            #expect(throws: reason) { try namesOfFolder(path, followingLink: isFollowing) }
            #expect(folderNames(in: path, followingLink: isFollowing).isEmpty)
        }
    }

    @Test("no listing keeps a descriptor", arguments: [true, false])
    func descriptors(isFollowing: Bool) throws {
        try make(["file"])
        // Far more than other tests open in the meantime; with too many, a listing throws.
        let before = try namesOfFolder("/proc/self/fd").count
        for _ in 0..<2000 {
            _ = try namesOfFolder(folder.path, followingLink: isFollowing)
            _ = folderNames(in: folder.path + "/file", followingLink: isFollowing)
        }
        #expect(try namesOfFolder("/proc/self/fd").count < before + 1000)
    }

    @Test(
        "a file's folder is its path without the name",
        arguments: [
            ("/a/b", "/a"), ("/a//b//", "/a"), ("/a", "/"), ("/", "/"), ("//", "/"), ("a/b", "a"),
            ("a", ""), ("", ""), ("./a", "."), ("a/..", "a"),
        ])
    func folders(path: String, folder: String) {
        #expect(folderPath(of: path) == folder)
    }
}
