// Making text safe for a terminal, because names of files come from other people and may contain
// control sequences. Also the width of text, and numbers for people. Writes nothing.

import Foundation
import Saturating

extension Terminal {
    /// A text of one line without characters that control a terminal or reorder text.
    ///
    /// Control characters become `\n`, `\t`, `\r` or `\u{1b}`, as do line separators and the
    /// characters that change the writing direction, by which one name can imitate another. The
    /// result is for reading and cannot be reversed: scripts have `--json`.
    package static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) { return text }
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isCommand(scalar) {
                shown.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// The same for a text of several lines.
    static func printableLines(_ text: String) -> String {
        text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { printable(String($0)) }.joined(separator: "\n")
    }

    /// One line of JSON, with an unchanged meaning for parsers and harmless for a terminal:
    /// `JSONEncoder` does not escape the control characters above ASCII.
    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var line = String.UnicodeScalarView()
        for scalar in String(decoding: try encoder.encode(value), as: UTF8.self).unicodeScalars {
            if isCommand(scalar) {
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", clamping: 4 -| digits.utf8.count)
                line.append(contentsOf: ("\\u" + zeros + digits).unicodeScalars)
            } else {
                line.append(scalar)
            }
        }
        return String(line)
    }

    /// Whether a terminal interprets a character instead of showing it. All are below U+10000.
    private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20...0x7e: false
        case 0x61c, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: true
            default: false
            }
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }
}

// MARK: Width

extension Terminal {
    /// The beginning of a text that fits into so many columns, with `…` if it was cut.
    static func cut(_ text: String, to columns: Int) -> String {
        if text.utf8.count <= columns { return text }
        var used = 0
        // Where the text is cut if it does not fit.
        var end = text.startIndex
        for index in text.indices {
            if used < columns { end = index }
            used +|= width(of: text[index])
            if used > columns { return columns > 0 ? text[..<end] + "…" : "" }
        }
        return text
    }

    /// Columns that a text takes.
    static func width(of text: String) -> Int {
        text.reduce(0) { $0 +| width(of: $1) }
    }

    /// Columns that a character takes: two for East Asian ones and emoji, as in terminals.
    private static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first, !scalar.isASCII else { return 1 }
        switch scalar.properties.generalCategory {
        // A mark without a base character.
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let isWide = wide.contains { $0.contains(scalar.value) }
        return isWide || scalar.properties.isEmojiPresentation ? 2 : 1
    }

    /// The wide and fullwidth blocks of Unicode's EastAsianWidth.txt, which Swift does not have.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
        0xa000...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
        0xff01...0xff60, 0xffe0...0xffe6, 0x17000...0x18d08, 0x1b000...0x1b2fb, 0x20000...0x3fffd,
    ]
}

// MARK: Numbers

extension Terminal {
    /// Bytes for people: `0 B`, `17.3 MiB`.
    package static func size(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count -| 1 {
            value /= 1024
            unit +|= 1
        }
        guard unit > 0 else { return "\(bytes) B" }
        let tenths = Int64(clamping: (value * 10.0).rounded())
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }

    /// A number with its noun: `1 change`, `2 changes`.
    package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number) \(number == 1 ? one : many ?? one + "s")"
    }

    /// A queue in words, with its rate and the time left if they are known.
    static func queue(
        _ operations: Int, _ bytes: Int64, rate: Int64?, secondsLeft: Double?
    ) -> String {
        let speed = rate.map { " at \(size($0))/s" } ?? ""
        let left = secondsLeft.map { ", \(duration($0)) left" } ?? ""
        return "\(count(operations, "change")), \(size(bytes)) to send\(speed)\(left)"
    }

    /// A share as a bar: `[######..................]`.
    package static func bar(_ part: Int64, of whole: Int64) -> String {
        let width = 24
        let share = whole > 0 ? min(max(Double(part) / Double(whole), 0), 1) : 1
        let filled = Int(clamping: Double(width) * share)
        return "[" + String(repeating: "#", count: filled)
            + String(repeating: ".", clamping: width -| filled) + "]"
    }
}
