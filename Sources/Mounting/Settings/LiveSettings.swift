// The settings of a mount that can be changed while it runs. They last until it ends: the next
// mount starts with its options and the configuration file.

/// The settings that a running mount can change.
package struct LiveSettings: Hashable, Sendable, Codable {
    /// Limit of uploads in bytes per second; nil for none.
    package var uploadRate: Int64?
    /// Limit of downloads in bytes per second; nil for none.
    package var downloadRate: Int64?
    /// Limits of uploads by the time of day, from which `uploadRate` follows; nil for one limit.
    package var uploadSchedule: RateSchedule?
    /// The same for downloads.
    package var downloadSchedule: RateSchedule?
    /// Limit of cached content in bytes.
    package var cacheSize: Int64
    /// Longest time in seconds for which a change waits for others.
    package var writeDelay: Double
    /// Minimum level of log records.
    package var logLevel: LogLevel

    /// Memberwise; by default without limits.
    package init(
        uploadRate: Int64? = nil, downloadRate: Int64? = nil, cacheSize: Int64 = 0,
        writeDelay: Double = 0, logLevel: LogLevel = .info
    ) {
        self.uploadRate = uploadRate
        self.downloadRate = downloadRate
        self.cacheSize = cacheSize
        self.writeDelay = writeDelay
        self.logLevel = logLevel
    }

    /// The changes that there are, in the order of the options; the log level is no option of a
    /// mount.
    private static let changes =
        MountOption.all.compactMap(\.change)
        + [SettingChange.to(\.logLevel, .logLevel).named("log_level")]

    /// The names of these settings.
    package static var names: [String] { changes.map(\.name) }

    /// The names, with the values that are words.
    static var words: [(name: String, words: [String])] { changes.map { ($0.name, $0.words) } }

    /// The names in JSON, which are those of the options.
    private enum CodingKeys: String, CodingKey {
        case uploadRate = "bwlimit_up"
        case downloadRate = "bwlimit_down"
        case uploadSchedule = "bwlimit_up_by_time"
        case downloadSchedule = "bwlimit_down_by_time"
        case cacheSize = "cache_size"
        case writeDelay = "write_delay"
        case logLevel = "log_level"
    }

    /// Writes every field, no limit as null, so that scripts find them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(uploadRate, forKey: .uploadRate)
        try container.encode(downloadRate, forKey: .downloadRate)
        try container.encode(uploadSchedule, forKey: .uploadSchedule)
        try container.encode(downloadSchedule, forKey: .downloadSchedule)
        try container.encode(cacheSize, forKey: .cacheSize)
        try container.encode(writeDelay, forKey: .writeDelay)
        try container.encode(logLevel, forKey: .logLevel)
    }

    /// Whether limits depend on the time of day.
    package var followsTime: Bool { uploadSchedule != nil || downloadSchedule != nil }

    /// The same with the limits that hold at a minute of the day.
    package func at(minute: Int) -> LiveSettings {
        var result = self
        if let uploadSchedule { result.uploadRate = uploadSchedule.rate(atMinute: minute) }
        if let downloadSchedule { result.downloadRate = downloadSchedule.rate(atMinute: minute) }
        return result
    }

    /// The same with other values for some: all of them, or none and an error.
    package func changed(by settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings {
        var result = self
        for setting in settings {
            let (name, value) = (setting.name, setting.value ?? "")
            guard let change = Self.changes.first(where: { $0.name == name }) else {
                throw .notChangeable(name, others: Self.names)
            }
            guard change.apply(&result, value) else {
                throw .badOptionValue(name: name, value: value, expected: change.expected)
            }
        }
        return result
    }
}

/// A way to change one of the settings.
struct SettingChange: Sendable {
    /// The name for `dbxfs set`.
    private(set) var name = ""
    /// The values that it takes, for messages.
    let expected: String
    /// The values that are words, for completion at the Tab key.
    let words: [String]
    /// Puts a value into settings; returns false if it is none.
    let apply: @Sendable (inout LiveSettings, String) -> Bool

    /// Changes this setting, from a value of that form.
    static func to<Value>(
        _ target: any WritableKeyPath<LiveSettings, Value> & Sendable, _ form: ValueForm<Value>
    ) -> SettingChange {
        SettingChange(expected: form.expected, words: form.words) { settings, text in
            guard let value = form.parse(text) else { return false }
            settings[keyPath: target] = value
            return true
        }
    }

    /// Changes a limit, for all of the day or for parts of it.
    static func limit(
        _ rate: any WritableKeyPath<LiveSettings, Int64?> & Sendable,
        _ schedule: any WritableKeyPath<LiveSettings, RateSchedule?> & Sendable
    ) -> SettingChange {
        let form = ValueForm<RateLimit>.limitOrNone
        return SettingChange(expected: form.expected, words: form.words) { settings, text in
            switch form.parse(text) {
            case .constant(let bytes):
                (settings[keyPath: rate], settings[keyPath: schedule]) = (bytes, nil)
            case .byTime(let times):
                // The rate follows from the time, which `at(minute:)` takes.
                settings[keyPath: schedule] = times
            case nil: return false
            }
            return true
        }
    }

    /// The same under the name of its option.
    func named(_ name: String) -> SettingChange {
        var change = self
        change.name = name
        return change
    }
}
