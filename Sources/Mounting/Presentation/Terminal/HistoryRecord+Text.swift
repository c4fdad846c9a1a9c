// The history in words, for `dbxfs log`, and events as sentences, for notifications.

import Saturating

extension HistoryRecord {
    /// A line for people. `place` is the mountpoint, or the source of a mount that does not run.
    package func text(at place: String) -> String {
        let name = kind.rawValue
        let gap = String(repeating: " ", clamping: max(1, 11 -| name.count))
        return "\(Terminal.time(time))  \(name)\(gap)\(details(at: place))"
    }

    private func details(at place: String) -> String {
        let whole = path.map { "\(place)\($0)" } ?? place
        var text = from.map { "\(place)\($0) -> \(whole)" } ?? whole
        if let bytes { text += "  \(Terminal.size(bytes))" }
        if let count { text += "  \(Terminal.count(count, "more event"))" }
        if let reason { text += "  (\(reason))" }
        return text
    }

    /// A sentence that a user should read at once, without names; nil for events of every day.
    package var notice: String? {
        switch kind {
        case .conflict: "A conflicted copy was made: `dbxfs conflicts` lists it."
        case .refused: "Dropbox refuses a change: `dbxfs status` says which and why."
        case .full: "Dropbox is full: changes wait until there is room."
        case .loggedOut: "Dropbox has ended the login: `dbxfs status` says what to do."
        case .sent, .made, .moved, .deleted, .added, .changed, .removed, .fetched, .restored,
            .omitted:
            nil
        }
    }
}
