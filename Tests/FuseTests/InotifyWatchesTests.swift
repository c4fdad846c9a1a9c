// The watches of other processes, from a made-up /proc.

import Glibc
import TestSupport
import Testing

@testable import Fuse

struct InotifyWatchesTests {
    private static let line =
        "inotify wd:1 ino:2a sdev:31 mask:fce ignored_mask:0 fhandle-bytes:8 fhandle-type:1 f_handle:2a"

    @Test("the numbers are hexadecimal, and only those of the device count")
    func lines() {
        let text = """
            pos:\t0
            flags:\t00
            ino:\t1061
            \(Self.line)
            inotify wd:2 ino:ffffffffffffffff sdev:31 mask:fce
            inotify wd:3 ino:2b sdev:32 mask:fce
            inotify wd:4 ino:zz sdev:31 mask:fce
            inotify wd:5 ino:1ffffffffffffffff sdev:31
            fanotify ino:2c sdev:31 mflags:0
            inotify
            """
        #expect(InotifyWatches.watched(in: text, onDevice: 0x31) == [42, .max])
        #expect(InotifyWatches.watched(in: text, onDevice: 0x32) == [43])
        #expect(InotifyWatches.watched(in: "", onDevice: 0x31).isEmpty)
    }

    /// A process of a made-up /proc, with one descriptor that leads to `target`.
    private func makeProcess(_ id: String, in proc: String, _ target: String) throws {
        for folder in ["\(proc)/\(id)", "\(proc)/\(id)/fd", "\(proc)/\(id)/fdinfo"] {
            try #require(mkdir(folder, 0o700) == 0)
        }
        try #require(symlink(target, "\(proc)/\(id)/fd/3") == 0)
        let file = try #require(fopen("\(proc)/\(id)/fdinfo/3", "w"))
        fputs(Self.line + "\n", file)
        fclose(file)
    }

    @Test("descriptors of inotify are read, of processes only")
    func processes() throws {
        let folder = try TemporaryFolder()
        let proc = folder.path
        try makeProcess("12", in: proc, "anon_inode:inotify")
        try makeProcess("13", in: proc, "/home/anon_inode:inotify")
        try makeProcess("sys", in: proc, "anon_inode:inotify")
        // A process that ended during the reading.
        try #require(mkdir("\(proc)/14", 0o700) == 0)
        #expect(InotifyWatches.inodes(onDevice: 0x31, proc: proc) == [42])
        #expect(InotifyWatches.inodes(onDevice: 0x30, proc: proc).isEmpty)
        #expect(InotifyWatches.inodes(onDevice: 0x31, proc: "\(proc)/none").isEmpty)
    }
}
