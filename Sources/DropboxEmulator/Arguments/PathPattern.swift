// The path types of files.stone: the forms of path that an argument may have.

/// An alias of the specification, with the pattern that the service quotes in its error messages.
enum PathPattern: Sendable {
    case readPath
    case writePath
    case writePathOrID
    case pathROrID
    case pathOrID

    /// The regular expression of the alias.
    var text: String {
        switch self {
        case .readPath:
            #"(/(.|[\r\n])*|id:.*)|(rev:[0-9a-f]{9,})|(ns:[0-9]+(/(.|[\r\n])*)?)"#
        case .writePath: #"(/(.|[\r\n])*)|(ns:[0-9]+(/(.|[\r\n])*)?)"#
        case .writePathOrID: #"(/(.|[\r\n])*)|(ns:[0-9]+(/(.|[\r\n])*)?)|(id:.*)"#
        case .pathROrID: #"(/(.|[\r\n])*)?|id:.*|(ns:[0-9]+(/(.|[\r\n])*)?)"#
        case .pathOrID: #"/(.|[\r\n])*|id:.*|(ns:[0-9]+(/(.|[\r\n])*)?)"#
        }
    }

    /// The forms of the alias besides `/…`.
    private var forms: Set<Form> {
        switch self {
        case .readPath: [.id, .rev, .namespace]
        case .writePath: [.namespace]
        case .writePathOrID: [.namespace, .id]
        case .pathROrID: [.empty, .id, .namespace]
        case .pathOrID: [.id, .namespace]
        }
    }

    private enum Form {
        case empty, id, rev, namespace
    }

    /// Whether a text has one of the forms.
    func matches(_ path: String) -> Bool {
        if path.isEmpty { return forms.contains(.empty) }
        if path.utf8.first == UInt8(ascii: "/") { return true }
        if path.hasPrefix("id:") {
            return forms.contains(.id) && !path.contains(where: \.isNewline)
        }
        if path.hasPrefix("rev:") {
            let digits = path.utf8.dropFirst(4)
            return forms.contains(.rev) && digits.count >= 9
                && digits.allSatisfy(Self.isHexDigit)
        }
        guard path.hasPrefix("ns:"), forms.contains(.namespace) else { return false }
        let digits = path.utf8.dropFirst(3).prefix { $0 != UInt8(ascii: "/") }
        return !digits.isEmpty
            && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Whether a byte is a digit of a rev: `[0-9a-f]`.
    static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
