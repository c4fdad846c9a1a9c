// The command queue of the thread that owns libcurl.

import CCurl
import Synchronization

/// A command to the curl thread.
enum CurlCommand: Sendable {
    case start(id: UInt64, TransportRequest, Exchange, submitted: ContinuousClock.Instant)
    /// The reader drained its buffer: receive again.
    case resume(id: UInt64)
    /// The caller was cancelled or dropped the response.
    case cancel(id: UInt64)
    case limitBandwidth(up: UInt64?, down: UInt64?)
    /// The machine has other addresses now, these, or has slept.
    case networkChanged(addresses: Set<String>)
    case stop
}

// Unchecked because of the raw pointer. `multi` is used by the curl thread alone, except for
// curl_multi_wakeup, which libcurl allows from any thread while the handle lives; it lives as long
// as this object, which the curl thread holds while it runs.
/// The commands for a curl thread, and its libcurl multi handle.
final class Inbox: @unchecked Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        var isClosed = false
        var stopWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let multi: UnsafeMutableRawPointer
    /// Held for a few instructions; never while libcurl is called.
    private let state = Mutex(State())

    /// Nil when libcurl cannot allocate.
    init?() {
        guard CurlGlobals.isUsable, let multi = curl_multi_init() else { return nil }
        self.multi = multi
    }

    deinit {
        curl_multi_cleanup(multi)
    }

    /// Adds a command and wakes the thread; false when the thread has stopped.
    @discardableResult
    func post(_ command: CurlCommand) -> Bool {
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            return true
        }
        if isOpen {
            curl_multi_wakeup(multi)
        }
        return isOpen
    }

    /// Removes and returns all queued commands, in order.
    func take() -> [CurlCommand] {
        state.withLock { state in
            let commands = state.commands
            state.commands.removeAll()
            return commands
        }
    }

    /// Refuses further commands, and returns those still queued.
    func close() -> [CurlCommand] {
        let (late, waiters) = state.withLock { state in
            state.isClosed = true
            defer {
                state.commands = []
                state.stopWaiters = []
            }
            return (state.commands, state.stopWaiters)
        }
        for waiter in waiters {
            waiter.resume()
        }
        return late
    }

    /// Waits until the thread has stopped.
    func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if !state.isClosed {
                    state.stopWaiters.append(continuation)
                }
                return state.isClosed
            }
            if isClosed {
                continuation.resume()
            }
        }
    }
}

extension Inbox: ExchangeDriver {
    func readerMadeRoom(_ id: UInt64) {
        post(.resume(id: id))
    }

    func readerLeft(_ id: UInt64) {
        post(.cancel(id: id))
    }
}

/// Process-wide initialisation of libcurl.
enum CurlGlobals {
    /// Whether libcurl could be initialised. Thread-safe, as a static constant is.
    static let isUsable = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
