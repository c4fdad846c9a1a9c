// The text of an undo's progress and outcome.

extension UndoReport {
    /// The progress in words.
    package var summary: String {
        if isListing { return "\(found) found so far, Dropbox is being asked" }
        let files = Terminal.count(restored, "file")
        return "\(files) restored, \(Terminal.size(bytes)); \(done) of \(found) looked at"
    }

    /// The outcome in words.
    package var outcome: String {
        if restored == 0 && refused == 0 {
            if queued == 0 { return "nothing to restore" }
            return "nothing to restore, but not everything is on Dropbox yet: "
                + "run `dbxfs sync` first"
        }
        let rest = refused == 0 ? "" : ", \(Terminal.count(refused, "file")) not"
        return "\(Terminal.count(restored, "file")) restored, \(Terminal.size(bytes))\(rest)"
    }
}
