// How sessions begin and end: errors that say what to do, unmounting while the mount is used, and
// mounts that dead processes leave behind.

import Glibc
import TestSupport
import Testing

extension MountedTests {
    @Suite("sessions")
    struct SessionTests {
        private static func serve(_ path: String) -> String { "\(TestMount.program) serve \(path)" }

        @Test("a mountpoint that cannot be used is refused with a reason")
        func refusals() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    touch $T/file
                    for path in $T/missing $T/file $T/file/below $M
                    do \(Self.serve("$path")) < /dev/null; done
                    """)
                let lines = result.output.replacing(mount.folder, with: "T").split(separator: "\n")
                #expect(
                    lines == [
                        "failed the mountpoint T/missing does not exist: make it first (mkdir -p)",
                        "failed the mountpoint T/file is not a directory: name an empty directory",
                        "failed the mountpoint T/file/below is not a directory: name an empty directory",
                        """
                        failed test, with a comma is mounted at T/mnt already: unmount it \
                        (fusermount3 -u T/mnt), or name another directory
                        """,
                    ])
            }
        }

        @Test("a mount whose process was killed is recognized, detached, and can be mounted anew")
        func stale() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell(
                    """
                    mkdir $T/again; mkfifo $T/orders; : > $T/ready
                    \(Self.serve("$T/again")) < $T/orders > $T/ready & server=$!
                    exec 9> $T/orders
                    until grep -q ready $T/ready; do sleep 0.02; done
                    kill -9 $server; wait $server
                    ls $T/again 2>&1 | sed 's/.*: //'
                    \(Self.serve("$T/again")) < /dev/null | cut -c 1-55
                    \(TestMount.program) detach $T/again
                    \(TestMount.program) detach $T/again
                    \(Self.serve("$T/again")) < /dev/null
                    ls -A $T/again
                    """)
                #expect(
                    result.output.split(separator: "\n").filter { !$0.contains("Killed") } == [
                        "Transport endpoint is not connected",
                        "failed a filesystem whose process has ended is still mo",
                        "detached", "nothing to detach", "ready", "ended",
                    ])
            }
        }

        @Test("unmounting from outside ends the session")
        func unmountedFromOutside() async throws {
            try await TestMount.run { mount in
                let result = try await mount.shell("echo x > $M/f; umount $M; ls -A $M")
                #expect(result.output == "")
                #expect(await mount.nextAnswer() == "ended")
            }
        }

        @Test("stopping ends operations that wait, and those who wait for them")
        func stoppedWhileWaiting() async throws {
            try await TestMount.run { mount in
                try await mount.order("put f text")
                try await mount.order("close read")
                try await mount.order("close lookup x")
                let reader = try mount.start("cat $M/f")
                let seeker = try mount.start("cat $M/x")
                try await mount.wait(until: "waiting", is: "2")
                try await mount.order("stop 0")
                #expect(await mount.nextAnswer() == "ended")
                #expect(await reader.result().status == 1)
                #expect(await seeker.result().status == 1)
            }
        }

        @Test("a program with an open file may use it until the grace is over")
        func stoppedWhileOpen() async throws {
            try await TestMount.run { mount in
                let holder = try mount.start(
                    """
                    exec 3<> $M/f; echo one >&3; echo open
                    until [ -z "$(ls -A $M)" ]; do sleep 0.01; done
                    echo two >&3; cat /proc/self/fd/3
                    until ! cat /proc/self/fd/3 > $T/copy 2>&1; do sleep 0.05; done
                    cat /proc/self/fd/3 2>&1 | sed 's/.*: //'
                    """)
                try await waitWhile { holder.output != "open" }
                try await mount.order("stop 8000")
                let result = await holder.result()
                #expect(result.output == "open\none\ntwo\nTransport endpoint is not connected")
                #expect(await mount.nextAnswer() == "ended")
            }
        }

        @Test("an aborted connection ends the session and leaves no mount behind")
        func aborted() async throws {
            try await TestMount.run { mount in
                let number = try #require(TestMount.connection(at: mount.path))
                FuseConnections.abort([number])
                #expect(await mount.nextAnswer() == "ended")
            }
        }

        @Test("root's mount reads ahead by 1 MiB")
        func readAhead() async throws {
            try await TestMount.run { mount in
                let number = try #require(TestMount.connection(at: mount.path))
                let result = try await mount.shell("cat /sys/class/bdi/0:\(number)/read_ahead_kb")
                #expect(result.output == "1024")
            }
        }
    }
}
