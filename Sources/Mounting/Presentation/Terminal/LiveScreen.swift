// A terminal's alternate screen, which is redrawn, and restored at the end. Not responsible for the
// contents.

import CLinux
import Glibc
import LocalIO
import Saturating

/// The alternate screen of this process's terminal.
///
/// For a process with one thread when it begins: signals are received synchronously between two
/// redraws, and another thread would receive them instead.
package struct LiveScreen {
    /// The reason why a wait ended.
    package enum Event: Sendable {
        /// The time has passed.
        case timeout
        /// The screen was resized, or the process was resumed.
        case redraw
        /// A signal, or the key `q`, asks for the end.
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

    /// Readable while one of these signals is pending; negative if there is none, and signals wait
    /// for the timeout.
    private let pending: Int32
    private let keys = TerminalKeys()

    /// Whether stdout is a terminal that can be drawn on.
    package static var isPossible: Bool {
        isatty(STDOUT_FILENO) == 1 && ProcessVariables.all["TERM"] != "dumb"
    }

    /// Switches to the alternate screen, calls `body`, and switches back.
    package static func run<Failure: Error>(
        _ body: (LiveScreen) throws(Failure) -> Void
    ) throws(Failure) {
        var signals = signals
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A write to a closed terminal fails instead.
        signal(SIGPIPE, SIG_IGN)
        let screen = LiveScreen(pending: signalfd(-1, &signals, O_CLOEXEC))
        screen.enter()
        defer {
            screen.leave()
            close(screen.pending)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        }
        try body(screen)
    }

    /// The size of the screen.
    package var size: StatusScreen.Size {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return .init(columns: 80, rows: 24) }
        return .init(columns: Int(clamping: size.ws_col), rows: Int(clamping: size.ws_row))
    }

    /// Replaces the contents; returns whether the terminal still exists.
    ///
    /// Each line overwrites the one before and clears the rest of it, which avoids flicker.
    package func draw(_ lines: [String]) -> Bool {
        let isColored = Terminal.takesColor(STDOUT_FILENO, ProcessVariables.all)
        let text = lines.map { (isColored ? Terminal.highlighted($0) : $0) + "\u{1b}[K" }
            .joined(separator: "\r\n")
        return Terminal.send("\u{1b}[H" + text + "\u{1b}[J")
    }

    /// Waits for a signal, the key `q`, or for so many seconds.
    package func wait(seconds: Double) -> Event {
        let end = ContinuousClock.now.advanced(by: .seconds(clamping: seconds))
        while true {
            let milliseconds = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard milliseconds > 0 else { return .timeout }
            // A shell may have brought this process to the foreground since.
            keys.take()
            var files = [
                pollfd(fd: pending, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: keys.areReadable ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            ]
            // EINTR, by a signal outside the set, only causes another round.
            _ = poll(&files, 2, Int32(clamping: Int(clamping: milliseconds.rounded(.up))))
            if let event = receive() { return event }
            if files[1].revents != 0, keys.areReadable, keys.askForEnd() { return .end }
        }
    }

    /// The effect of a pending signal.
    private func receive() -> Event? {
        var signals = Self.signals
        var now = timespec(tv_sec: 0, tv_nsec: 0)
        switch sigtimedwait(&signals, nil, &now) {
        case SIGWINCH: return .redraw
        case SIGTSTP:
            leave()
            raise(SIGSTOP)
            enter()
            return .redraw
        case SIGINT, SIGTERM, SIGHUP, SIGQUIT: return .end
        default: return nil
        }
    }

    // xterm's modes: 1049 is the alternate screen, 25 the cursor, 7 the line wrap.
    private func enter() {
        keys.take()
        _ = Terminal.send("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[H\u{1b}[J")
    }

    private func leave() {
        _ = Terminal.send("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
        keys.release()
    }
}
