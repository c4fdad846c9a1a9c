// The text of how far a listing of the whole account is.

import Saturating

extension ListingStatus {
    /// The kind of the listing, for how long it has been running, and how far it is.
    package var text: String {
        "\(isFirst ? "listing" : "comparing") the account for \(Int64(clamping: seconds)) s: \(progress)"
    }

    /// How far it is. An expectation that was exceeded is none.
    package var progress: String {
        let known = Terminal.count(entries, "entry", "entries")
        if let expectedEntries, expectedEntries >= entries {
            return "\(entries) of about \(Terminal.count(expectedEntries, "entry", "entries"))"
        }
        if let expectedBytes, expectedBytes >= bytes {
            return "\(known) with \(Terminal.size(bytes)) of about \(Terminal.size(expectedBytes))"
        }
        return "\(known) with \(Terminal.size(bytes)) so far"
    }
}
