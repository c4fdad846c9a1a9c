// Callbacks that wait for a thread of the program. A pipe has a byte while there are some, so that
// a main loop can wait for them beside its other descriptors.

import CLibrary
import Saturating
import Synchronization

/// The object behind a `dropbox_queue` of dropbox.h.
final class CallerQueue: CallbackPlace {
    private struct State {
        var waiting: [Callback] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// Readable while callbacks wait.
    let descriptor: Int32
    private let signal: Int32

    /// Nil without a descriptor left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, signal) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(signal)
    }

    func post(_ callback: Callback) {
        let isTaken = state.withLock { state in
            guard !state.isClosed else { return false }
            if state.waiting.isEmpty {
                var byte: UInt8 = 1
                _ = write(signal, &byte, 1)
            }
            state.waiting.append(callback)
            return true
        }
        if !isTaken { callback.drop() }
    }

    /// Runs the callbacks that wait, one after the other; waits for a first one.
    func run(milliseconds: Int32) -> Int {
        var ran = 0
        var callbacks = takeAll()
        if callbacks.isEmpty {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&entry, 1, max(milliseconds, -1))
            callbacks = takeAll()
        }
        for callback in callbacks {
            // A callback may have freed the queue.
            guard !state.withLock({ $0.isClosed }) else {
                callback.drop()
                continue
            }
            callback.run()
            ran +|= 1
        }
        return ran
    }

    private func takeAll() -> [Callback] {
        state.withLock { state in
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) > 0 {}
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Drops all callbacks, now and later.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for callback in dropped { callback.drop() }
    }

    private func close(_ descriptor: Int32) {
        _ = CLibrary.close(descriptor)
    }
}
