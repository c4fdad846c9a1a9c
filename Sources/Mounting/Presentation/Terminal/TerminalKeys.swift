// Keys from a terminal one by one, without Enter and without their echo, while a screen is shown.
// Those that make signals, such as Ctrl-C, still do.

import Glibc

/// The keys of the terminal on stdin.
final class TerminalKeys {
    /// The terminal's settings of before; nil while keys are not taken.
    private var before: termios?

    /// Whether stdin is a terminal in whose foreground this process is. The kernel stops others
    /// that read from it or set it.
    private static var isInForeground: Bool { tcgetpgrp(STDIN_FILENO) == getpgrp() }

    /// Whether keys arrive here now.
    var areReadable: Bool { before != nil && Self.isInForeground }

    /// Takes keys from now on, if there are any to have.
    func take() {
        var settings = termios()
        guard before == nil, Self.isInForeground, tcgetattr(STDIN_FILENO, &settings) == 0 else {
            return
        }
        let found = settings
        settings.c_lflag &= ~tcflag_t(bitPattern: ICANON | ECHO)
        if tcsetattr(STDIN_FILENO, TCSANOW, &settings) == 0 { before = found }
    }

    /// Gives the terminal back as it was.
    func release() {
        guard var settings = before else { return }
        before = nil
        if Self.isInForeground { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
    }

    /// Whether `q` is among the keys that have arrived. The end of the terminal counts as one.
    func askForEnd() -> Bool {
        var keys = [UInt8](repeating: 0, count: 64)
        let count = read(STDIN_FILENO, &keys, keys.count)
        guard count > 0 else { return count == 0 || errno == EIO }
        return keys.prefix(count).contains(UInt8(ascii: "q"))
    }
}
