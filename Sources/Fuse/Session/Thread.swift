// Dedicated threads for blocking work: the session's loop and its end, the notifier. Swift's
// cooperative pool has as many threads as the machine has cores, and must never wait for the
// kernel.

import CFuse
import Glibc

/// Starts a detached thread with signals blocked, so that they reach the threads that handle them.
///
/// The name, at most 15 bytes, is what `ps -L` shows.
func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let result = pthread_create(&thread, &attributes, runThread, start.toOpaque())
    // Fails only at the limit of threads, and then no part of the mount works.
    precondition(result == 0, "pthread_create failed: \(result)")
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    var blocked = sigset_t()
    sigfillset(&blocked)
    // A thread's own faults must still end in a crash report; the last signal wakes the loop.
    for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, cfuse_wake_signal()] {
        sigdelset(&blocked, signal)
    }
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    cfuse_name_thread(start.name)
    start.body()
    return nil
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: StaticString, body: @escaping @Sendable () -> Void) {
        self.name = name.description
        self.body = body
    }
}
