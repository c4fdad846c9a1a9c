import CFuse
import Core
import FileSystem
import Glibc
import SystemPackage
import Testing

@testable import Fuse

@Suite("conversions")
struct ConversionTests {
    private static let attributes = Attributes(
        inode: InodeID(42), kind: .regular, permissions: 0o6754, linkCount: 1, userID: 12,
        groupID: 34, size: 1025, accessTime: WallTime(nanoseconds: -1),
        modificationTime: WallTime(seconds: 5, nanoseconds: 7),
        changeTime: WallTime(seconds: 6, nanoseconds: 999_999_999))

    @Test("attributes become what stat shows, without setuid and setgid")
    func status() {
        let status = Self.attributes.status
        #expect(status.st_ino == 42)
        #expect(status.st_mode == S_IFREG | 0o754)
        #expect(status.st_nlink == 1)
        #expect(status.st_uid == 12 && status.st_gid == 34)
        #expect(status.st_size == 1025 && status.st_blocks == 3)
        #expect(status.st_atim.tv_sec == -1 && status.st_atim.tv_nsec == 999_999_999)
        #expect(status.st_mtim.tv_sec == 5 && status.st_mtim.tv_nsec == 7)
        #expect(status.st_ctim.tv_nsec == 999_999_999)
    }

    @Test(
        "every time that the kernel can hold is shown as it came",
        arguments: [
            Int.min, Int.min + 1, -9_223_372_037, -9_223_372_036, -1, 0, 9_223_372_037, .max,
        ],
        [0, 1, 999_999_999])
    func times(_ seconds: Int, _ nanoseconds: Int) {
        var asked = stat()
        asked.st_mtim = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        let changes = AttributeChanges(asked, mask: FUSE_SET_ATTR_MTIME)
        guard case .time(let time) = changes.modificationTime else {
            Issue.record("no time")
            return
        }
        var attributes = Self.attributes
        attributes.modificationTime = time
        let shown = attributes.status.st_mtim
        #expect(shown.tv_sec == seconds && shown.tv_nsec == nanoseconds)
    }

