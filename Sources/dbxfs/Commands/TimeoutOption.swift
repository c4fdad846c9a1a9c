// The option `--timeout` of commands that wait. Not responsible for the waiting.

import ArgumentParser

struct TimeoutOption: ParsableArguments {
    @Option(name: .customLong("timeout"), parsing: .unconditional, help: "Seconds to wait at most.")
    var seconds: Double?

    func validate() throws {
        try Self.validate(seconds)
    }

    /// Refuses negative and infinite numbers.
    static func validate(_ seconds: Double?) throws {
        guard seconds.map({ $0 >= 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--timeout takes a number of seconds")
        }
    }
}
