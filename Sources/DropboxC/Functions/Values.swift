// The functions of dropbox.h for memory, errors, queues and cancelling.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CDropbox
import CLibrary

/// Returns the version of the interface.
@c @implementation
public func dropbox_abi() -> Int32 { DROPBOX_ABI }

/// Frees a string or bytes.
@c @implementation
public func dropbox_free(_ memory: UnsafeMutableRawPointer?) {
    free(memory)
}

/// Frees an error with its strings.
@c @implementation
public func dropbox_error_free(_ error: UnsafeMutablePointer<dropbox_error>?) {
    free(error)
}

/// Returns the name of a kind of error.
@c @implementation
public func dropbox_error_kind_name(_ kind: Int32) -> UnsafePointer<CChar>? {
    let name: StaticString =
        switch dropbox_error_kind(rawValue: UInt32(clamping: kind)) {
        case DROPBOX_ERROR_ROUTE: "route"
        case DROPBOX_ERROR_INTERNAL_SERVER: "internal_server"
        case DROPBOX_ERROR_BAD_INPUT: "bad_input"
        case DROPBOX_ERROR_RATE_LIMITED: "rate_limited"
        case DROPBOX_ERROR_AUTH: "auth"
        case DROPBOX_ERROR_ACCESS: "access"
        case DROPBOX_ERROR_PATH_ROOT: "path_root"
        case DROPBOX_ERROR_HTTP: "http"
        case DROPBOX_ERROR_SERIALIZATION: "serialization"
        case DROPBOX_ERROR_RESPONSE: "response"
        case DROPBOX_ERROR_NETWORK: "network"
        case DROPBOX_ERROR_TOKEN: "token"
        case DROPBOX_ERROR_CANCELLED: "cancelled"
        case DROPBOX_ERROR_INVALID_ARGUMENT: "invalid_argument"
        case DROPBOX_ERROR_LOCAL_FILE: "local_file"
        case DROPBOX_ERROR_TARGET_EXISTS: "target_exists"
        case DROPBOX_ERROR_UNCERTAIN: "uncertain"
        case DROPBOX_ERROR_DAMAGED: "damaged"
        case DROPBOX_ERROR_LOGIN: "login"
        case DROPBOX_ERROR_STORE: "store"
        default: "other"
        }
    return UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Makes an object that ends operations.
@c @implementation
public func dropbox_cancel_new() -> OpaquePointer? { Handle.make(Canceller()) }

/// Ends the operations of an object.
@c @implementation
public func dropbox_cancel_now(_ cancel: OpaquePointer?) {
    Handle.object(cancel, Canceller.self)?.cancel()
}

/// Gives the object up.
@c @implementation
public func dropbox_cancel_free(_ cancel: OpaquePointer?) {
    Handle.release(cancel)
}

/// Makes a queue for a thread of the program.
@c @implementation
public func dropbox_queue_new() -> OpaquePointer? { CallerQueue().map { Handle.make($0) } }

/// Returns the descriptor that is readable while callbacks wait.
@c @implementation
public func dropbox_queue_fd(_ queue: OpaquePointer?) -> Int32 {
    Handle.object(queue, CallerQueue.self)?.descriptor ?? -1
}

/// Calls the callbacks that wait.
@c @implementation
public func dropbox_queue_run(_ queue: OpaquePointer?, _ timeout_ms: Int32) -> Int32 {
    Int32(clamping: Handle.object(queue, CallerQueue.self)?.run(milliseconds: timeout_ms) ?? 0)
}

/// Gives the queue up, with its callbacks.
@c @implementation
public func dropbox_queue_free(_ queue: OpaquePointer?) {
    Handle.object(queue, CallerQueue.self)?.close()
    Handle.release(queue)
}
