// Time, from outside: tests drive it by hand.

public import Core

/// A clock that can be waited on.
public protocol SyncClock: Sendable {
    /// The time now.
    func now() -> Timestamp
    /// Waits until a time, or until the task is cancelled.
    func sleep(until time: Timestamp) async throws(CancellationError)
}

/// The machine's clock.
public struct SystemClock: SyncClock {
    /// Makes one.
    public init() {}

    /// The machine's time.
    public func now() -> Timestamp { .now() }

    /// Waits on the machine's clock.
    public func sleep(until time: Timestamp) async throws(CancellationError) {
        let rest = time.nanoseconds - Timestamp.now().nanoseconds
        do {
            try await Task.sleep(nanoseconds: UInt64(max(0, rest)))
        } catch {
            throw CancellationError()
        }
    }
}
