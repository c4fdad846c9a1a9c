// The clients of an app with one user at a time: set up at the start, authorized by a login.
// Setting up and logins are in DropboxClientsManager+Setup.

public import Dispatch
import Synchronization

/// Keeps the clients of an app.
public enum DropboxClientsManager {
    private struct State: Sendable {
        var client: DropboxClient?
        var teamClient: DropboxTeamClient?
    }

    /// Held for an access only.
    private static let state = Mutex(State())

    /// The client of the user who is logged in.
    public static var authorizedClient: DropboxClient? {
        get { state.withLock(\.client) }
        set { state.withLock { $0.client = newValue } }
    }

    /// The client of the team that is logged in.
    public static var authorizedTeamClient: DropboxTeamClient? {
        get { state.withLock(\.teamClient) }
        set { state.withLock { $0.teamClient = newValue } }
    }

    /// Takes the library's messages.
    public static var loggingClosure: LoggingClosure? {
        get { LibrarySettings.loggingClosure }
        set { LibrarySettings.loggingClosure = newValue }
    }

    /// Where handlers are called that name no queue: the main queue, unless a program sets another.
    ///
    /// On Linux the main queue runs in programs that have an asynchronous `main`, call
    /// `dispatchMain()`, or run the main run loop. A server whose main thread does none of these
    /// sets a queue of its own.
    public static var defaultResponseQueue: DispatchQueue {
        get { LibrarySettings.responseQueue }
        set { LibrarySettings.responseQueue = newValue }
    }

    /// The version of SwiftyDropbox whose names these are.
    public static var sdkVersion: String { Constants.versionSDK }

    /// Sends a message to the app's closure.
    public static func log(_ level: LogLevel, _ message: String) {
        LogHelper.log(level, message)
    }

    /// Forgets the clients and removes all stored tokens.
    public static func unlinkClients() {
        guard let manager = DropboxOAuthManager.sharedOAuthManager else { return }
        _ = manager.clearStoredAccessTokens()
        resetClients()
    }

    /// Forgets the clients; the tokens stay.
    public static func resetClients() {
        authorizedClient = nil
        authorizedTeamClient = nil
    }
}
