// Color of the words that users should see first. Text for files and pipes has none.

import Glibc
import LocalIO

extension Terminal {
    /// Whether a stream is a terminal that takes color, and the user has not refused it
    /// (https://no-color.org).
    static func takesColor(_ descriptor: Int32, _ variables: [String: String]) -> Bool {
        isatty(descriptor) == 1 && variables["TERM"] != "dumb"
            && variables["NO_COLOR", default: ""].isEmpty
    }

    /// The first words of rows, and the codes of their colors (ECMA-48, SGR): red, yellow, green.
    private static let colors = [
        "problem": 31, "to do": 33, "conflicts": 33, "warning": 33, "ok": 32,
    ]

    /// A line with its first word in color, if that is one of the words above.
    static func highlighted(_ line: String) -> String {
        let indentation = line.prefix { $0 == " " }
        let rest = line.dropFirst(indentation.count)
        for (word, code) in colors where rest.hasPrefix(word) {
            let tail = rest.dropFirst(word.count)
            guard tail.first == " " else { continue }
            return "\(indentation)\u{1b}[\(code)m\(word)\u{1b}[0m\(tail)"
        }
        return line
    }

    /// Prints a report of rows, with color where the terminal takes it. Control characters in it
    /// are shown instead of sent.
    package static func printReport(_ text: String) {
        guard takesColor(STDOUT_FILENO, ProcessVariables.all) else { return print(text) }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        _ = send(lines.map { highlighted(printable(String($0))) + "\n" }.joined())
    }
}
