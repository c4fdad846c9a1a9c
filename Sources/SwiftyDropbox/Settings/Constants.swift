// The version of the API that programs are written for, and what the library has to say to its app.

/// Facts about the library.
public struct Constants {
    /// The version of SwiftyDropbox whose names these are.
    public static let versionSDK = "10.2.4"
    /// How requests name their program.
    static let userAgent = "SwiftyDropbox-Linux/\(versionSDK)"
}

/// How much a message matters.
public enum LogLevel: Sendable {
    case error
    case info
    case debug
}

/// Takes the library's messages.
public typealias LoggingClosure = @Sendable (LogLevel, String) -> Void

/// Sends messages to the app's closure.
public enum LogHelper {
    /// How much messages about background sessions matter.
    public static let backgroundSessionLogLevel: LogLevel = .debug

    static func log(_ level: LogLevel = .info, _ message: String) {
        LibrarySettings.loggingClosure?(level, "[SwiftyDropbox] \(message)")
    }
}
