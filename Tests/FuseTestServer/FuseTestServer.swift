// A program for the tests of the bridge. It mounts the filesystem in memory and takes orders on its
// standard input, or makes the system calls for which shells have no command. Tests run it as a
// child process: a process that waits for its own mount cannot be ended, not even by SIGKILL.

import Core
import Foundation
import Fuse
import Logging
import SystemPackage

@main
struct FuseTestServer {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "serve" where arguments.count >= 2:
            await serve(arguments[1], options: Array(arguments.dropFirst(2)))
        case "detach" where arguments.count == 2:
            detach(arguments[1])
        case "call" where arguments.count >= 2:
            exit(Probe.run(arguments[1], Array(arguments.dropFirst(2))))
        default:
            print(
                "usage: FuseTestServer serve MOUNTPOINT [OPTION…] | detach PATH | call NAME [ARGUMENT…]"
            )
            exit(2)
        }
    }

    private static func detach(_ path: String) {
        do {
            let wasStale = try Mountpoint.detachStale(FilePath(path))
            say(wasStale ? "detached" : "nothing to detach")
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }

    /// Options: `timeout=SECONDS`, `one-opendir`, `keep-privileges`, `clone-device`, `threads=N`,
    /// `log`.
    private static func serve(_ mountpoint: String, options: [String]) async {
        func value(_ name: String) -> String? {
            options.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let fileSystem = TestFileSystem(
            timeout: value("timeout").flatMap(Double.init) ?? 0,
            isOpenDirectoryLast: options.contains("one-opendir"))
        let notifier = Notifier()
        var mounting = MountOptions(source: "test, with a comma")
        mounting.dropsPrivilegeBits = !options.contains("keep-privileges")
        mounting.clonesDevice = options.contains("clone-device")
        mounting.maximumThreads = value("threads").flatMap(UInt32.init) ?? mounting.maximumThreads
        var log = Logger(label: "fuse-test-server") { StreamLogHandler.standardError(label: $0) }
        log.logLevel = options.contains("log") ? .trace : .error
        do {
            let session = try Session.mount(
                fileSystem, at: FilePath(mountpoint), options: mounting, notifier: notifier,
                log: log)
            let orders = Orders(fileSystem: fileSystem, notifier: notifier, session: session)
            async let served: Void = session.run()
            try await session.waitUntilReady()
            say("ready")
            // Reading blocks, and the pool's threads must not.
            Thread.detachNewThread { orders.takeAll() }
            try await served
            say("ended")
        } catch {
            say("failed \(error)")
            exit(1)
        }
    }
}

/// Writes one line, at once, so that the test reads it now and not when a buffer is full.
func say(_ line: String) {
    _ = try? FileDescriptor.standardOutput.writeAll((line + "\n").utf8)
}

/// The orders that a test gives: one a line, answered by one line each.
struct Orders: Sendable {
    let fileSystem: TestFileSystem
    let notifier: Notifier
    let session: Session

    /// Takes orders until the test closes the pipe, and stops the session then.
    func takeAll() {
        while let line = readLine() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
                .map(String.init)
            say(take(words))
            if words[0] == "stop" { stop(grace: .milliseconds(Int(words.last ?? "") ?? 0)) }
        }
        Task { await session.stop(grace: .zero) }
    }

    /// After the answer, because the end is told on the same way.
    private func stop(grace: Duration) {
        Task { await session.stop(grace: grace) }
    }

    private func take(_ words: [String]) -> String {
        let operand = words.dropFirst().joined(separator: " ")
        switch words[0] {
        case "close": fileSystem.gate.close(for: operand)
        case "open": fileSystem.gate.open(for: operand)
        case "waiting": return "\(fileSystem.gate.waitingCount)"
        case "immediate": fileSystem.gate.setImmediate(operand == "on")
        case "count": return "\(fileSystem.count(of: operand))"
        case "lookups": return "\(fileSystem.lookupCount(of: operand))"
        case "put" where words.count == 3: fileSystem.put(words[1], words[2])
        case "fill": fileSystem.fill(count: Int(operand) ?? 0)
        case "remove": fileSystem.remove(operand)
        case "invalidate": return invalidate(operand, isDeleted: false)
        case "delete": return invalidate(operand, isDeleted: true)
        case "stop": break
        default: return "unknown order"
        }
        return "done"
    }

    /// Tells the kernel that a name in the root folder has changed, content included.
    private func invalidate(_ name: String, isDeleted: Bool) -> String {
        guard let fileName = try? FileName(name) else { return "bad name" }
        let inode = fileSystem.inode(of: name)
        if isDeleted {
            fileSystem.remove(name)
            if let inode { notifier.invalidateDeletedEntry(fileName, of: inode, in: .root) }
        } else {
            notifier.invalidateEntry(fileName, in: .root)
            if let inode { notifier.invalidateInode(inode, content: true) }
        }
        notifier.invalidateListing(of: .root)
        return "done"
    }
}