    @Test("flags of open are told apart")
    func openFlags() {
        #expect(OpenFlags(O_RDONLY) == OpenFlags(reads: true))
        #expect(
            OpenFlags(O_WRONLY | O_TRUNC | O_APPEND)
                == OpenFlags(writes: true, truncates: true, appends: true))
        #expect(
            OpenFlags(O_RDWR | O_EXCL | O_CREAT | CInt(CFUSE_O_DIRECT))
                == OpenFlags(reads: true, writes: true, isExclusive: true, isDirect: true))
        #expect(OpenFlags(O_DSYNC) == OpenFlags(reads: true, isSynchronous: true))
        #expect(OpenFlags(O_SYNC) == OpenFlags(reads: true, isSynchronous: true))
    }

    @Test("only what the mask names is changed, and now means now")
    func changes() {
        var status = stat()
        status.st_mode = S_IFREG | 0o4640
        status.st_size = 9
        status.st_mtim = timespec(tv_sec: 3, tv_nsec: 4)
        var expected = AttributeChanges()
        #expect(AttributeChanges(status, mask: 0) == expected)
        expected.permissions = 0o4640
        expected.size = 9
        expected.accessTime = .now
        expected.modificationTime = .time(WallTime(seconds: 3, nanoseconds: 4))
        let mask =
            FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_SIZE | FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_ATIME
            | FUSE_SET_ATTR_ATIME_NOW
        #expect(AttributeChanges(status, mask: mask) == expected)
    }

    @Test("modes of fallocate that would lose bytes silently are not supported")
    func allocation() {
        #expect(AllocationMode(mode: 0) == .extend)
        #expect(AllocationMode(mode: 1) == .keepSize)
        #expect(AllocationMode(mode: 3) == .punchHole)
        #expect(AllocationMode(mode: 0x10) == .zeroRange(keepsSize: false))
        #expect(AllocationMode(mode: 0x11) == .zeroRange(keepsSize: true))
        // Punching always keeps the size; collapsing, inserting and unsharing are others' features.
        for mode: CInt in [2, 0x08, 0x20, 0x40] {
            #expect(AllocationMode(mode: mode) == nil)
        }
    }

    @Test("an open folder's listing is kept if the filesystem says so")
    func openedDirectory() {
        let kept = fuse_file_info(OpenedDirectory(cachesListing: true, isLast: false))
        #expect(kept.cache_readdir == 1 && kept.keep_cache == 1)
        let fresh = fuse_file_info(OpenedDirectory(cachesListing: false, isLast: false))
        #expect(fresh.cache_readdir == 0 && fresh.keep_cache == 0)
    }

    @Test(
        "flags are where the libfuse that is loaded has them, whichever was built with",
        arguments: [
            (314, 0x40, 0x80), (315, 0x80, 0x100), (316, 0x80, 0x100), (317, 0x40, 0x80),
            (318, 0x40, 0x80),
        ] as [(CInt, UInt32, UInt32)])
    func loadedLibrary(version: CInt, cachesListing: UInt32, skipsFlush: UInt32) {
        func flags(_ info: fuse_file_info) -> UInt32 {
            withUnsafeBytes(of: info) { $0.load(fromByteOffset: 4, as: UInt32.self) }
        }
        let keepCache: UInt32 = 1 << 2
        let folder = OpenedDirectory(cachesListing: true, isLast: false)
        #expect(
            flags(fuse_file_info(folder, libfuse: version)) == cachesListing | keepCache)
        var file = OpenedFile(handle: HandleID(5), keepsCache: false, isDirect: false)
        file.isFlushed = false
        #expect(flags(fuse_file_info(file, libfuse: version)) == skipsFlush)
        file.isFlushed = true
        #expect(flags(fuse_file_info(file, libfuse: version)) == 0)
    }

    @Test("an account over its quota has no free space, and not a huge one")
    func overQuota() {
        let status = statvfs(SpaceUsage(totalBytes: 8192, freeBytes: -4096, entryCount: 3))
        #expect(status.f_blocks == 2 && status.f_bfree == 0 && status.f_bavail == 0)
    }

    @Test("numbers of entries fit into the 32 bits of old programs", arguments: [3, 1 << 40, .max])
    func manyEntries(count: UInt64) {
        let status = statvfs(SpaceUsage(totalBytes: 8192, freeBytes: 4096, entryCount: count))
        #expect(status.f_files < UInt32.max && status.f_ffree < UInt32.max)
        #expect(status.f_files >= status.f_ffree)
    }

    @Test("names of attributes are sorted by the party that answers")
    func attributeNames() {
        #expect(AttributeName(Array("user.x".utf8)) == .fileSystem("user.x"))
        #expect(AttributeName(Array("security.capability".utf8)) == .kernel)
        #expect(AttributeName(Array("system.posix_acl_default".utf8)) == .kernel)
        #expect(AttributeName(Array("user.".utf8) + [0xFF]) == .undecodable)
    }

    @Test("an entry that does not fit a listing leaves it unchanged", arguments: [false, true])
    func listing(withEntries: Bool) {
        let listing = ListingBuffer(size: 400, withEntries: withEntries)
        var accepted = 0
        let entry = Entry(
            attributes: Self.attributes, timeouts: Timeouts(entry: 1, attributes: 1))
        while listing.append(
            DirectoryEntry(
                name: Array("name-\(accepted)".utf8), inode: InodeID(42), kind: .regular,
                nextOffset: UInt64(accepted + 1), entry: entry))
        {
            accepted += 1
        }
        // fuse_dirent has 24 bytes and fuse_direntplus 152 before the name, both padded to 8.
        let size = withEntries ? 160 : 32
        #expect(accepted == 400 / size)
        #expect(listing.count == accepted * size)
    }

    @Test("capabilities are never asked for that the kernel does not offer")
    func negotiation() {
        let everything = Negotiation.capabilities(offered: .max, default: .max)
        let refused =
            FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_EXPLICIT_INVAL_DATA | FUSE_CAP_WRITEBACK_CACHE
        #expect(everything & UInt32(refused) == 0)
        #expect(everything & UInt32(FUSE_CAP_READDIRPLUS_AUTO) != 0)
        // Not of libfuse's own.
        let support = UInt32(FUSE_CAP_EXPORT_SUPPORT)
        #expect(Negotiation.capabilities(offered: support, default: 0) == support)
        #expect(Negotiation.capabilities(offered: 0, default: 0) == 0)
        let old = UInt32(FUSE_CAP_ASYNC_READ | FUSE_CAP_AUTO_INVAL_DATA)
        #expect(
            Negotiation.capabilities(offered: old, default: old) == UInt32(FUSE_CAP_ASYNC_READ))
        #expect(!Negotiation.canSkipOpenDirectory(offered: old))
        #expect(Negotiation.canSkipOpenDirectory(offered: .max))
    }

    @Test("writes are gathered where that was asked for", arguments: [true, false])
    func gathering(isAsked: Bool) {
        var options = MountOptions(source: "s")
        options.gathersWrites = isAsked
        let flags = Negotiation.additionalFlags(options)
        #expect((flags & UInt64(CFUSE_INIT_WRITEBACK_CACHE) != 0) == isAsked)
    }

    @Test("flags of the second word are taken where the kernel has one, and answered in one")
    func secondWord() {
        let wanted = Negotiation.additionalFlags(MountOptions(source: "s"))
        #expect(wanted & CFUSE_INIT_DIRECT_IO_ALLOW_MMAP != 0)
        func offered(_ words: [UInt32], count: Int) -> UInt64 {
            let request = [UInt32](repeating: 0, count: 13) + words
            return request.withUnsafeBytes { cfuse_offered_flags($0.baseAddress, count) }
        }
        let words = [UInt32(CFUSE_INIT_EXT) | 1, 1 << 4]
        #expect(offered(words, count: 60) & wanted == CFUSE_INIT_DIRECT_IO_ALLOW_MMAP)
        #expect(offered(words, count: 56) & wanted == 0)
        #expect(offered([1, 1 << 4], count: 60) & wanted == 0)

        func answer(length: Int) -> [UInt32] {
            var words = [UInt32](repeating: 0, count: 16)
            words.withUnsafeMutableBytes { bytes in
                cfuse_add_flags(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self), length,
                    CFUSE_INIT_DIRECT_IO_ALLOW_MMAP | 2)
            }
            return words
        }
        #expect(answer(length: 64)[3] == UInt32(CFUSE_INIT_EXT) | 2)
        #expect(answer(length: 64)[8] == 1 << 4)
        #expect(answer(length: 24)[3] == 2)
        #expect(answer(length: 24)[8] == 0)
    }
}

