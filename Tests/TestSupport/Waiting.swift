// Waiting for other tasks of the process. Tests wait for events that they can see, never for a
// time.

/// The end of a wait that only a hang reaches.
public struct StillWaiting: Error, CustomStringConvertible {
    /// The file and line of the wait.
    public let description: String
}

/// Waits as long as a condition holds; other tasks end it. Throws after the limit, which is longer
/// than any machine needs.
public func waitWhile(
    limit: Duration = .seconds(300), file: String = #fileID, line: Int = #line,
    _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + limit
    while try await condition() {
        guard ContinuousClock.now < end else {
            throw StillWaiting(description: "still waiting at \(file):\(line)")
        }
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Waits until the task is cancelled.
public func waitForCancellation() async {
    let (never, held) = AsyncStream.makeStream(of: Void.self)
    // The stream ends with its task, or with its continuation, which this holds until then.
    for await _ in never {}
    held.finish()
}
