// Names through the mount: what can be made, found, renamed and removed, and with which errors.

import Glibc
import Testing

extension MountedTests {
    @Suite("names")
    struct NameTests {
        @Test("files, folders and links are made, listed, renamed and removed")
        func basics() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    set -e
                    cd $M
                    echo hello > a; mkdir -p d/e; mv a d/b; ln -s d/b link
                    cat link; readlink link; find . | sort
                    rm d/b link; rmdir d/e d; ls -A
                    """)
                #expect(result.status == 0)
                #expect(result.output == "hello\nd/b\n.\n./d\n./d/b\n./d/e\n./link")
            }
        }

        @Test("errors of names are those of POSIX")
        func errors() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; mkdir d; touch d/f
                    cat missing; rmdir d; mkdir d; rmdir d/f; rm d; ln d/f hard
                    """)
                #expect(
                    result.output.split(separator: "\n").map { $0.split(separator: ": ").last } == [
                        "No such file or directory", "Directory not empty", "File exists",
                        "Not a directory", "Is a directory", "Operation not permitted",
                    ])
            }
        }

        @Test("mknod makes files, FIFOs and sockets, but no devices")
        func mknod() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell("cd $M; mknod null c 1 3; ls")
                #expect(result.output.hasSuffix("Operation not permitted"))
                #expect(try await mount.count(of: "mknod") == 0)
                let made = try await mount.shell(
                    """
                    cd $M; mkfifo pipe
                    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("address")'
                    find . -name . -o -printf '%f %y\n' | sort
                    """)
                #expect(made.output == "address s\npipe p")
            }
        }

        @Test("names keep their bytes: newline, quotes, emoji, both forms of é")
        func unusualNames() async throws {
            try await TestMount.run { mount in
                let script = #"""
                    cd $M
                    printf 'a\nb' > "$(printf 'new\nline')"
                    for name in ' ' '"' "'" '\' '🐟' "$(printf 'e\314\201')" "$(printf '\303\251')"
                    do echo "$name" > "$name"; done
                    for name in ' ' '"' "'" '\' '🐟' "$(printf 'e\314\201')" "$(printf '\303\251')"
                    do [ "$(cat "$name")" = "$name" ] || echo "lost $name"; done
                    cat "$(printf 'new\nline')"; echo; find . -type f -print0 | tr -cd '\0' | wc -c
                    """#
                let result = try await mount.shell(script)
                #expect(result.output == "a\nb\n8")
            }
        }

        @Test("a name that is not UTF-8 is not found, and cannot be made")
        func invalidNames() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    #"cd $M; n="$(printf 'x\377')"; [ -e "$n" ] || echo absent; touch "$n"; ls"#)
                #expect(result.output.hasPrefix("absent\n"))
                #expect(
                    result.output.hasSuffix("Invalid or incomplete multibyte or wide character"))
            }
        }

        @Test("a name may have 255 bytes at most")
        func longNames() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; n=$(printf '%0255d' 1); touch $n; ls | wc -c; touch ${n}2
                    """)
                #expect(result.output.hasPrefix("256\n"))
                #expect(result.output.hasSuffix("File name too long"))
            }
        }

        @Test("renameat2 without replacing, swapping, and with a flag that means nothing here")
        func renameFlags() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    cd $M; echo 1 > a; echo 2 > b
                    call rename a b 1; echo $?
                    call rename a c 1; echo $?
                    call rename b c 2; echo $?
                    call rename b d 4; echo $?
                    cat b c
                    """)
                #expect(result.output == "\(EEXIST)\n0\n0\n\(EINVAL)\n1\n2")
            }
        }

        @Test("a name that is absent is asked for once while the kernel may remember it")
        func negativeEntries() async throws {
            try await TestMount.run("timeout=1000") { mount in
                let result = try await mount.shell("[ -e $M/x ] || [ -e $M/x ] || echo absent")
                #expect(result.output == "absent")
                #expect(try await mount.count(of: "lookup") == 1)
            }
        }

        @Test("every lookup is taken back when the kernel forgets the inode")
        func lookupsAreForgotten() async throws {
            try await TestMount.run("timeout=1000") { mount in
                try await mount.order("fill 500")
                let result = try await mount.shell("ls -l $M | wc -l; touch $M/x; mkdir $M/d")
                #expect(result.output == "501")
                #expect(try await mount.order("lookups ") == "502")
                _ = try await mount.shell("cd $M && rm -r d file-* x")
                try await mount.wait(until: "lookups ", is: "0")
            }
        }
    }

    @Suite("listings")
    struct ListingTests {
        @Test("10,000 entries are listed by ls, ls -l and find, each once")
        func manyEntries() async throws {
            try await TestMount.run { mount in
                try await mount.order("fill 10000")
                let result = try await mount.shell(
                    """
                    ls $M | sort -u | wc -l; ls -l $M | wc -l; find $M -type f | sort -u | wc -l
                    """)
                #expect(result.output == "10000\n10001\n10000")
            }
        }

        @Test("a listing that the kernel may keep is asked for once")
        func cachedListing() async throws {
            try await TestMount.run("timeout=1000") { mount in
                try await mount.order("fill 20")
                _ = try await mount.shell("ls -f $M; ls -f $M")
                let first = try await mount.count(of: "readdirplus")
                let calls = try await mount.count(of: "readdir")
                _ = try await mount.shell("ls -f $M")
                #expect(try await mount.count(of: "opendir") == 3)
                #expect(try await mount.count(of: "readdirplus") == first)
                #expect(try await mount.count(of: "readdir") == calls)
                #expect(try await mount.count(of: "opendir") == 3)
            }
        }

        @Test("after the last opendir, folders are opened and read again without a question")
        func lastOpenDirectory() async throws {
            try await TestMount.run("timeout=1000", "one-opendir") { mount in
                try await mount.order("fill 20")
                let first = try await mount.shell("mkdir $M/d; ls -f $M; ls -f $M/d")
                #expect(first.output.split(separator: "\n").count == 22 + 1 + 2)
                #expect(try await mount.count(of: "opendir") == 1)
                let entries = try await mount.count(of: "readdirplus")
                let names = try await mount.count(of: "readdir")
                let again = try await mount.shell("ls -f $M; ls -f $M/d")
                #expect(again.output == first.output)
                #expect(try await mount.count(of: "readdirplus") == entries)
                #expect(try await mount.count(of: "readdir") == names)
                _ = try await mount.shell("touch $M/new")
                #expect(try await mount.shell("ls $M").output.contains("new"))
                #expect(try await mount.count(of: "opendir") == 1)
            }
        }
    }
}
