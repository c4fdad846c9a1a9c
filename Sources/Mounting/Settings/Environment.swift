// Settings from the `DBXFS_*` variables, the XDG folders and the token, with the configuration file
// as the fallback.

import CBuild
import Glibc
import LocalIO
import SystemPackage

/// The settings that come from environment variables.
package struct Environment: Sendable {
    /// Which folders are used.
    package enum Scope: Hashable, Sendable {
        /// The folders in the user's home.
        case user
        /// The folders of the system, for mounts by root at boot, where there is no home.
        case system
    }

    /// The folders of system mounts, and their configuration file.
    enum SystemFolder {
        static let configuration = "/etc/dbxfs/config.toml"
        static let state = "/var/lib/dbxfs"
        static let cache = "/var/cache/dbxfs"
        static let runtime = "/run/dbxfs"
    }

    /// The end of the name of the folder beside that of the sockets, for the users whom mounts of
    /// root serve.
    private static let servedUsersEnd = "-users"

    /// Folder of queues, databases, logs and credentials, with a folder per account.
    package var stateFolder: String
    /// Folder of cached content, with a folder per account.
    package var cacheFolder: String
    /// Folder of the control sockets of running mounts.
    package var runtimeFolder: String
    /// Folder of the sockets for the users whom mounts of root serve: one for all users, unless a
    /// variable moves the sockets.
    let servedUsersFolder: String
    /// The server that replaces Dropbox; nil for Dropbox.
    package var endpoint: Endpoint?
    /// Minimum level of log records.
    package var logLevel: LogLevel
    /// App key from the environment.
    private var appKey: String?
    /// An access token from the environment, which must never be printed.
    package var accessToken: String?
    /// A refresh token from the environment, which must never be printed either.
    package var refreshToken: String?
    /// The path of a login's copy, made on another machine, instead of the account's own file.
    package var loginFile: String?
    /// Which folders are used.
    package let scope: Scope

    private let configuration: Configuration
    /// Why the configuration file could not be read, in which case none of it counts; nil if it
    /// could.
    package let configurationError: CommandError?
    /// The user's home; nil for system mounts.
    package let home: String?
    /// The folder of the thumbnails that the user's desktops share; nil for system mounts.
    package let thumbnailFolder: String?
    /// Whether a variable overrides the cache folder of the file.
    private let namesCacheFolder: Bool
    /// Whether root's mounts are this user's own.
    package let isRoot: Bool
    /// Further folders of sockets to search: those of system mounts, for root.
    private let otherRuntimeFolders: [String]

    /// Reads variables, which override `configuration`. Empty ones count as unset; relative XDG
    /// folders are ignored, as their specification demands.
    package init(
        _ variables: [String: String], scope: Scope = .user,
        configuration: Configuration = Configuration(), configurationError: CommandError? = nil,
        isRoot: Bool = false
    ) throws(CommandError) {
        let values = Variables(variables)
        self.configuration = configuration
        self.configurationError = configurationError
        self.scope = scope
        self.isRoot = isRoot
        home = scope == .user ? values.home : nil
        thumbnailFolder =
            scope == .user ? values.xdgFolder("XDG_CACHE_HOME", "/.cache", "/thumbnails") : nil
        stateFolder = try values.folder(
            "DBXFS_STATE_DIR", "XDG_STATE_HOME", "/.local/state",
            system: scope == .system ? SystemFolder.state : nil)
        cacheFolder = try values.folder(
            "DBXFS_CACHE_DIR", "XDG_CACHE_HOME", "/.cache",
            system: scope == .system ? SystemFolder.cache : nil)
        namesCacheFolder = values["DBXFS_CACHE_DIR"] != nil
        let hasOwnPlace = values["DBXFS_RUNTIME_DIR"] != nil || values["DBXFS_STATE_DIR"] != nil
        let isOnSystem = scope == .system && !hasOwnPlace
        runtimeFolder =
            values["DBXFS_RUNTIME_DIR"].map(absolutePath)
            ?? (isOnSystem ? SystemFolder.runtime : stateFolder + "/run")
        servedUsersFolder =
            "\(hasOwnPlace ? runtimeFolder : SystemFolder.runtime)\(Self.servedUsersEnd)"
        otherRuntimeFolders = isRoot && !hasOwnPlace && !isOnSystem ? [SystemFolder.runtime] : []
        endpoint = configuration.endpoint
        if let address = values["DBXFS_ENDPOINT"] {
            endpoint = try Endpoint(parsing: address)
        }
        logLevel = configuration.logLevel ?? .info
        if let name = values["DBXFS_LOG_LEVEL"] {
            guard let level = LogLevel(name) else {
                throw .badSetting(
                    name: "DBXFS_LOG_LEVEL", value: name, expected: LogLevel.names)
            }
            logLevel = level
        }
        appKey = values["DBXFS_APP_KEY"]
        accessToken = values["DBXFS_ACCESS_TOKEN"]
        refreshToken = values["DBXFS_REFRESH_TOKEN"]
        loginFile = values["DBXFS_LOGIN_FILE"].map(absolutePath)
    }

    /// Reads the variables of this process, and the configuration file, whose errors are thrown.
    package init(scope: Scope = .user) throws(CommandError) {
        try self.init(leniently: scope)
        if let configurationError { throw configurationError }
    }

    /// Reads the same without a word about errors of the configuration file.
    ///
    /// For commands that talk to running mounts, which have read their settings already. With a
    /// misspelt key, a user must still be able to unmount, and `dbxfs doctor` to report it.
    package init(leniently scope: Scope) throws(CommandError) {
        let isRoot = geteuid() == 0
        if scope == .system, !isRoot { throw .notRoot }
        let variables = ProcessVariables.all
        let (configuration, error) = Self.readConfiguration(Variables(variables), scope)
        try self.init(
            variables, scope: scope, configuration: configuration, configurationError: error,
            isRoot: isRoot)
    }

    /// The environment of a command that talks to running mounts.
    package static func ofRunningMounts() throws(CommandError) -> Environment {
        try Environment(leniently: .user)
    }

    private static func readConfiguration(
        _ values: Variables, _ scope: Scope
    ) -> (Configuration, CommandError?) {
        do throws(CommandError) {
            return (try configuration(values, scope), nil)
        } catch {
            return (Configuration(), error)
        }
    }

    private static func configuration(
        _ values: Variables, _ scope: Scope
    ) throws(CommandError) -> Configuration {
        let named = values["DBXFS_CONFIG"].map(absolutePath)
        let path =
            switch scope {
            case .user:
                named
                    ?? values.standardFolder("XDG_CONFIG_HOME", "/.config")
                    .map { $0 + "/config.toml" }
            case .system: named ?? SystemFolder.configuration
            }
        guard let path else { return Configuration() }
        if let text = try ConfigurationFile.read(path) {
            return try Configuration(parsing: text, file: path)
        }
        // An explicitly named file must exist.
        guard named == nil else {
            throw .badConfiguration(
                file: path, place: "file", detail: Errno.noSuchFileOrDirectory.description)
        }
        return Configuration()
    }

    // MARK: Accounts

    /// The variable whose credentials are used instead of the account's own; nil if none is set.
    package var credentialsVariable: String? {
        if accessToken != nil { return "DBXFS_ACCESS_TOKEN" }
        if refreshToken != nil { return "DBXFS_REFRESH_TOKEN" }
        return loginFile == nil ? nil : "DBXFS_LOGIN_FILE"
    }

    /// Uses each account's own credentials instead of those of the environment.
    package mutating func ignoreCredentials() {
        (accessToken, refreshToken, loginFile) = (nil, nil, nil)
    }

    /// The app that the build brought (`make release DBXFS_DEFAULT_APP_KEY=…`).
    package static let defaultAppKey = cbuild_default_app_key().map { String(cString: $0) }

    /// The app key for logins of an account, unless the command line names one.
    package func appKey(of account: String) -> String? {
        appKey ?? configuration.appKey(of: account)
    }

    /// The options of an account's mounts, unless the command line overrides them.
    package func options(of account: String) -> [MountOptionSetting] {
        configuration.options(of: account).filter {
            !namesCacheFolder || $0.name != MountOption.cacheFolder.name
        }
    }

    /// The distinct cache folders of these accounts' mounts, unless the command line overrides
    /// them.
    package func cacheFolders(of accounts: [String]) throws(CommandError) -> [String] {
        var folders: [String] = []
        for account in accounts {
            let settings = try MountSettings(parsing: [], over: options(of: account))
            let folder = settings.cacheFolder ?? cacheFolder
            if !folders.contains(folder) { folders.append(folder) }
        }
        return folders
    }

    /// Ignore patterns, in order of rising precedence.
    package func ignored(of account: String) -> [IgnorePatterns] {
        configuration.ignored(of: account)
    }

    /// The default source and mountpoint of an account.
    package func standardPlace(
        of account: String
    ) throws(CommandError) -> (source: MountSource, mountpoint: String) {
        let folder = configuration.folder(of: account)
        let source = try MountSource(parsing: account + (folder.map { ":" + $0 } ?? ""))
        guard source.account == account else { throw .badSource(account) }
        let isDefault = account == MountSource.standard.account
        let place =
            configuration.mountpoint(of: account)
            ?? (isDefault ? "~/Dropbox" : "~/Dropbox-" + account)
        guard place.utf8.starts(with: "~/".utf8) else { return (source, absolutePath(place)) }
        guard let home else { throw .noMountpoint(account: account) }
        return (source, absolutePath("\(home)\(place.dropFirst(1))"))
    }

    /// The folders to search for the control sockets of running mounts.
    var runtimeFolders: [String] { [runtimeFolder] + otherRuntimeFolders }

    /// The server's name for messages.
    package var serverName: String { endpoint?.address ?? Endpoint.dropbox }

    /// The server, under one name for all of its addresses.
    package var server: String { endpoint?.server ?? Endpoint.dropbox }

    /// Removes the tokens from this process's environment, so that children (`fusermount3`) and
    /// crash reports do not get them. Must run before a second thread does.
    package static func forgetToken() {
        unsetenv("DBXFS_ACCESS_TOKEN")
        unsetenv("DBXFS_REFRESH_TOKEN")
    }
}

