// The text of settings in the status.

extension LiveSettings {
    /// The limits for people; nil if there is none.
    var text: String? {
        let limits = [
            uploadRate.map { "\(Terminal.size($0))/s up" },
            downloadRate.map { "\(Terminal.size($0))/s down" },
        ].compactMap(\.self)
        return limits.isEmpty ? nil : limits.joined(separator: ", ")
    }
}
