// System calls that shells have no command for, made in a process of their own. The exit status is
// the errno, 0 for success; results go to standard output.

import CFuse
import Foundation
import Glibc

enum Probe {
    static func run(_ call: String, _ arguments: [String]) -> CInt {
        guard let probe = probes[call], arguments.count >= probe.arity else {
            print("no such call, or too few arguments")
            return 255
        }
        return probe.body(arguments)
    }

    private static let probes: [String: (arity: Int, body: @Sendable ([String]) -> CInt)] = [
        "rename": (3, { rename($0[0], $0[1], flags: UInt32($0[2]) ?? 0) }),
        "fallocate": (4, { allocate($0[0], mode: $0[1], offset: $0[2], count: $0[3]) }),
        "seek": (3, { seek($0[0], offset: $0[1], whence: $0[2]) }),
        "map": (3, { map($0[0], offset: Int($0[1]) ?? 0, text: $0[2]) }),
        "write": (3, { write($0[0], count: Int($0[1]) ?? 0, times: Int($0[2]) ?? 1) }),
        "stat": (2, { stat($0[0], times: Int($0[1]) ?? 1) }),
        "hold": (1, { hold($0[0]) }),
        "lock": (1, { lock($0[0]) }),
        "ioctl": (1, { control($0[0]) }),
        "sync": (1, { synchronize($0[0]) }),
        "watch": (1, { watch($0[0]) }),
        "interrupted-stat": (2, { interruptedStat($0[0], signal: CInt($0[1]) ?? SIGUSR1) }),
        "setxattr": (4, { setAttribute($0[0], $0[1], $0[2], flags: CInt($0[3]) ?? 0) }),
        "getxattr": (3, { getAttribute($0[0], $0[1], capacity: Int($0[2]) ?? 0) }),
        "listxattr": (2, { listAttributes($0[0], capacity: Int($0[1]) ?? 0) }),
        "removexattr": (2, { removeAttribute($0[0], $0[1]) }),
    ]

    private static func opened(_ path: String, _ flags: CInt, _ body: (CInt) -> CInt) -> CInt {
        let file = open(path, flags)
        guard file >= 0 else { return errno }
        let result = body(file)
        return close(file) == 0 || result != 0 ? result : errno
    }

    /// A function that glibc shows only with _GNU_SOURCE.
    private static func symbol<Function>(_ name: String, _ type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }

