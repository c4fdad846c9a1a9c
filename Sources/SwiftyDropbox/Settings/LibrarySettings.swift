// Settings of the process, which several parts read. Apps set them by DropboxClientsManager and
// DropboxTransportClientImpl.

import Dispatch
import Synchronization

/// Settings of the process.
enum LibrarySettings {
    private struct State: Sendable {
        var logging: LoggingClosure?
        var queue = DispatchQueue.main
        var readsInBackground = true
    }

    /// Held for an access only.
    private static let state = Mutex(State())

    /// Takes the library's messages.
    static var loggingClosure: LoggingClosure? {
        get { state.withLock { $0 }.logging }
        set { state.withLock { $0.logging = newValue } }
    }

    /// Where handlers are called that name no queue.
    static var responseQueue: DispatchQueue {
        get { state.withLock(\.queue) }
        set { state.withLock { $0.queue = newValue } }
    }

    /// Whether answers are read off the queue of the handler.
    static var readsInBackground: Bool {
        get { state.withLock(\.readsInBackground) }
        set { state.withLock { $0.readsInBackground = newValue } }
    }
}