/// Log levels, from everything to failures only.
package enum LogLevel: String, CaseIterable, Sendable, Codable {
    case trace, debug, info, notice, warning, error, critical

    /// Parses a level's name, in any case.
    init?(_ name: String) {
        self.init(rawValue: name.lowercased())
    }

    /// All names, for messages.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Variables by name, of which empty ones count as unset.
private struct Variables {
    private let all: [String: String]

    init(_ all: [String: String]) {
        self.all = all
    }

    subscript(name: String) -> String? { all[name].flatMap { $0.isEmpty ? nil : $0 } }

    var home: String? { absolute("HOME") }

    /// A variable's value if it is an absolute path.
    private func absolute(_ name: String) -> String? {
        self[name].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }

    /// The folder of dbxfs in an XDG folder; nil without a home.
    func standardFolder(_ variable: String, _ below: String) -> String? {
        xdgFolder(variable, below, "/dbxfs")
    }

    /// A folder in an XDG folder; nil without a home.
    func xdgFolder(_ variable: String, _ below: String, _ name: String) -> String? {
        if let folder = absolute(variable) { return "\(folder)\(name)" }
        return home.map { "\($0)\(below)\(name)" }
    }

    /// A folder from dbxfs's variable, else the system's, else from XDG's variable or in the home.
    func folder(
        _ own: String, _ variable: String, _ below: String, system: String?
    ) throws(CommandError) -> String {
        if let folder = self[own].map(absolutePath) ?? system { return folder }
        guard let folder = standardFolder(variable, below) else {
            throw .system("HOME is not set: set it, or DBXFS_STATE_DIR and DBXFS_CACHE_DIR")
        }
        return folder
    }
}
