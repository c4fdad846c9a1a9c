// The text of conflicted copies.

extension ConflictReport {
    /// The text for people.
    package var text: String {
        let size = Terminal.size(bytes)
        return StatusRows.text(
            path,
            [
                ("made", [day, whose, size].compactMap(\.self).joined(separator: ", ")),
                ("original", original ?? "gone"),
            ])
    }

    private var whose: String? {
        maker.map { "by \($0)" + (isMadeHere ? " (this machine)" : "") }
    }

    /// The advice below a list of conflicted copies.
    package static let advice = """
        Compare each copy with its original, keep what you want under the original's name, and delete or \
        rename the copy: it is listed for as long as its name says that it is one.
        """
}
