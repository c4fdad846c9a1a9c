// The option `--timeout` of commands that wait, and the time that several waits share. Not
// responsible for the waiting.

import ArgumentParser

struct TimeoutOption: ParsableArguments {
    @Option(name: .customLong("timeout"), parsing: .unconditional, help: "Seconds to wait at most.")
    var seconds: Double?

    /// Refuses negative and infinite numbers.
    func validate() throws {
        guard seconds.map({ $0 >= 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--timeout takes a number of seconds")
        }
    }
}

/// The end of the time that a command may wait, often for several things one after another.
struct Deadline {
    private let start = ContinuousClock.now
    /// Seconds from the start; nil for no end.
    private let seconds: Double?

    /// Creates the end of a timeout that begins now.
    init(after seconds: Double?) {
        self.seconds = seconds
    }

    /// The seconds that are left, 0 once it is over; nil without an end.
    var secondsLeft: Double? {
        let spent = start.duration(to: .now) / .seconds(1)
        return seconds.map { Double.maximum($0 - spent, 0) }
    }
}
