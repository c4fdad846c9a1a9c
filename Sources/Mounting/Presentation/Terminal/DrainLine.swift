// The line of `dbxfs sync` and `unmount` on a terminal. The terminal itself is in `Terminal.swift`.

import Saturating

/// The progress of a wait for the queue. The total grows with changes that are made during the
/// wait.
package struct DrainLine {
    /// Bytes that were sent since the wait began.
    private var done: Int64 = 0
    /// Bytes that were to be sent at the last report.
    private var rest: Int64?

    /// Begins with the first report.
    package init() {}

    /// The line for the next report. The mountpoint comes last, because the end of a line may be
    /// cut off.
    package mutating func text(_ backlog: Backlog, _ mountpoint: String) -> String {
        let missing = backlog.missingBytes
        if let rest { done +|= max(0, rest -| missing) }
        rest = missing
        let total = done +| missing
        let share =
            total > 0
            ? "\(Terminal.bar(done, of: total)) \(MountStatus.percent(done, of: total)) %  " : ""
        return "\(share)\(backlog.summary)  \(mountpoint)"
    }
}
