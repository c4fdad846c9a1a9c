// A guess at the word that was misspelt, for messages.

import Saturating

/// A guess at a misspelt word.
package enum Suggestion {
    /// Number of letters from which two may differ.
    private static let longWord = 6

    /// The known word that differs least: by one letter, or by two in a long word or if these were
    /// left out. `-`, `_` and case do not count.
    package static func closest(to word: String, of known: [String]) -> String? {
        let letters = plain(word)
        let near = known.filter { $0 != word }.map { name in
            let other = plain(name)
            return (name: name, distance: distance(letters, other), length: other.count)
        }.filter { guess in
            let length = max(letters.count, guess.length)
            switch guess.distance {
            case 0...1: return length > 2
            case 2: return length >= longWord || guess.length == letters.count +| 2
            default: return false
            }
        }
        // Letters are left out more often than added.
        return near.min {
            $0.distance == $1.distance ? $0.length > $1.length : $0.distance < $1.distance
        }?.name
    }

    private static func plain(_ word: String) -> [Character] {
        // A longer word is none of ours, and the comparison takes the square of its length.
        word.lowercased().prefix(64).filter { $0 != "-" && $0 != "_" }
    }

    /// The number of letters to insert, remove or replace (Levenshtein).
    private static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var row = Array(0...second.count)
        for (index, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index +| 1
            for (column, other) in second.enumerated() {
                let replaced = diagonal +| (letter == other ? 0 : 1)
                diagonal = row[column +| 1]
                row[column +| 1] = min(replaced, diagonal +| 1, row[column] +| 1)
            }
        }
        return row[second.count]
    }
}
