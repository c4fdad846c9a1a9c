// What was written, and what was knowingly replaced or removed: by this it is decided in the end whether anything is
// lost. Not responsible for where things are.

/// The tokens of a history. Each write adds one of its own to a file, so that a token stands for a write.
final class Ledger {
    private var acknowledged: Set<String> = []
    private var given: Set<String> = []
    private var count = 0

    /// A new token.
    func issue(_ actor: String) -> String {
        count += 1
        return "\(actor)\(count);"
    }

    /// The writer of a token was told that it is stored.
    func acknowledge(_ token: String) { acknowledged.insert(token) }

    /// Somebody who saw a text removed it, or wrote something else in its place.
    func give(up text: String) { given.formUnion(Self.tokens(text)) }

    /// What is in no text, although nobody has given it up.
    func lost(from texts: [String]) -> [String] {
        let found = Set(texts.flatMap(Self.tokens))
        return acknowledged.subtracting(given).subtracting(found).sorted()
    }

    /// Number of tokens that were acknowledged.
    var total: Int { acknowledged.count }

    /// The tokens of a text.
    static func tokens(_ text: String) -> Set<String> {
        Set(text.split(separator: ";").map { $0 + ";" })
    }
}
