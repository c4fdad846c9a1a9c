// Guesses at misspelt words, the command line's and the configuration file's.

import Testing

@testable import Mounting

@Suite struct SuggestionTests {
    private static let words = ["mount", "unmount", "status", "sync", "cache_size", "pin", "set"]

    @Test(
        "a word that differs little has a guess",
        arguments: [
            ("mnt", "mount"), ("umount", "unmount"), ("statsu", "status"), ("SYNC", "sync"),
            ("cache-size", "cache_size"), ("cachesize", "cache_size"), ("pn", "pin"),
        ])
    func guesses(word: String, wanted: String) {
        #expect(Suggestion.closest(to: word, of: Self.words) == wanted)
    }

    @Test("any other word has none", arguments: ["", "x", "doctor", "se7en", "ca", "mp"])
    func none(word: String) {
        #expect(Suggestion.closest(to: word, of: Self.words) == nil)
    }

    @Test("a word of any length costs little")
    func long() {
        let word = String(repeating: "mount", count: 100_000)
        #expect(Suggestion.closest(to: word, of: Self.words) == nil)
    }
}