    private static func rename(_ old: String, _ new: String, flags: UInt32) -> CInt {
        typealias Function =
            @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, UInt32) -> CInt
        guard let call = symbol("renameat2", Function.self) else { return ENOSYS }
        return call(AT_FDCWD, old, AT_FDCWD, new, flags) == 0 ? 0 : errno
    }

    private static func allocate(
        _ path: String, mode: String, offset: String, count: String
    ) -> CInt {
        typealias Function = @convention(c) (CInt, CInt, off_t, off_t) -> CInt
        guard let call = symbol("fallocate", Function.self) else { return ENOSYS }
        return opened(path, O_RDWR) { file in
            call(file, CInt(mode) ?? 0, off_t(offset) ?? 0, off_t(count) ?? 0) == 0 ? 0 : errno
        }
    }

    private static func seek(_ path: String, offset: String, whence: String) -> CInt {
        opened(path, O_RDONLY) { file in
            let place = lseek(file, off_t(offset) ?? 0, CInt(whence) ?? 0)
            guard place >= 0 else { return errno }
            print(place)
            return 0
        }
    }

    /// Writes through a shared mapping.
    private static func map(_ path: String, offset: Int, text: String) -> CInt {
        opened(path, O_RDWR) { file in
            let size = Int(lseek(file, 0, SEEK_END))
            guard let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
                memory != MAP_FAILED
            else { return errno }
            (memory + offset).copyMemory(from: text, byteCount: text.utf8.count)
            guard msync(memory, size, CInt(MS_SYNC)) == 0 else { return errno }
            return munmap(memory, size) == 0 ? 0 : errno
        }
    }

    /// Writes blocks one after the other and prints the nanoseconds that one took.
    private static func write(_ path: String, count: Int, times: Int) -> CInt {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { return errno }
        let block = [UInt8](repeating: 0x5A, count: count)
        let start = ContinuousClock.now
        for _ in 0..<times where Glibc.write(file, block, count) != count {
            return errno
        }
        report(start, times)
        return close(file) == 0 ? 0 : errno
    }

    private static func stat(_ path: String, times: Int) -> CInt {
        var status = CFuse.stat()
        let start = ContinuousClock.now
        for _ in 0..<times where fstatat(AT_FDCWD, path, &status, 0) != 0 {
            return errno
        }
        report(start, times)
        return 0
    }

    private static func report(_ start: ContinuousClock.Instant, _ times: Int) {
        let elapsed = (ContinuousClock.now - start) / times
        print(elapsed.components.attoseconds / 1_000_000_000)
    }

    /// Keeps a file open until standard input ends.
    private static func hold(_ path: String) -> CInt {
        opened(path, O_RDWR) { _ in
            print("holding")
            fflush(nil)
            _ = readLine()
            return 0
        }
    }

    /// Takes a lock of each kind, which the kernel must grant without a request.
    private static func lock(_ path: String) -> CInt {
        opened(path, O_RDWR) { file in
            lockf(file, F_TLOCK, 0) == 0 && flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno
        }
    }

    /// isatty asks the filesystem by ioctl.
    private static func control(_ path: String) -> CInt {
        opened(path, O_RDONLY) { file in isatty(file) == 1 ? 0 : errno }
    }

    private static func synchronize(_ path: String) -> CInt {
        opened(path, O_RDONLY) { file in fsync(file) == 0 ? 0 : errno }
    }

    /// Prints the mask of the first inotify event of a file.
    private static func watch(_ path: String) -> CInt {
        let deleteSelf: UInt32 = 0x400
        let attributes: UInt32 = 0x4
        guard let start = symbol("inotify_init", (@convention(c) () -> CInt).self),
            let add = symbol(
                "inotify_add_watch",
                (@convention(c) (CInt, UnsafePointer<CChar>, UInt32) -> CInt).self)
        else { return ENOSYS }
        let queue = start()
        guard add(queue, path, deleteSelf | attributes) >= 0 else { return errno }
        print("watching")
        fflush(nil)
        var event = [UInt32](repeating: 0, count: 1024)
        guard read(queue, &event, 4096) > 0 else { return errno }
        print(event[1])
        return 0
    }

    /// Catches a signal that is sent to it while it waits for `stat`, and ends with its errno.
    private static func interruptedStat(_ path: String, signal number: CInt) -> CInt {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        sigaction(number, &action, nil)
        var status = CFuse.stat()
        return fstatat(AT_FDCWD, path, &status, 0) == 0 ? 0 : errno
    }

    // MARK: Extended attributes

    private typealias Path = UnsafePointer<CChar>
    private typealias Buffer = UnsafeMutablePointer<CChar>

    private static func setAttribute(
        _ path: String, _ name: String, _ value: String, flags: CInt
    ) -> CInt {
        typealias Function = @convention(c) (Path, Path, Path, Int, CInt) -> CInt
        guard let call = symbol("setxattr", Function.self) else { return ENOSYS }
        return call(path, name, value, value.utf8.count, flags) == 0 ? 0 : errno
    }

    private static func removeAttribute(_ path: String, _ name: String) -> CInt {
        typealias Function = @convention(c) (Path, Path) -> CInt
        guard let call = symbol("removexattr", Function.self) else { return ENOSYS }
        return call(path, name) == 0 ? 0 : errno
    }

    /// Prints the size and, unless only that was asked for, the value.
    private static func getAttribute(_ path: String, _ name: String, capacity: Int) -> CInt {
        typealias Function = @convention(c) (Path, Path, Buffer, Int) -> Int
        guard let call = symbol("getxattr", Function.self) else { return ENOSYS }
        return printBytes(capacity: capacity) { call(path, name, $0, capacity) }
    }

    private static func listAttributes(_ path: String, capacity: Int) -> CInt {
        typealias Function = @convention(c) (Path, Buffer, Int) -> Int
        guard let call = symbol("listxattr", Function.self) else { return ENOSYS }
        return printBytes(capacity: capacity) { call(path, $0, capacity) }
    }

    private static func printBytes(capacity: Int, _ read: (Buffer) -> Int) -> CInt {
        let buffer = Buffer.allocate(capacity: max(capacity, 1))
        defer { buffer.deallocate() }
        let count = read(buffer)
        guard count >= 0 else { return errno }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: capacity == 0 ? 0 : count)
        let parts = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        print(count, parts.joined(separator: ","))
        return 0
    }
}
