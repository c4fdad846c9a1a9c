// Writes back, before a signal ends a mount that programs use, what only the kernel has: changes by
// memory mappings, and with `writeback_cache` those of write(2). After an unmount by a command
// nothing is left to do: it waits until no program has a file open, and the kernel writes back
// then.

import Glibc
import LocalIO
import Logging

/// The last writeback of a mount.
struct PageWriteback {
    /// The command of dbxfs that has the kernel do it.
    static let command = "write-back"
    /// Seconds after which the mount ends without it: blocks that a page is a part of may not be
    /// cached, and the network away.
    private static let limit = 10.0

    let mountpoint: String
    let device: UInt32
    let log: Logger

    /// Blocks until the kernel has passed on all changed pages of files. By a helper process,
    /// because one that calls its own mount can hang beyond SIGKILL.
    func run(for paths: [[UInt8]]) {
        let helper = ChildRun()
        do throws(ChildProcessError) {
            let isStarted = try HelperInput.withFile(Self.encode(paths)) {
                (list) throws(ChildProcessError) in
                // Not by the path of the program, which an upgrade has replaced.
                try helper.start(
                    "/proc/self/exe", [Self.command, mountpoint, "--device", String(device)],
                    descriptors: [0: list], isDetached: true)
            }
            guard isStarted == true else { return warn("no memory") }
        } catch {
            return warn(error.message)
        }
        switch helper.wait(seconds: Self.limit) {
        case 0: break
        case nil:
            helper.end(by: SIGKILL)
            warn("it took too long")
        default: warn("the files cannot be opened, or their pages were refused")
        }
    }

    private func warn(_ reason: String) {
        log.warning(
            "changes that programs have made in mapped files may be lost",
            metadata: ["reason": "\(reason)"])
    }

    /// The bytes of paths: of each its own and NUL, which no path has.
    static func encode(_ paths: [[UInt8]]) -> [UInt8] { paths.flatMap { $0 + [0] } }

    /// The paths of such bytes. A last one without NUL, which may be cut, is left out.
    static func decode(_ bytes: [UInt8]) -> [[UInt8]] {
        guard let end = bytes.lastIndex(of: 0) else { return [] }
        return bytes[..<end].split(separator: 0, omittingEmptySubsequences: false).map(Array.init)
    }
}
