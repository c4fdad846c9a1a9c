// The configuration file's contents, and their part for an account. `Environment.swift` finds the
// file and decides what overrides it; `MountSettings.swift` applies options.

import Saturating
import TOMLKit

/// Ignore patterns, one per line, and their position in the file.
package struct IgnorePatterns: Hashable, Sendable {
    /// The text of the patterns.
    package var text: String
    private let file: String
    private let place: String

    init(text: String, file: String, place: String) {
        self.text = text
        self.file = file
        self.place = place
    }

    /// The error for one of their lines.
    package func malformed(line: Int, reason: String) -> CommandError {
        .badConfiguration(file: file, place: "\(place), line \(line)", detail: reason)
    }
}

/// The keys of the configuration file that are no options of a mount.
private enum FileKey: String, CaseIterable {
    case endpoint
    case logLevel = "log_level"
    case account
    case appKey = "app_key"
    case ignored = "ignore"
    case mountpoint
    case folder
}

/// A parsed configuration file, or an empty configuration.
///
///     app_key = "…"              # for all accounts
///     cache_size = "20G"
///
///     [account.work]             # for this one, over the above
///     mountpoint = "~/Work"
///     bwlimit_up = "2M"
///
/// Every unknown key is an error, because a misspelt limit would otherwise be no limit.
package struct Configuration: Hashable, Sendable {
    /// A server that replaces Dropbox.
    private(set) var endpoint: Endpoint?
    /// Minimum level of log records.
    private(set) var logLevel: LogLevel?
    /// Its path, for messages; nil without a file.
    private var file: String?
    private var general = Section()
    private var accounts: [String: Section] = [:]

    /// The keys of an account's table. The same keys before all tables apply to every account.
    private struct Section: Hashable {
        var appKey: String?
        var mountpoint: String?
        var folder: String?
        var ignored: String?
        var settings: [MountOptionSetting] = []
        /// Flags that are switched off, and so are not in `settings`.
        var absent: Set<String> = []
    }

    /// Creates an empty configuration.
    package init() {}

    /// Parses a file's text; `file` is its name in messages.
    package init(parsing text: String, file: String) throws(CommandError) {
        self.file = file
        if let (line, detail) = ConfigurationDepth.excess(in: text) {
            throw .badConfiguration(file: file, place: "line \(line)", detail: detail)
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            // A mask as users write it elsewhere.
            let hint =
                error.description.contains("leading zeroes")
                ? "; put such a value in quotes, as umask = \"022\"" : ""
            throw .badConfiguration(
                file: file, place: "line \(error.source.begin.line)",
                detail: "\(error.description)\(hint)")
        } catch {
            throw .badConfiguration(file: file, place: "TOML", detail: "\(error)")
        }
        let reader = Reader(file: file)
        for (key, value) in table {
            switch FileKey(rawValue: key) {
            case .endpoint:
                endpoint = try? Endpoint(parsing: try reader.text(value, key))
                guard endpoint != nil else {
                    throw reader.error(key, "must be https://HOST[:PORT], or http for this machine")
                }
            case .logLevel:
                logLevel = LogLevel(try reader.text(value, key))
                guard logLevel != nil else {
                    throw reader.error(key, "must be one of " + LogLevel.names)
                }
            case .account: try readAccounts(value, reader)
            default: try reader.read(key, value, "", into: &general)
            }
        }
        try reader.check(general, "")
    }

    private mutating func readAccounts(
        _ value: any TOMLValueConvertible, _ reader: Reader
    ) throws(CommandError) {
        for (name, value) in try reader.table(value, FileKey.account.rawValue) {
            let place = "\(FileKey.account.rawValue).\(name)"
            guard let source = try? MountSource(parsing: name), source.account == name else {
                throw reader.error(place, "an account's name has letters, digits, '.', '-' and '_'")
            }
            var section = Section()
            for (key, value) in try reader.table(value, place) {
                try reader.read(key, value, place + ".", into: &section)
            }
            try reader.check(section, place + ".")
            accounts[name] = section
        }
    }

    // MARK: Questions

    /// The app key for logins of an account.
    package func appKey(of account: String) -> String? {
        accounts[account]?.appKey ?? general.appKey
    }

    /// The default mountpoint of an account; may begin with `~/`.
    func mountpoint(of account: String) -> String? { accounts[account]?.mountpoint }

    /// The default folder of an account to mount.
    func folder(of account: String) -> String? { accounts[account]?.folder }

    /// The options of an account's mounts.
    func options(of account: String) -> [MountOptionSetting] {
        let own = accounts[account] ?? Section()
        let named = Set(own.settings.map(\.name)).union(own.absent)
        let inherited = general.settings.filter { !named.contains($0.name) }
        return [Self.ordered(inherited), Self.ordered(own.settings)].flatMap(\.self)
    }

    /// Puts options for everything before options for a part, because a table has no order.
    private static func ordered(_ settings: [MountOptionSetting]) -> [MountOptionSetting] {
        let general = MountOption.mask.name
        return [settings.filter { $0.name == general }, settings.filter { $0.name != general }]
            .flatMap(\.self)
    }

    /// Ignore patterns: those for every account, then those for this one.
    func ignored(of account: String) -> [IgnorePatterns] {
        let key = FileKey.ignored.rawValue
        let place = "\(FileKey.account.rawValue).\(account).\(key)"
        return [(key, general.ignored), (place, accounts[account]?.ignored)]
            .compactMap { place, text in
                text.map { IgnorePatterns(text: $0, file: file ?? "", place: place) }
            }
    }

    // MARK: Reading

    /// Reads values from tables, with errors that name the position.
    private struct Reader {
        let file: String

        /// The message about an unknown key, or one at the wrong place.
        private static func unknown(_ key: String, isInTable: Bool) -> String {
            let others = FileKey.allCases.map(\.rawValue)
            if others.contains(key) {
                return isInTable
                    ? "unknown key here: it belongs above all tables"
                    : "unknown key here: it belongs into a table such as [account.work]"
            }
            let known = [others, MountOption.all.map(\.name)].flatMap(\.self)
            return "unknown key"
                + (Suggestion.closest(to: key, of: known).map { "; is \($0) meant?" } ?? "")
        }

        func error(_ place: String, _ detail: String) -> CommandError {
            .badConfiguration(file: file, place: place, detail: detail)
        }

        func text(
            _ value: any TOMLValueConvertible, _ place: String
        ) throws(CommandError) -> String {
            guard let text = value.string else { throw error(place, "must be text in quotes") }
            return text
        }

        /// A text of several lines, or a list of texts of one line each.
        func lines(
            _ value: any TOMLValueConvertible, _ place: String
        ) throws(CommandError) -> String {
            guard let list = value.array else { return try text(value, place) }
            var lines: [String] = []
            for line in list { lines.append(try text(line, place)) }
            return lines.joined(separator: "\n")
        }

        func table(
            _ value: any TOMLValueConvertible, _ place: String
        ) throws(CommandError) -> TOMLTable {
            guard let table = value.table else {
                throw error(place, "must be a table such as [account.work]")
            }
            return table
        }

        func read(
            _ key: String, _ value: any TOMLValueConvertible, _ prefix: String,
            into section: inout Section
        ) throws(CommandError) {
            let place = "\(prefix)\(key)"
            switch FileKey(rawValue: key) {
            case .appKey: section.appKey = try text(value, place)
            case .ignored: section.ignored = try lines(value, place)
            case .mountpoint where !prefix.isEmpty:
                let path = try text(value, place)
                guard path.utf8.first == UInt8(ascii: "/") || path.utf8.starts(with: "~/".utf8)
                else {
                    throw error(place, "must begin with / or ~/")
                }
                section.mountpoint = path
            case .folder where !prefix.isEmpty:
                let folder = try text(value, place)
                guard (try? MountSource(parsing: ":" + folder)) != nil else {
                    throw error(place, "must be a path on Dropbox such as /Projects")
                }
                section.folder = folder
            default:
                guard let option = MountOption.named(key) else {
                    throw error(place, Self.unknown(key, isInTable: !prefix.isEmpty))
                }
                if let setting = try setting(of: option, value, place) {
                    section.settings.append(setting)
                } else {
                    section.absent.insert(key)
                }
            }
        }

        /// nil for a flag that is off.
        private func setting(
            of option: MountOption, _ value: any TOMLValueConvertible, _ place: String
        ) throws(CommandError) -> MountOptionSetting? {
            guard option.value != nil else {
                guard let isOn = value.bool else { throw error(place, "must be true or false") }
                return isOn ? MountOptionSetting(option.name) : nil
            }
            if let text = value.string { return MountOptionSetting(option.name, text) }
            if option.isQuoted {
                throw error(place, "must be text in quotes, in octal, such as \"022\"")
            }
            if let number = value.int { return MountOptionSetting(option.name, String(number)) }
            if let number = value.double { return MountOptionSetting(option.name, String(number)) }
            throw error(place, "must be text in quotes or a number")
        }

        /// Refuses options that no mount can use.
        func check(_ section: Section, _ prefix: String) throws(CommandError) {
            do throws(CommandError) {
                _ = try MountSettings(parsing: [], over: section.settings)
            } catch {
                guard case .badOptionValue(let name, let value, let expected) = error else {
                    throw error
                }
                throw self.error("\(prefix)\(name)", "cannot be \(value): it takes \(expected)")
            }
        }
    }
}
