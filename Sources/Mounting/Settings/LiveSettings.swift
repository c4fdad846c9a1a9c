// The settings of a mount that can be changed while it runs. They last until it ends: the next
// mount starts with its options and the configuration file.

/// The settings that a running mount can change.
package struct LiveSettings: Hashable, Sendable, Codable {
    /// Limit of uploads in bytes per second; nil for none.
    package var uploadRate: Int64?
    /// Limit of downloads in bytes per second; nil for none.
    package var downloadRate: Int64?
    /// Limit of cached content in bytes.
    package var cacheSize: Int64
    /// Seconds between the last change of a file and its upload.
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

    /// The keys of these settings, in the order of their help.
    private static let keys: [SettingKey] = [
        .uploadRate, .downloadRate, .cacheSize, .writeDelay, .logLevel,
    ]

    /// The names of these settings, in the order of their help.
    package static var names: [String] { keys.map(\.rawValue) }

    /// Decodes the fields that `encode(to:)` writes.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SettingKey.self)
        uploadRate = try container.decodeIfPresent(Int64.self, forKey: .uploadRate)
        downloadRate = try container.decodeIfPresent(Int64.self, forKey: .downloadRate)
        cacheSize = try container.decode(Int64.self, forKey: .cacheSize)
        writeDelay = try container.decode(Double.self, forKey: .writeDelay)
        logLevel = try container.decode(LogLevel.self, forKey: .logLevel)
    }

    /// Writes every field, no limit as null, so that scripts find them.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SettingKey.self)
        try container.encode(uploadRate, forKey: .uploadRate)
        try container.encode(downloadRate, forKey: .downloadRate)
        try container.encode(cacheSize, forKey: .cacheSize)
        try container.encode(writeDelay, forKey: .writeDelay)
        try container.encode(logLevel, forKey: .logLevel)
    }

    /// The same with other values for some: all of them, or none and an error.
    package func changed(by settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings {
        var result = self
        for setting in settings { try result.apply(setting) }
        return result
    }

    private mutating func apply(_ setting: MountOptionSetting) throws(CommandError) {
        let (name, value) = (setting.name, setting.value ?? "")
        func read<Value>(_ parsed: Value?, _ expected: String) throws(CommandError) -> Value {
            guard let parsed else {
                throw .badOptionValue(name: name, value: value, expected: expected)
            }
            return parsed
        }
        let rateForm = "bytes per second such as 500K or 2M, or none"
        guard let key = setting.key else { throw .notChangeable(name) }
        switch key {
        case .uploadRate: uploadRate = try read(Self.rate(value), rateForm).bytes
        case .downloadRate: downloadRate = try read(Self.rate(value), rateForm).bytes
        case .cacheSize:
            cacheSize = try read(OptionValue.bytes(value), "a size such as 512M or 20G")
        case .writeDelay:
            let seconds = value == "none" ? 0 : OptionValue.seconds(value)
            writeDelay = try read(seconds, "a time such as 5s or 1m, or none")
        case .logLevel: logLevel = try read(LogLevel(value), LogLevel.names)
        case .readOnly, .allowOther, .allowRoot, .defaultPermissions, .user, .group, .mask,
            .fileMask, .folderMask, .synchronization, .writebackCache, .cacheFolder, .names, .root,
            .member, .noExecution, .noSetUserID, .noDevices, .noAccessTimes, .endpoint, .account,
            .appKey, .ignored, .mountpoint, .folder:
            throw .notChangeable(name)
        }
    }

    /// A rate limit, which may be none.
    private struct Rate {
        var bytes: Int64?
    }

    private static func rate(_ value: String) -> Rate? {
        if value == "none" { return Rate(bytes: nil) }
        return OptionValue.bytes(value).map { Rate(bytes: $0 > 0 ? $0 : nil) }
    }

    /// The limits for people; nil if there is none.
    var text: String? {
        let limits = [
            uploadRate.map { "\(Terminal.size($0))/s up" },
            downloadRate.map { "\(Terminal.size($0))/s down" },
        ].compactMap(\.self)
        return limits.isEmpty ? nil : limits.joined(separator: ", ")
    }
}
