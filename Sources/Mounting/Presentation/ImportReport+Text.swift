// The text of an import's progress and outcome.

import Saturating

extension ImportReport {
    /// The progress in words.
    package var summary: String {
        let looked = imported +| present +| different +| unknown
        return "\(taken); \(Terminal.count(looked, "file")) compared"
    }

    /// The outcome in words.
    package var outcome: String {
        var parts = [taken]
        if present > 0 { parts.append("\(present) cached before") }
        if different > 0 { parts.append("\(different) with other content on Dropbox") }
        if unknown > 0 { parts.append("\(unknown) not on Dropbox") }
        return parts.joined(separator: ", ")
    }

    /// Why there may be more to import; nil if there is not.
    package var notice: String? {
        if isFull {
            return "the cache is full: set a larger cache_size (`dbxfs set`), and run it again"
        }
        if isTreeKnown { return nil }
        let progress = listing.map { " (\($0.text))" } ?? ""
        return "not all of the account was known\(progress): run it again after the first listing"
    }

    private var taken: String {
        "\(Terminal.count(imported, "file")) imported, \(Terminal.size(bytes))"
    }
}
