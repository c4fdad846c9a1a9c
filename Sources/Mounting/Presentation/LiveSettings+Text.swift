// The text of settings in the status.

extension LiveSettings {
    /// The limits for people; nil if there is none.
    var text: String? {
        let limits = [
            Self.text(uploadRate, uploadSchedule, "up"),
            Self.text(downloadRate, downloadSchedule, "down"),
        ].compactMap(\.self)
        return limits.isEmpty ? nil : limits.joined(separator: ", ")
    }

    private static func text(
        _ rate: Int64?, _ schedule: RateSchedule?, _ direction: String
    ) -> String? {
        let present = rate.map { "\(Terminal.size($0))/s \(direction)" }
        guard let schedule else { return present }
        return "\(present ?? "none \(direction) now") (\(schedule.text))"
    }
}
