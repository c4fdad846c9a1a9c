// The messages of Dropbox's plug-ins for file managers, as text: a command, its arguments, and the
// reply. Pure. The sockets are `PluginServer`'s, the commands `PluginCommand`'s. docs/desktop.md
// describes the protocol.

import Saturating

/// A request of a plug-in.
struct PluginRequest: Hashable, Sendable {
    /// Lines of arguments; the plug-ins themselves end a connection that sends more.
    static let mostArguments = 20

    /// Name of the command.
    var name: String
    /// The values of each argument.
    var arguments: [String: [String]] = [:]

    /// The first value of an argument.
    func first(_ name: String) -> String? { arguments[name]?.first }
}

/// Collects the lines of a request.
struct PluginRequestReader {
    private var request: PluginRequest?
    private var count = 0

    /// The effect of a line.
    enum Step: Hashable {
        /// More lines belong to the request.
        case incomplete
        /// The request is complete.
        case complete(PluginRequest)
        /// It is no request of a plug-in.
        case invalid
    }

    /// Takes the next line, without its end.
    mutating func take(_ line: [UInt8]) -> Step {
        guard let text = String(validating: line, as: UTF8.self) else { return .invalid }
        guard var request else {
            guard !text.isEmpty, text != "done" else { return .invalid }
            request = PluginRequest(name: PluginText.unescaped(text))
            return .incomplete
        }
        if text == "done" {
            self.request = nil
            count = 0
            return .complete(request)
        }
        count +|= 1
        // Thunar's plug-in sends an empty line behind the verb of its menu.
        if text.isEmpty && count <= PluginRequest.mostArguments { return .incomplete }
        // By bytes: a tab and a combining mark are one `Character`.
        let fields = text.utf8.split(
            separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false
        )
        .map { PluginText.unescaped(String(Substring($0))) }
        guard count <= PluginRequest.mostArguments, fields.count > 1 else { return .invalid }
        request.arguments[fields[0]] = Array(fields.dropFirst())
        self.request = request
        return .incomplete
    }
}

/// The reply to a plug-in.
enum PluginReply: Hashable, Sendable {
    /// The command was carried out; the results by their names.
    case done([String: [String]])
    /// It was not, for this reason.
    case refused(String)

    /// The reply as text.
    var text: String {
        switch self {
        case .done(let results):
            let lines = results.sorted { $0.key < $1.key }.map { name, values in
                ([name] + values).map(PluginText.escaped).joined(separator: "\t") + "\n"
            }
            return "ok\n" + lines.joined() + "done\n"
        case .refused(let reason):
            return "notok\n" + PluginText.escaped(reason) + "\ndone\n"
        }
    }
}

/// How texts are written in messages.
enum PluginText {
    /// Writes a tab, a line end and a backslash as C does.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Reads what `escaped` has written. Other backslashes stay: the `dropbox` command sends paths
    /// as they are.
    static func unescaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var scalars = text.unicodeScalars[...]
        while let scalar = scalars.popFirst() {
            guard scalar == "\\", let next = scalars.first else {
                result.append(scalar)
                continue
            }
            switch next {
            case "\\": result.append("\\")
            case "n": result.append("\n")
            case "t": result.append("\t")
            default:
                result.append(scalar)
                continue
            }
            scalars.removeFirst()
        }
        return String(result)
    }

    /// A part of a menu's entry: the plug-ins read hexadecimal codes behind a percent sign.
    static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "~"), UInt8(ascii: "|"), 0x00...0x1F, 0x7F:
                let digits = String(byte, radix: 16)
                result += "%" + (digits.utf8.count < 2 ? "0" : "") + digits
            default: result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }
}
