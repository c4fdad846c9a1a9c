// A lock that ThreadSanitizer sees, for the copy of the sources that `Scripts/thread-sanitizer`
// builds. Not part of any target: Synchronization's Mutex waits in the kernel by itself, inside a
// library that is not instrumented, so that to ThreadSanitizer all that it guards looks unguarded.
// A declaration of a module's own goes before an imported one of the same name.

import Glibc

// Unchecked because of the raw pointers: the value is touched with the lock held only.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ initial: consuming sending Value) {
        pthread_mutex_init(lock, nil)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