@Suite("mount options and errors")
struct MountOptionTests {
    @Test("options are written as libfuse reads them")
    func arguments() {
        var options = MountOptions(source: #"a,b\c"#)
        #expect(
            options.arguments == [
                "dbxfs", "-o", #"fsname=a\,b\\c,subtype=dbxfs,default_permissions"#,
            ])
        options.access = .everybody
        options.checksPermissions = false
        options.isReadOnly = true
        #expect(options.arguments[2].hasSuffix("subtype=dbxfs,allow_other,ro"))
        options.securityContext = "u:r:t:s0:c1,c2"
        #expect(options.arguments[2].hasSuffix(#",ro,context="u:r:t:s0:c1\,c2""#))
    }

    @Test(
        "any source is one option",
        arguments: [
            "a,suid", #"a\,suid"#, #"a\\,suid"#, ",", #"\"#, #"a\"#, "a,allow_other", "a,fd=0",
            "a\n,dev", "a=b,c=d",
        ])
    func hostileSource(source: String) {
        let options = MountOptions(source: source).arguments[2]
        // As libfuse reads a list: a backslash takes the next character as it is.
        var parts = [""]
        var rest = Substring(options)
        while let character = rest.popFirst() {
            switch character {
            case "\\": parts[parts.count - 1].append(rest.popFirst() ?? "?")
            case ",": parts.append("")
            default: parts[parts.count - 1].append(character)
            }
        }
        #expect(parts == ["fsname=\(source)", "subtype=dbxfs", "default_permissions"])
    }

