// The texts that were written, and those knowingly replaced or removed: they decide in the end
// whether anything is lost. Not responsible for where things are.

/// The tokens of a history. Each write adds one of its own to a file, so that a token stands for a
/// write.
final class Ledger {
    /// When the writer of a token was acknowledged.
    private var acknowledged: [String: Int64] = [:]
    /// Tokens that survive a power cut.
    private var safe: Set<String> = []
    /// Tokens that do so unless their files are written to.
    private var settled: Set<String> = []
    /// Tokens that were replaced before their files were flushed.
    private var replacedEarly: Set<String> = []
    /// The text added behind a token in its file.
    private var followers: [String: Set<String>] = [:]
    /// Tokens that a power cut may have taken.
    private var uncertain: Set<String> = []
    private var given: Set<String> = []
    /// The texts that were put in the place of a token.
    private var replacements: [String: [Set<String>]] = [:]
    /// Those that the server did not have yet.
    private var successors: [String: [Set<String>]] = [:]
    /// The tokens, with their numbers.
    private var issued: [String: Int] = [:]
    /// The number of the last token.
    private(set) var count = 0
    /// The tokens that were written over a token's own bytes.
    private var overwriters: [String: Set<String>] = [:]
    /// Tokens that an fsync has acknowledged, and those that had to be as safe as such before a row
    /// named them.
    private var promised: Set<String> = []
    /// How many texts a power cut or the death of a process may have left as mixtures of versions.
    private var mixtures = 0
    /// Tokens that begin before the end that their file's row had then, and end behind it.
    private var crossing: Set<String> = []
    /// Tokens that were replaced before a power cut, by tokens that the server had then.
    private var superseded: Set<String> = []
    /// The tokens that another client has stored, too: that the server has them does not say that a
    /// replacement by them was sent.
    private var takenBack: Set<String> = []
    /// Tokens that may be in two files, or again in one.
    private var copied: Set<String> = []

    /// The length of the shortest token, of which others are multiples.
    static let unit = 15

    /// A new token, of so many units. Each of its parts has its number, so that no mixture of two
    /// tokens is a token.
    func issue(_ actor: String, units: Int = 1) -> String {
        count += 1
        let number = String(count, radix: 36)
        let digits = String(repeating: "0", count: max(0, 3 - number.count)) + number
        let name = actor.count < 2 ? actor + "." : actor
        let token = name + String(repeating: digits, count: 5 * units - 1) + ";"
        issued[token] = count
        return token
    }

    /// Whether a token is one of the first ones.
    func isIssued(_ token: String, upTo number: Int) -> Bool {
        issued[token].map { $0 <= number } ?? false
    }

    /// The write of a token was acknowledged.
    func acknowledge(_ token: String, at time: Int64) { acknowledged[token] = time }

    /// Those of these tokens whose writes were acknowledged.
    func acknowledged(_ tokens: some Sequence<String>) -> [String] {
        tokens.filter { acknowledged[$0] != nil }
    }

    /// The acknowledged ones of these tokens are on a disk.
    func secure(_ tokens: some Sequence<String>) { safe.formUnion(acknowledged(tokens)) }

    /// An fsync has acknowledged these tokens.
    func promise(_ tokens: some Sequence<String>) {
        let known = acknowledged(tokens)
        safe.formUnion(known)
        promised.formUnion(known)
    }

    /// A text has taken another file's name.
    func rename(_ text: String) { promised.formUnion(Self.tokens(text)) }

    private func passPromise(from text: Set<String>, to other: Set<String>) {
        if !promised.isDisjoint(with: text) { promised.formUnion(other) }
    }

    /// The tokens of one writer that were acknowledged until a time are on a disk, but without an
    /// fsync: until the bytes added to their files are there as well, no row vouches for them.
    func settle(of actor: String, until time: Int64) {
        let old = acknowledged.filter { $0.key.hasPrefix(actor) && $0.value <= time }.keys
        settled.formUnion(old.filter { !replacedEarly.contains($0) })
    }

    /// Users have emptied or replaced a text: unless it was on a disk before, it will not be.
    func noteReplacement(of text: String, at time: Int64, flushTime: Int64) {
        for token in Self.tokens(text) where (acknowledged[token] ?? time) + flushTime > time {
            replacedEarly.insert(token)
        }
    }

    /// A user adds a token to a text.
    func add(_ token: String, to text: Set<String>) {
        for other in text { followers[other, default: []].insert(token) }
        passPromise(from: text, to: [token])
    }

    /// A user who saw a text has written a token over the bytes of some of its tokens.
    func overwrite(_ tokens: Set<String>, by token: String) {
        for other in tokens {
            overwriters[other, default: []].insert(token)
            replacements[other, default: []].append([token])
            successors[other, default: []].append([token])
        }
    }

    /// A user has written a token across the end that the file's row has, through a handle.
    func noteCrossing(_ token: String) { crossing.insert(token) }

    /// A full disk has taken a part of a token.
    func noteShortWrite() { mixtures += 1 }

    /// A writer's process has died. No row tells of writes behind a file's end since its handle was
    /// flushed last, so that a token across that end, which nothing has acknowledged, may be there
    /// in part.
    func noteDeath(of actor: String) {
        let open = crossing.filter { $0.hasPrefix(actor) }
        crossing.subtract(open)
        mixtures += open.count - acknowledged(open).count
    }

