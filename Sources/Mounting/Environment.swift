// What the environment says: the `DBXFS_*` variables, the XDG folders and the token.

import Glibc

/// The settings that come from environment variables.
public struct Environment: Sendable {
    /// Folder of queues, databases, logs and credentials, with a folder per account.
    public var stateFolder: String
    /// Folder of cached content, with a folder per account.
    public var cacheFolder: String
    /// Folder of the sockets by which commands talk to running mounts.
    public var runtimeFolder: String
    /// The server that replaces Dropbox; nil for Dropbox.
    public var endpoint: Endpoint?
    /// How much is logged.
    public var logLevel: LogLevel
    /// The app that logins are for, unless the command line names one.
    public var appKey: String?
    /// A ready access token. Whoever prints the environment must not print this.
    public var accessToken: String?

    /// Reads variables. Empty ones count as unset, relative XDG folders are ignored as their
    /// specification demands.
    public init(_ variables: [String: String]) throws(CommandError) {
        func value(_ name: String) -> String? {
            variables[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        func standard(_ variable: String, _ below: String) throws(CommandError) -> String {
            if let folder = value(variable), folder.hasPrefix("/") { return folder + "/dbxfs" }
            guard let home = value("HOME"), home.hasPrefix("/") else {
                throw .system(
                    "HOME is not set: set it, or DBXFS_STATE_DIR and DBXFS_CACHE_DIR")
            }
            return home + below + "/dbxfs"
        }
        if let state = value("DBXFS_STATE_DIR") {
            stateFolder = absolutePath(state)
        } else {
            stateFolder = try standard("XDG_STATE_HOME", "/.local/state")
        }
        if let cache = value("DBXFS_CACHE_DIR") {
            cacheFolder = absolutePath(cache)
        } else {
            cacheFolder = try standard("XDG_CACHE_HOME", "/.cache")
        }
        runtimeFolder = value("DBXFS_RUNTIME_DIR").map(absolutePath) ?? stateFolder + "/run"
        if let address = value("DBXFS_ENDPOINT") {
            endpoint = try Endpoint(parsing: address)
        }
        logLevel = .info
        if let name = value("DBXFS_LOG_LEVEL") {
            guard let level = LogLevel(rawValue: name.lowercased()) else {
                throw .badSetting(
                    name: "DBXFS_LOG_LEVEL", value: name,
                    expected: LogLevel.allCases.map(\.rawValue).joined(separator: ", "))
            }
            logLevel = level
        }
        appKey = value("DBXFS_APP_KEY")
        accessToken = value("DBXFS_ACCESS_TOKEN")
    }

    /// Reads the variables of this process.
    public init() throws(CommandError) {
        try self.init(Self.variables)
    }

    /// The server's name for messages.
    public var serverName: String { endpoint?.address ?? "Dropbox" }

    /// All variables of this process.
    public static var variables: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let parts = String(cString: entry)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
            next += 1
        }
        return variables
    }

    /// Takes the token out of this process's environment, so that children (`fusermount3`) and crash
    /// reports do not get it. Must run before a second thread does.
    public static func forgetToken() {
        unsetenv("DBXFS_ACCESS_TOKEN")
    }
}

/// How much is logged, from everything to failures only.
public enum LogLevel: String, CaseIterable, Sendable, Codable {
    case trace, debug, info, notice, warning, error, critical
}
