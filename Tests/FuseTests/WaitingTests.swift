// Operations that wait: whom they keep waiting, and what ends them. No test here measures time;
// what does not end by itself is ended by the mount's watchdog, and the test fails.

import Glibc
import LocalIO
import TestSupport
import Testing

@testable import Fuse

extension MountedTests {
    @Suite("waiting")
    struct WaitingTests {
        /// A process that waits for the attributes of a file, and the mount's word that it does.
        private static func stuck(_ mount: TestMount, _ script: String) async throws -> RunningShell
        {
            let shell = try mount.start(script)
            try await mount.wait(until: "waiting", is: "1")
            return shell
        }

        /// A process that waits for the attributes of a file, and that catches a signal.
        private static func stuck(_ mount: TestMount, catching signal: CInt) async throws
            -> RunningShell
        {
            try await stuck(
                mount, "exec \(TestMount.program) call interrupted-stat $M/x \(signal)")
        }

        /// Sends a signal and waits until it is pending: the kernel has seen it then, and tells the
        /// mount before it passes on any later request. That request is `statfs`: it names no file,
        /// and a listing would wait for the name that is being looked up (d_alloc_parallel).
        private static func send(_ signal: CInt, to shell: RunningShell, of mount: TestMount)
            async throws
        {
            shell.signal(signal)
            try await waitWhile {
                let pending = PendingSignals.of(thread: shell.process.id)
                return pending?.contains(anyOf: [signal]) != true
            }
            let result = try await mount.shell("stat -f -c %T $M")
            #expect(result.status == 0)
        }

        @Test("SIGKILL ends a process that waits for a lookup")
        func killed() async throws {
            try await TestMount.run { mount in
                try await mount.order("close lookup x")
                let shell = try await Self.stuck(mount, "exec cat $M/x")
                shell.signal(SIGKILL)
                #expect(await shell.result().status == 128 + SIGKILL)
                #expect(try await mount.order("waiting") == "0")
            }
        }

        @Test("Ctrl-C ends a program that does not catch it, in every kind of wait")
        func interruptedByKeyboard() async throws {
            for operation in ["lookup f", "getattr", "open", "read", "flush"] {
                try await TestMount.run { mount in
                    try await mount.order("put f text")
                    try await mount.order("close \(operation)")
                    let shell = try await Self.stuck(mount, "exec cat $M/f")
                    shell.signal(SIGINT)
                    #expect(await shell.result().status == 128 + SIGINT, "\(operation)")
                }
            }
        }

        @Test("a caught SIGTERM ends the wait with EINTR")
        func caughtTermination() async throws {
            try await TestMount.run { mount in
                try await mount.order("close lookup x")
                let shell = try await Self.stuck(mount, catching: SIGTERM)
                shell.signal(SIGTERM)
                #expect(await shell.result().status == EINTR)
            }
        }

        @Test("a caught signal that is no wish to stop ends no wait")
        func otherSignals() async throws {
            try await TestMount.run { mount in
                try await mount.order("put x text")
                try await mount.order("close lookup x")
                let shell = try await Self.stuck(mount, catching: SIGUSR1)
                try await Self.send(SIGUSR1, to: shell, of: mount)
                #expect(try await mount.order("waiting") == "1")
                try await mount.order("open lookup x")
                #expect(await shell.result().status == 0)
            }
        }

        @Test("SIGKILL ends a wait that an ignored signal has interrupted before")
        func killedAfterOtherSignal() async throws {
            try await TestMount.run { mount in
                try await mount.order("close lookup x")
                let shell = try await Self.stuck(mount, catching: SIGUSR1)
                try await Self.send(SIGUSR1, to: shell, of: mount)
                shell.signal(SIGKILL)
                #expect(await shell.result().status == 128 + SIGKILL)
                try await mount.wait(until: "waiting", is: "0")
            }
        }

        @Test("other files answer while more operations wait than there are threads")
        func others() async throws {
            try await TestMount.run("threads=2") { mount in
                try await mount.order("put f text")
                try await mount.order("close read")
                for _ in 0..<20 {
                    _ = try mount.start("exec cat $M/f")
                }
                let waiting = try mount.start("exec cat $M/f")
                // The pages are locked by one read, and the others wait for it in the kernel.
                try await mount.wait(until: "waiting", is: "1")
                let result = try await mount.shell(
                    "mkdir $M/d; echo > $M/d/new; ls $M; stat -c %s $M/f")
                #expect(result.output == "d\nf\n4")
                try await mount.order("open read")
                #expect(await waiting.result().output == "text")
            }
        }

