// Process-wide settings of a mount: descriptors, no core dumps, no unneeded capabilities, memory,
// signals.

import Blocking
import CLinux
import Glibc
import LocalFiles
import LocalIO
import Saturating
import SystemPackage

/// Settings of the whole process, made once at its start.
package enum ProcessSettings {
    /// Denies all users but root a copy of this process's memory, because it contains the token and
    /// pieces of the user's files. The value of `DBXFS_ACCESS_TOKEN` stays in /proc/PID/environ
    /// even after `forgetToken`.
    ///
    /// A limit of 0 bytes applies to files only: the kernel still starts a `core_pattern` that is a
    /// program, and gives it everything. A limit of 1 byte makes it skip that (core(5)). If the
    /// limit is 0 already and cannot be raised, the undumpable flag suffices.
    package static func denyCoreDumps() {
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        _ = clinux_set_undumpable()
    }

    /// Drops root's capabilities that are not needed once a server is talked to, also for child
    /// processes. It keeps those for unmounting (`CAP_SYS_ADMIN`), and for reaching a mountpoint or
    /// cache folder below folders of other users (`CAP_DAC_READ_SEARCH`). Unchanged for other
    /// users: `fusermount3` needs its set-user-ID bit.
    ///
    /// Capabilities are per thread, and new threads have those of their creator: must run before
    /// the first thread that talks to a server, and after the folders are made. Throws if the
    /// kernel keeps one, as where a container's filter forbids the call.
    package static func giveUpCapabilities() throws(CommandError) {
        guard geteuid() == 0 else { return }
        let kept = UInt64(1) << CLINUX_SYS_ADMIN | 1 << CLINUX_DAC_READ_SEARCH
        guard clinux_keep_capabilities(kept) == 0, clinux_set_no_new_privileges() == 0 else {
            throw .capabilitiesKept(reason: Errno(rawValue: errno).description)
        }
    }

    /// Raises the limits of open files, and of a file's size, to the hard limits: those of the
    /// shell are for its programs, and the database would stop at one.
    package static func adjustLimits() {
        for resource in [RLIMIT_NOFILE, RLIMIT_FSIZE] {
            let resource = __rlimit_resource_t(resource.rawValue)
            var limit = rlimit()
            guard getrlimit(resource, &limit) == 0 else { continue }
            limit.rlim_cur = limit.rlim_max
            setrlimit(resource, &limit)
        }
    }

    /// Size in bytes from which an allocation has its own pages, which return to the system when it
    /// is freed. glibc starts with 128 KiB but raises this to 32 MiB as large buffers are freed
    /// (mallopt(3)); then the blocks of files stay in the heap of the thread that held them.
    /// Setting it disables that. Replies to the kernel, of 1 MiB at most, stay below: new pages for
    /// each of them, which the kernel zeroes first, take a third of a reader's processor time.
    private static let ownPagesThreshold: Int32 = (1 << 20) + (64 << 10)
    /// Free bytes that the end of a heap keeps: some replies' worth, so that the memory of one
    /// serves the next.
    private static let keptFree: Int32 = 8 << 20
    /// Heaps that threads share, instead of eight for each processor, so that freed memory is
    /// reused by other threads.
    private static let heaps: Int32 = 2

    /// Makes the memory of large buffers return to the system as soon as they are freed.
    package static func returnLargeBuffers() {
        _ = mallopt(CLINUX_MMAP_THRESHOLD, ownPagesThreshold)
        _ = mallopt(CLINUX_TRIM_THRESHOLD, keptFree)
        _ = mallopt(CLINUX_ARENA_MAX, heaps)
    }

    /// Closes inherited descriptors beyond the first ones: the reader of an inherited pipe would
    /// wait as long as the mount lasts. Must run before any file is opened.
    package static func closeInherited(from first: Int32) {
        // Among them is that of the list itself, which is closed already.
        for name in folderNames(in: "/proc/self/fd") {
            if let number = Int32(name, radix: 10), number >= first { close(number) }
        }
    }

    /// Signals whose default is the end of the process, and which say nothing to a mount: scripts
    /// send the first ones to programs that reread their files, and a write beyond `ulimit -f`
    /// fails. SIGQUIT is not among them: it ends a process at once, and people know it does.
    private static let ignoredSignals = [SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ]

    /// Blocks the termination signals in this thread and those that it will start, so that
    /// `onTermination` receives them, and ignores those that are not for a mount. Must run before a
    /// second thread does.
    package static func holdTerminationSignals() {
        var signals = terminationSignals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        for number in ignoredSignals { signal(number, SIG_IGN) }
        // Where its backtracer is installed, Swift's runtime takes this one for a crash, and goes
        // on.
        signal(SIGQUIT, SIG_DFL)
    }

    /// Runs work of this thread which may wait long, before there is a mount, and with which a
    /// termination signal ends the process.
    package static func endingOnTermination<Value, Failure: Error>(
        _ work: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var signals = terminationSignals
        var before = sigset_t()
        pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try work()
    }

    /// Calls `body` for each SIGTERM, SIGINT and SIGHUP, on a separate thread.
    package static func onTermination(_ body: @escaping @Sendable (Int32) -> Void) {
        WorkerThread.start {
            var signals = terminationSignals
            var number: Int32 = 0
            while true {
                if sigwait(&signals, &number) == 0 { body(number) }
            }
        }
    }

    private static var terminationSignals: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT, SIGHUP] {
            sigaddset(&signals, number)
        }
        return signals
    }

    /// Resident memory of this process in bytes.
    package static var residentBytes: Int64 {
        let fields = (try? readText("/proc/self/statm"))?.split(separator: " ") ?? []
        guard fields.count > 1, let pages = Int64(fields[1], radix: 10) else { return 0 }
        return pages *| Int64(clamping: sysconf(Int32(_SC_PAGESIZE)))
    }
}
