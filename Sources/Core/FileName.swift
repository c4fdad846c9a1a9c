// A validated file name. Swift compares strings by canonical equivalence, under which "é" and "e" +
// U+0301 are equal; a filesystem must distinguish them, so names compare by their bytes. Not
// responsible for the choice of a name for the server (`Alias`).

/// One component of a path: valid UTF-8 of 1 to 255 bytes without `/` and NUL, not `.` or `..`.
///
/// Users may see it under other bytes, its own name: then it is an alias, under which the server
/// files what it could not file under these.
package struct FileName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Longest name in bytes, as on other Linux filesystems (`NAME_MAX`).
    package static let maximumByteCount = 255

    /// The name as the server has it, or is to have it.
    package let string: String

    /// The server's key of the name, if it differs from the predicted one.
    package let key: String?

    /// The name that users see, if it is another one.
    package let own: OwnName?

    /// Validates a name.
    ///
    /// Throws `Invalid` with the rule that the text violates.
    package init(_ string: String) throws(Invalid) {
        try Self.validate(string)
        self.string = string
        key = nil
        own = nil
    }

    /// Validates a name with the server's key, nil for the predicted one, and the name that users
    /// see.
    package init(_ string: String, key: String?, own: OwnName? = nil) throws(Invalid) {
        try Self.validate(string)
        self.string = string
        self.key = key.flatMap { $0.utf8.elementsEqual(Folding.fold(string).utf8) ? nil : $0 }
        self.own = own.flatMap { $0.bytes.elementsEqual(string.utf8) ? nil : $0 }
    }

    private static func validate(_ string: String) throws(Invalid) {
        try validate(string.utf8)
    }

    /// Validates bytes that need not be UTF-8.
    static func validate(_ bytes: some Collection<UInt8>) throws(Invalid) {
        let dot = UInt8(ascii: ".")
        if bytes.isEmpty || bytes.count <= 2 && bytes.allSatisfy({ $0 == dot }) { throw .reserved }
        if bytes.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
            throw .forbiddenCharacter
        }
        if bytes.count > maximumByteCount { throw .tooLong }
    }

    /// Validates the bytes of a name from a server or a command.
    package init(utf8 bytes: some Collection<UInt8>) throws(Invalid) {
        guard let string = String(validating: bytes, as: UTF8.self) else {
            throw .notUTF8
        }
        try self.init(string)
    }

    /// The rule that a refused name violates.
    package enum Invalid: Error, Hashable, Sendable {
        /// The name is empty, `.` or `..`.
        case reserved
        /// The name contains `/` or NUL.
        case forbiddenCharacter
        /// The name has more than 255 bytes.
        case tooLong
        /// The name is not valid UTF-8, which Dropbox cannot store.
        case notUTF8
    }

    // MARK: What users see

    /// Validates the bytes of a name from the kernel. Bytes that are no UTF-8 are an own name.
    package init(shown bytes: [UInt8]) throws(Invalid) {
        if let string = String(validating: bytes, as: UTF8.self) {
            try self.init(string)
        } else {
            let own = try OwnName(bytes)
            try self.init(Alias(of: own.bytes).name(marked: .name, number: 1), key: nil, own: own)
        }
    }

    /// The bytes that users see.
    package var shown: [UInt8] { own?.bytes ?? Array(string.utf8) }

    /// The name that users see, for people; bytes that are no UTF-8 are replaced.
    package var text: String { own.map { String(decoding: $0.bytes, as: UTF8.self) } ?? string }

    /// Whether users see both names as one.
    package func isShown(as other: FileName) -> Bool {
        if own == nil, other.own == nil { return string.utf8.elementsEqual(other.string.utf8) }
        return shown == other.shown
    }

    /// The name that users gave, if the server has other bytes: those of an alias, or a name
    /// composed otherwise.
    package var unstored: OwnName? {
        if let own { return own.isGiven ? own : nil }
        if isASCII || Folding.compose(string).utf8.elementsEqual(string.utf8) { return nil }
        return try? OwnName(Array(string.utf8))
    }

    /// The same name on the server, composed as other bytes are; nil if they are another name.
    package func composed(as other: OwnName) -> FileName? {
        // String equality is canonical equivalence.
        guard let text = String(validating: other.bytes, as: UTF8.self), text == string else {
            return nil
        }
        return try? FileName(text, key: key)
    }

    /// Whether the bytes that users see are UTF-8.
    package var isUTF8: Bool {
        own.map { String(validating: $0.bytes, as: UTF8.self) != nil } ?? true
    }

    /// The same name on the server, shown under an own name, or as it is.
    package func shown(as own: OwnName?) throws(Invalid) -> FileName {
        try FileName(string, key: key, own: own)
    }

    /// The key under which Dropbox files this name: names with equal keys collide there.
    ///
    /// The server's `path_lower` is authoritative. If it is unknown, the key is predicted, because
    /// Dropbox's folding is not documented: NFC, then the lower-case mapping of each scalar, comes
    /// closest to it.
    package var folded: String {
        key ?? Folding.fold(string)
    }

    /// Whether the name is pure ASCII, whose folding is known.
    package var isASCII: Bool {
        string.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Compares bytes, not canonical equivalence.
    package static func == (left: FileName, right: FileName) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8) && left.own == right.own
    }

    /// Hashes the name's bytes.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(bytesOf: string)
    }

    /// Compares in byte order.
    package static func < (left: FileName, right: FileName) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// The name's text, for logs.
    package var description: String { string }
}

/// The bytes under which users see a node that the server files under another name.
package struct OwnName: Hashable, Sendable {
    /// The bytes, which need not be UTF-8.
    package let bytes: [UInt8]
    /// Whether a user has given the name. Else it was made here, for a node whose name on the
    /// server a user of this mount has given to another one.
    package let isGiven: Bool

    /// Validates bytes as those of a name.
    package init(_ bytes: [UInt8], isGiven: Bool = true) throws(FileName.Invalid) {
        try FileName.validate(bytes)
        self.bytes = bytes
        self.isGiven = isGiven
    }
}

extension Hasher {
    /// Hashes a text's bytes in one call: byte by byte it costs ten times as much.
    package mutating func combine(bytesOf text: String) {
        var text = text
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
