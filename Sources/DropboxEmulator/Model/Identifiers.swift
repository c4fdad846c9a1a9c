// The texts of ids (`id:…`) and revs. Both encode table indexes, so that resolving one needs no
// lookup table.

extension AccountTree {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Mixed into ids so that those of different trees differ.
    private var idSalt: UInt64 {
        (UInt64(namespace) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The `id:` of an entry: 22 characters, constant during its life.
    func idText(_ node: NodeID) -> String {
        var text = Array("id:".utf8)
        for word in [idSalt, UInt64(node.index)] {
            for shift in stride(from: 60, through: 0, by: -6) {
                text.append(Self.alphabet[Int(word >> UInt64(shift) & 63)])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The entry, living or deleted, of an `id:`; nil for a foreign one.
    func node(id: String) -> NodeID? {
        let text = Array(id.utf8)
        guard text.count == 25, id.hasPrefix("id:") else { return nil }
        var words: [UInt64] = []
        for start in [3, 14] {
            var word: UInt64 = 0
            for byte in text[start..<start + 11] {
                guard let digit = Self.alphabet.firstIndex(of: byte) else { return nil }
                word = word << 6 | UInt64(digit)
            }
            words.append(word)
        }
        guard words[0] == idSalt, words[1] < UInt64(nodes.count), words[1] > 0 else { return nil }
        return NodeID(index: Int32(words[1]))
    }

    /// The rev of a revision: 17 hexadecimal digits, rising within a tree.
    func revText(_ revision: RevisionID) -> String {
        Self.hex(UInt64(revision.index) + 0x10_0000, 9) + Self.hex(UInt64(namespace), 8)
    }

    /// The revision of a rev; nil for a foreign one, and in a shared folder that is not mounted.
    func revision(rev: String) -> RevisionID? {
        guard rev.utf8.count == 17, rev.hasSuffix(Self.hex(UInt64(namespace), 8)),
            let number = UInt64(rev.prefix(9), radix: 16), number >= 0x10_0000,
            number - 0x10_0000 < UInt64(revisions.count)
        else { return nil }
        let revision = RevisionID(index: Int32(number - 0x10_0000))
        return isUnmounted(self[revision].file) ? nil : revision
    }

    private static func hex(_ number: UInt64, _ width: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: width - digits.count) + digits
    }
}