    @Test("the table of mounts is read with its escapes, and the last mount at a path counts")
    func mountTable() {
        let table = MountTable(
            parsing: #"""
                22 1 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw
                40 22 0:57 / /mnt/with\040space rw,nosuid - fuse.dbxfs drop\134box rw,user_id=0
                41 22 0:58 / /mnt/with\040space rw - tmpfs none rw
                nonsense
                """#)
        #expect(table.mounts.count == 3)
        #expect(table.mounts[1].path == "/mnt/with space")
        #expect(table.mounts[1].source == #"drop\box"#)
        #expect(table.mounts[1].minor == 57 && table.mounts[1].isFuse)
        #expect(table.topMount(at: "/mnt/with space")?.type == "tmpfs")
        #expect(table.topMount(at: "/mnt") == nil)
    }

    @Test("a device's mounts are found at all places, but not below other mounts")
    func places() {
        let table = MountTable(
            parsing: """
                22 1 254:0 / / rw - ext4 /dev/vda rw
                40 22 0:57 / /m rw - fuse.dbxfs default: rw,user_id=0
                41 22 0:57 /sub /bind rw - fuse.dbxfs default: rw,user_id=0
                42 22 0:57 / /hidden rw - fuse.dbxfs default: rw,user_id=0
                43 42 0:58 / /hidden rw - fuse.dbxfs other: rw,user_id=0
                """)
        #expect(table.mounts(ofDevice: "0:57").map(\.path) == ["/m", "/bind"])
        #expect(table.mounts(ofDevice: "0:57").map(\.root) == ["/", "/sub"])
        let other = MountTable.Entry.device(fuse: 58)
        #expect(table.mounts(ofDevice: other).map(\.path) == ["/hidden"])
        #expect(table.mounts(ofDevice: "0:5").isEmpty)
    }

    @Test("fusermount3's reasons are taken from the standard error")
    func errorOutput() {
        let text = "other\nfusermount3: user has no write access to mountpoint /m\n\nfuse\n"
        #expect(
            ErrorOutput.messages(in: text) == [
                "fusermount3: user has no write access to mountpoint /m"
            ])
        #expect(LibraryLog.text(since: .max, and: ["fusermount3: no"]) == "fusermount3: no")
    }

    @Test("a mount is that of the user who made it")
    func owners() {
        let table = MountTable(
            parsing: """
                22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw
                40 22 0:57 / /root rw - fuse.dbxfs default: rw,user_id=0,group_id=0
                41 22 0:58 / /ada rw - fuse.dbxfs default: rw,user_id=1000,group_id=0,allow_other
                42 22 0:59 / /bo rw - fuse.dbxfs default: rw,group_id=1000,user_id=100
                """)
        #expect(table.mounts.map(\.userID) == [nil, 0, 1000, 100])
        #expect(table.mounts(of: 1000).map(\.path) == ["/", "/ada"])
        #expect(table.mounts(of: 0).map(\.path) == ["/", "/root"])
    }

    @Test("fuse.conf lets users open mounts to others only by an uncommented line")
    func configuration() {
        #expect(!Fusermount.allowsOthers(configuration: "#user_allow_other\nmount_max = 1000\n"))
        #expect(Fusermount.allowsOthers(configuration: "mount_max = 1\n  user_allow_other # yes\n"))
    }

    @Test("every refusal says what helps")
    func messages() {
        let path: FilePath = "/mnt/x"
        let remedies: [(MountError, String)] = [
            (.deviceMissing, "modprobe fuse"), (.deviceForbidden(.permissionDenied), "--device"),
            (.fusermountMissing, "package fuse3"), (.accessForOthersForbidden, "/etc/fuse.conf"),
            (.mountpointMissing(path), "mkdir -p"),
            (.mountpointNotADirectory(path), "name an empty directory"),
            (.mountpointInaccessible(path, .permissionDenied), "directory that you own"),
            (.mountpointBusy(path, source: "x"), "fusermount3 -u /mnt/x"),
            (.mountpointStale(path), "fusermount3 -uz /mnt/x"),
            (.detachFailed(path, .notPermitted), "as root"),
        ]
        for (error, remedy) in remedies {
            #expect(error.description.contains(remedy))
        }
    }
}
