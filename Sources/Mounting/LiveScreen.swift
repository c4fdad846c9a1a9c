// A terminal's other screen, drawn over and over, and what was there before once it is over. What is drawn
// is not decided here.

import Glibc

/// The screen of this process's terminal.
///
/// For one thread, which must be the process's only one when it begins: signals are taken as they come
/// between two drawings, and any other thread would have them.
public struct LiveScreen {
    /// What ended a wait.
    public enum Event: Sendable {
        /// The time is up.
        case timeout
        /// The screen has another size, or is this process's again.
        case redraw
        /// Somebody asked for the end.
        case end
    }

    private static let signals: sigset_t = {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH] {
            sigaddset(&signals, number)
        }
        return signals
    }()

    /// Whether stdout is a terminal that can be drawn on.
    public static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && Environment.variables["TERM"] != "dumb"
    }

    /// Takes the screen, calls `body`, and puts back what was there.
    public static func run<Failure: Error>(
        _ body: (LiveScreen) throws(Failure) -> Void
    ) throws(Failure) {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A terminal that is gone says so when it is written to.
        signal(SIGPIPE, SIG_IGN)
        enter()
        defer {
            leave()
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        }
        try body(LiveScreen())
    }

    /// How much fits on it now.
    public var size: StatusScreen.Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return .init(columns: 80, rows: 24) }
        return .init(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Replaces what is on it; returns whether it is still there.
    ///
    /// Each line is written over the one before and the rest of it cleared, so nothing flickers.
    public func draw(_ lines: [String]) -> Bool {
        let text = lines.map { $0 + "\u{1b}[K" }.joined(separator: "\r\n")
        return Terminal.send("\u{1b}[H" + text + "\u{1b}[J")
    }

    /// Waits until something happens, or for so many seconds.
    public func wait(seconds: Double) -> Event {
        var signals = Self.signals
        var limit = timespec(
            tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        switch sigtimedwait(&signals, nil, &limit) {
        case SIGWINCH: return .redraw
        case SIGTSTP:
            Self.leave()
            raise(SIGSTOP)
            Self.enter()
            return .redraw
        case SIGINT, SIGTERM, SIGHUP, SIGQUIT: return .end
        // EINTR, by a signal that is not waited for, is no more than an early look.
        default: return .timeout
        }
    }

    // xterm's names: 1049 is the other screen, 25 the cursor, 7 lines that go on in the next one.
    private static func enter() {
        _ = Terminal.send("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H\u{1b}[J")
    }

    private static func leave() {
        _ = Terminal.send("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
    }
}
