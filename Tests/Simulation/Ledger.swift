// The texts that were written, and those knowingly replaced or removed: they decide in the end whether anything is
// lost. Not responsible for where things are.

/// The tokens of a history. Each write adds one of its own to a file, so that a token stands for a write.
final class Ledger {
    /// When the writer of a token was acknowledged.
    private var acknowledged: [String: Int64] = [:]
    /// Tokens that survive a power cut.
    private var safe: Set<String> = []
    /// Tokens that do so unless their files are written to.
    private var settled: Set<String> = []
    /// The text added behind a token in its file.
    private var followers: [String: Set<String>] = [:]
    /// Tokens that a power cut may have taken.
    private var uncertain: Set<String> = []
    private var given: Set<String> = []
    /// The texts that were put in the place of a token.
    private var replacements: [String: [Set<String>]] = [:]
    private var issued: Set<String> = []
    private var count = 0

    /// A new token.
    func issue(_ actor: String) -> String {
        count += 1
        let token = "\(actor)\(count);"
        issued.insert(token)
        return token
    }

    /// The write of a token was acknowledged.
    func acknowledge(_ token: String, at time: Int64) { acknowledged[token] = time }

    /// Those of these tokens whose writes were acknowledged.
    func acknowledged(_ tokens: some Sequence<String>) -> [String] {
        tokens.filter { acknowledged[$0] != nil }
    }

    /// The acknowledged ones of these tokens are on a disk.
    func secure(_ tokens: some Sequence<String>) { safe.formUnion(acknowledged(tokens)) }

    /// The tokens of one writer that were acknowledged until a time are on a disk, but without an fsync: until
    /// the bytes added to their files are there as well, no row vouches for them.
    func settle(of actor: String, until time: Int64) {
        settled.formUnion(
            acknowledged.filter { $0.key.hasPrefix(actor) && $0.value <= time }.keys)
    }

    /// A user adds a token to a text.
    func add(_ token: String, to text: Set<String>) {
        for other in text { followers[other, default: []].insert(token) }
    }

    private func isSafe(_ token: String) -> Bool {
        safe.contains(token)
            || settled.contains(token) && followers[token, default: []].allSatisfy(isSafe)
    }

    /// The power of one writer's machine is cut: no row vouches for content that is neither on its disk nor on the server.
    func cutPower(of actor: String) {
        let lost = acknowledged.keys.filter { $0.hasPrefix(actor) && !isSafe($0) }
        for token in lost { acknowledged[token] = nil }
        uncertain.formUnion(lost)
    }

    /// A user who saw a text removed it.
    func give(up text: String) { given.formUnion(Self.tokens(text)) }

    /// A user who saw a text put another one in its place: if a power cut takes that, the first one must be there.
    func give(up text: String, for other: String) {
        let others = Self.tokens(other)
        for token in Self.tokens(text) { replacements[token, default: []].append(others) }
    }

    /// The tokens that are in no text, although no user has given them up.
    func lost(from texts: [String]) -> [String] {
        let found = Set(texts.flatMap(Self.tokens))
        return acknowledged.keys.filter { !isAccounted($0, found) }.sorted()
    }

    private func isAccounted(
        _ token: String, _ found: Set<String>, after seen: Set<String> = []
    ) -> Bool {
        if found.contains(token) || given.contains(token) { return true }
        let seen = seen.union([token])
        return (replacements[token] ?? []).contains { others in
            // A user who only began to write had emptied the file before, and text that was there once has replaced
            // text that was not fsynced.
            others.allSatisfy {
                !uncertain.contains($0) || settled.contains($0) && !safe.contains(token)
            }
                || others.subtracting(seen).contains { isAccounted($0, found, after: seen) }
        }
    }

    /// The fault of a text: it may have only tokens that a user has written.
    func flaw(of text: String) -> String? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        if parts.last == "", parts.dropLast().allSatisfy({ issued.contains("\($0);") }) {
            return nil
        }
        return text.isEmpty ? nil : text.replacing("\0", with: "0")
    }

    /// Number of tokens that were acknowledged.
    var total: Int { acknowledged.count }

    /// The tokens of a text.
    static func tokens(_ text: String) -> Set<String> {
        Set(text.split(separator: ";").map { $0 + ";" })
    }
}