        @Test("many lookups wait at a time, and all are answered")
        func many() async throws {
            try await TestMount.run("threads=2") { mount in
                for index in 0..<40 {
                    try await mount.order("close lookup file-\(index)")
                }
                let shells = try (0..<40).map { try mount.start("[ -e $M/file-\($0) ] || echo no") }
                try await mount.wait(until: "waiting", is: "40")
                for index in 0..<40 {
                    try await mount.order("open lookup file-\(index)")
                }
                for shell in shells {
                    #expect(await shell.result().output == "no")
                }
            }
        }
    }

    @Suite("notifications")
    struct NotificationTests {
        @Test("changed content is seen after its invalidation, in spite of long timeouts")
        func content() async throws {
            try await TestMount.run("timeout=1000") { mount in
                try await mount.order("put f before")
                let before = try await mount.shell("cat $M/f")
                try await mount.order("put f afters")
                let cached = try await mount.shell("cat $M/f")
                #expect(before.output == "before")
                #expect(cached.output == "before")
                try await mount.order("invalidate f")
                let seen = try await mount.shell("until [ $(cat $M/f) = afters ]; do :; done")
                #expect(seen.status == 0)
            }
        }

        @Test("a new size never shows with the old bytes, before any invalidation")
        func size() async throws {
            try await TestMount.run("timeout=1000") { mount in
                try await mount.order("put f before")
                _ = try await mount.shell("cat $M/f")
                try await mount.order("put f afterwards")
                // A read makes the access time doubtful, and so cat's fstat brings the new size.
                #expect(try await mount.shell("cat $M/f").output == "afterwards")
                try await mount.order("put f now")
                #expect(try await mount.shell("cat $M/f").output == "now")
            }
        }

        @Test("a new name is seen after its invalidation, in listings too")
        func newName() async throws {
            try await TestMount.run("timeout=1000") { mount in
                let before = try await mount.shell("ls $M; [ -e $M/f ] || echo absent")
                try await mount.order("put f text")
                let cached = try await mount.shell("ls $M; [ -e $M/f ] || echo absent")
                #expect(before.output == "absent")
                #expect(cached.output == "absent")
                try await mount.order("invalidate f")
                let seen = try await mount.shell(
                    "until [ -e $M/f ]; do sleep 0.01; done; until [ \"$(ls $M)\" = f ]; do :; done; cat $M/f"
                )
                #expect(seen.output == "text")
            }
        }

        @Test("a deletion elsewhere is reported to watchers of the file")
        func deletion() async throws {
            try await TestMount.run("timeout=1000") { mount in
                try await mount.order("put f text")
                let watcher = try mount.start("call watch $M/f")
                try await waitWhile { watcher.output != "watching" }
                try await mount.order("delete f")
                // IN_DELETE_SELF of inotify(7).
                #expect(await watcher.result().output == "watching\n\(0x400)")
                #expect(
                    try await mount.shell("cat $M/f").output.hasSuffix("No such file or directory"))
            }
        }

        @Test("a stuck lookup holds up its own folder's notifications and nothing else")
        func stuckLookup() async throws {
            try await TestMount.run("timeout=1000") { mount in
                try await mount.order("put f before")
                _ = try await mount.shell("mkdir $M/d; cat $M/f")
                try await mount.order("close lookup stuck")
                let stuck = try mount.start("exec cat $M/stuck")
                try await mount.wait(until: "waiting", is: "1")
                try await mount.order("put f afterwards")
                try await mount.order("invalidate f")
                // The content's own invalidation needs nothing of the folder.
                let content = try await mount.shell(
                    "until [ $(stat -c %s $M/f) = 10 ]; do sleep 0.01; done; cat $M/f")
                #expect(content.output == "afterwards")
                // Were the name's invalidation waiting in the kernel, no new lookup would get
                // through.
                let lookups = try await mount.shell("[ -e $M/new ] || echo absent; ls $M/d")
                #expect(lookups.output == "absent")
                try await mount.order("open lookup stuck")
                #expect(await stuck.result().status == 1)
            }
        }

        @Test("notifications about what the kernel does not know do no harm")
        func unknown() async throws {
            try await TestMount.run { mount in
                try await mount.order("put f text")
                try await mount.order("invalidate f")
                try await mount.order("delete f")
                #expect(try await mount.shell("echo x > $M/g; cat $M/g").output == "x")
                #expect(mount.serverErrors == "")
            }
        }
    }
}