    private func isSafe(_ token: String) -> Bool {
        safe.contains(token)
            || settled.contains(token) && followers[token, default: []].allSatisfy(isSafe)
    }

    /// The power of one writer's machine is cut: no row vouches for content that is neither on its
    /// disk nor on the server.
    func cutPower(of actor: String) {
        giveUpOverwritten(by: actor)
        let lost = acknowledged.keys.filter { $0.hasPrefix(actor) && !isSafe($0) }
        for token in lost { acknowledged[token] = nil }
        uncertain.formUnion(lost)
    }

    /// As on a local disk, unflushed bytes over those that an fsync has acknowledged are there
    /// wholly, in part, or not at all.
    private func giveUpOverwritten(by actor: String) {
        var torn: Set<String> = []
        for (token, others) in overwriters where promised.contains(token) {
            let unsafe = others.filter { $0.hasPrefix(actor) && !isSafe($0) }
            if unsafe.isEmpty { continue }
            given.insert(token)
            torn.formUnion(unsafe)
        }
        given.formUnion(torn)
        mixtures += torn.count
    }

    /// The power of the only machine is cut, and the server has these tokens. The tokens that they
    /// have replaced must not come back.
    func noteSuperseded(by present: Set<String>) {
        for (token, texts) in successors where !present.contains(token) {
            let isSent = texts.contains { text in
                !text.isEmpty && text.isSubset(of: present.subtracting(takenBack))
            }
            guard isSent else { continue }
            superseded.insert(token)
        }
    }

    /// A user makes an older revision the current one, or another client moves a file.
    func allowCopies(of text: String) { copied.formUnion(Self.tokens(text)) }

    /// Whether users of a mount have written any of a text.
    func isOfMounts(_ text: String) -> Bool {
        Self.tokens(text).contains { !$0.hasPrefix("x.") }
    }

    /// Whether a token may be in two files, or again in one.
    func mayBeCopied(_ token: String) -> Bool { copied.contains(token) }

    /// The tokens in these texts that had been replaced on the server before a power cut.
    func returned(in texts: [String]) -> [String] {
        let found = Set(texts.flatMap(Self.tokens))
        return superseded.subtracting(copied).intersection(found).sorted()
    }

    /// A text that is there twice, although no user has made a copy.
    func copied(in texts: [String]) -> String? {
        var seen: Set<String> = []
        return texts.sorted().first { text in
            !text.isEmpty && !seen.insert(text).inserted
                && copied.isDisjoint(with: Self.tokens(text))
        }
    }

    /// Another client stores a text that users have.
    func take(back text: String) {
        given.subtract(Self.tokens(text))
        takenBack.formUnion(Self.tokens(text))
    }

    /// A user who saw a text removed it.
    func give(up text: String) { given.formUnion(Self.tokens(text)) }

    /// A user who saw a text put another one in its place: if a power cut takes that, the first one
    /// must be there. `sent`: the tokens that the server has already, so that their presence does
    /// not say that the replacement was sent.
    func give(up text: String, for other: String, sent: Set<String> = []) {
        let others = Self.tokens(other)
        if others.isDisjoint(with: sent) {
            for token in Self.tokens(text) { successors[token, default: []].append(others) }
        }
        passPromise(from: Self.tokens(text), to: others)
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
            // A user who only began to write had emptied the file before, and text that was there
            // once has replaced text that was not fsynced.
            others.allSatisfy {
                !uncertain.contains($0) || settled.contains($0) && !safe.contains(token)
            }
                || others.subtracting(seen).contains { isAccounted($0, found, after: seen) }
        }
    }

    /// The fault of one of these texts, but for as many as may be mixtures of versions.
    func flaw(of texts: [String]) -> String? {
        let flaws = texts.compactMap(flaw)
        return flaws.count > mixtures ? flaws.last : nil
    }

    /// The fault of a text: it may have only tokens that a user has written.
    private func flaw(of text: String) -> String? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        if parts.last == "", parts.dropLast().allSatisfy({ issued["\($0);"] != nil }) {
            return nil
        }
        return text.isEmpty ? nil : text.replacing("\0", with: "0")
    }

    /// Number of tokens that were acknowledged.
    var total: Int { acknowledged.count }

    /// The tokens of a text.
    static func tokens(_ text: String) -> Set<String> { Set(parts(text).map(token)) }

    /// The tokens of a text, in order. Before one may be the beginning of another one, of which the
    /// rest is missing.
    static func parts(_ text: String) -> [String] { text.split(separator: ";").map { "\($0);" } }

    /// The token at the end of a part: behind an actor's name, all has the period of a number.
    private static func token(in part: String) -> String {
        let bytes = Array(part.utf8)
        guard bytes.count > unit else { return part }
        let starts = stride(from: bytes.count % unit, through: bytes.count - unit, by: unit)
        let start = starts.first { start in
            let isName = bytes[start] == UInt8(ascii: "m") || bytes[start] == UInt8(ascii: "x")
            return isName
                && (start + 5..<bytes.count - 1).allSatisfy { bytes[$0] == bytes[$0 - 3] }
        }
        return String(decoding: bytes[(start ?? bytes.count - unit)...], as: UTF8.self)
    }
}
