// Handlers of the errors of all requests.

public import Foundation
import Synchronization

/// Tells the errors of all requests, besides their own handlers.
public final class GlobalErrorResponseHandler: Sendable {
    // Sendable: it is an app's closure, which is called on the queue that the app named.
    /// A handler with its queue.
    private struct Handler: @unchecked Sendable {
        let call: (CallError<Any>) -> Void
        let queue: OperationQueue
    }

    /// The one of the process.
    public static let shared = GlobalErrorResponseHandler()

    /// Held for an access only.
    private let handlers = Mutex<[String: Handler]>([:])

    init() {}

    func reportGlobalError(_ error: CallError<Any>) {
        let handlers = handlers.withLock { $0 }
        for handler in handlers.values {
            handler.queue.addOperation { handler.call(error) }
        }
    }

    /// Adds a handler, which is called on a queue, and returns its key.
    @discardableResult
    public func registerGlobalErrorHandler(
        _ callback: @escaping (CallError<Any>) -> Void, queue: OperationQueue = .main
    ) -> String {
        let key = UUID().uuidString
        let handler = Handler(call: callback, queue: queue)
        handlers.withLock { $0[key] = handler }
        return key
    }

    /// Removes the handler that has this key.
    public func deregisterGlobalErrorHandler(key: String) {
        handlers.withLock { $0[key] = nil }
    }

    /// Removes the handlers of all keys.
    public func deregisterAllGlobalErrorHandlers() {
        handlers.withLock { $0 = [:] }
    }
}
