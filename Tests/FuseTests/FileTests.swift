// Content through the mount: reads, writes, mappings and ranges.

import Glibc
import Testing

extension MountedTests {
    @Suite("files")
    struct FileTests {
        @Test("written bytes are read back, in requests of up to 1 MiB")
        func bigWrites() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; head -c 3145728 /dev/urandom > $T/data
                    dd if=$T/data of=copy bs=3M 2>/dev/null; cmp $T/data copy && echo same
                    """)
                #expect(result.output == "same")
                #expect(try await mount.count(of: "write") == 3)
            }
        }

        @Test("reads see changes at any offset, and nothing behind the end")
        func offsets() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; printf abcdefgh > f; printf XY | dd of=f bs=1 seek=2 conv=notrunc 2>/dev/null
                    printf ij >> f; cat f; echo; tail -c 3 f; echo; wc -c < f
                    """)
                #expect(result.output == "abXYefghij\nhij\n10")
            }
        }

        @Test("O_TRUNC comes with open, in one request")
        func truncatingOpen() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell("cd $M; echo long > f; echo s > f; cat f")
                #expect(result.output == "s")
                #expect(try await mount.count(of: "open with O_TRUNC") == 1)
                #expect(try await mount.count(of: "setattr") == 0)
            }
        }

        @Test("truncate shortens and extends with zeros")
        func truncate() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    "cd $M; echo abcdef > f; truncate -s 3 f; truncate -s 5 f; od -An -c f")
                #expect(result.output.split(separator: " ") == ["a", "b", "c", "\\0", "\\0"])
            }
        }

        @Test("a write through a shared mapping reaches the file")
        func mapping() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    "cd $M; printf 0123456789 > f; call map f 3 XYZ; echo $?; cat f")
                #expect(result.output == "0\n012XYZ6789")
            }
        }

        @Test("close flushes and then releases; fsync reaches the filesystem")
        func closing() async throws {
            try await TestMount.run { mount in
                _ = try await mount.shell("call write $M/f 1 1; call sync $M/f; call sync $M")
                try await mount.wait(until: "count release", is: "2")
                #expect(try await mount.count(of: "flush") == 2)
                #expect(try await mount.count(of: "fsync") == 1)
                #expect(try await mount.count(of: "fsyncdir") == 1)
            }
        }

        @Test("fallocate extends, reserves, punches and zeroes, and refuses the rest")
        func allocation() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; printf abcdefgh > f
                    call fallocate f 0 0 12; wc -c < f
                    call fallocate f 1 0 100; wc -c < f
                    call fallocate f 3 2 2; call fallocate f 17 4 1; call fallocate f 16 10 4
                    od -An -c f; call fallocate f 8 0 4096; echo $?
                    """)
                let words = result.output.split(whereSeparator: \.isWhitespace)
                let zeros = Array(repeating: Substring("\\0"), count: 6)
                #expect(
                    words == ["12", "12", "a", "b", "\\0", "\\0", "\\0", "f", "g", "h"] + zeros
                        + ["\(EOPNOTSUPP)"])
            }
        }

        @Test("SEEK_DATA and SEEK_HOLE find what the filesystem says")
        func holes() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; truncate -s 8192 f; printf data >> f
                    call seek f 0 3; call seek f 0 4; call seek f 8192 4; call seek f 9000 3; echo $?
                    """)
                #expect(result.output == "8192\n0\n8196\n\(ENXIO)")
            }
        }

        @Test("cp copies inside the filesystem, by copy_file_range")
        func copying() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; head -c 300000 /dev/urandom > a; cp a b; cmp a b && echo same
                    """)
                #expect(result.output == "same")
                let copies = try #require(try await mount.count(of: "copy_file_range"))
                #expect(copies > 0)
            }
        }

        @Test("locks are the kernel's own, and ioctl is for terminals")
        func locksAndControl() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    "touch $M/f; call lock $M/f; echo $?; call ioctl $M/f; echo $?")
                #expect(result.output == "0\n\(ENOTTY)")
            }
        }

        @Test(
            "writes do not ask for security.capability, unless the kernel is to clear setuid bits")
        func privilegeBits() async throws {
            for (option, isAsked) in [("timeout=1", false), ("keep-privileges", true)] {
                try await TestMount.run(option, "log") { mount in
                    _ = try await mount.shell("call write $M/f 4096 50")
                    #expect(try await mount.count(of: "write") == 50)
                    // Answered by the bridge itself, so that the log has to tell.
                    let asked = mount.serverErrors.split(separator: "\n")
                        .count { $0.contains("getxattr") }
                    #expect(isAsked ? asked >= 50 : asked <= 1)
                }
            }
        }
    }

    @Suite("attributes")
    struct AttributeTests {
        @Test("times keep their nanoseconds, before 1970 too")
        func times() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; touch f; export TZ=UTC
                    touch -m -d '2001-02-03 04:05:06.123456789' f; stat -c %y f
                    touch -a -d '1965-01-01 00:00:00.25' f; stat -c %x f; stat -c %y f
                    touch f; [ $(stat -c %Y f) -gt 1000000000 ] && echo now
                    """)
                #expect(
                    result.output == """
                        2001-02-03 04:05:06.123456789 +0000
                        1965-01-01 00:00:00.250000000 +0000
                        2001-02-03 04:05:06.123456789 +0000
                        now
                        """)
            }
        }

        @Test("permissions and owners are set; setuid and setgid are never shown")
        func permissions() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; umask 027; touch f; stat -c %a f; chmod 1640 f; chown 12:34 f
                    stat -c '%a %u %g %h %s %o' f; chmod 6755 f; stat -c %a f; mkdir d; stat -c %A d
                    """)
                #expect(result.output == "640\n1640 12 34 1 0 131072\n755\ndrwxr-x---")
            }
        }

        @Test("df shows the account")
        func space() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    "stat -f -c '%s %b %f %a %l' $M; df --output=source,fstype $M | tail -1")
                #expect(
                    result.output == "4096 2621440 1048576 1048576 255\n"
                        + "test, with a comma fuse.dbxfs")
            }
        }

        @Test("extended attributes are set, sized, read, listed and removed")
        func extendedAttributes() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; touch f
                    call setxattr f user.a one 0; call setxattr f user.b two 1; echo $?
                    call setxattr f user.a new 1; echo $?
                    call setxattr f user.c new 2; echo $?
                    call getxattr f user.a 0; call getxattr f user.a 3; call getxattr f user.a 2; echo $?
                    call listxattr f 0; call listxattr f 100; call listxattr f 3; echo $?
                    call removexattr f user.a; call getxattr f user.a 10; echo $?
                    """)
                #expect(
                    result.output == """
                        0
                        \(EEXIST)
                        \(ENODATA)
                        3 
                        3 one
                        \(ERANGE)
                        14 
                        14 user.a,user.b
                        \(ERANGE)
                        \(ENODATA)
                        """)
            }
        }

        @Test("the kernel's own attributes are absent, and never the filesystem's affair")
        func kernelAttributes() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; touch f
                    call getxattr f security.capability 100; echo $?
                    call getxattr f system.posix_acl_access 100; echo $?
                    """)
                #expect(result.output == "\(ENODATA)\n\(ENODATA)")
                #expect(try await mount.count(of: "getxattr") == 0)
            }
        }
    }
}
