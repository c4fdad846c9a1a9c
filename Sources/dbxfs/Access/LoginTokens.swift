// Access tokens of a login that may be replaced while a mount runs: a new login by `dbxfs login` is
// used from the next request on, of a file or of the keyring. Writes no file.

import DropboxAPI
import LocalFiles
import Logging
import Mounting
import Synchronization

/// Provides a mount's access tokens for as long as its login, or its successor, is valid.
final class LoginTokens: AccessTokenProvider {
    private struct State {
        var login: StoredLogin
        var version: PrivateFile.Version?
        var tokens: RefreshingAccessTokens
        /// The task that reads a new login from the keyring.
        var reading: Task<Void, Never>?
        /// The version whose login the keyring has not given, and when it is asked again.
        var failed: (version: PrivateFile.Version, until: ContinuousClock.Instant)?
    }

    /// Seconds until a keyring that has failed is asked again.
    private static let keyringPause = 60

    private let file: LoginFile
    /// The login command, for messages.
    private let command: String
    private let renewing: @Sendable (StoredLogin) -> RefreshingAccessTokens
    private let log: Logger
    private let state: Mutex<State>

    /// Begins with a login that a `version` of `file` had, and that `command` creates; `renewing`
    /// makes tokens of a login.
    init(
        _ login: StoredLogin, file: LoginFile, version: PrivateFile.Version?, command: String,
        log: Logger,
        renewing: @escaping @Sendable (StoredLogin) -> RefreshingAccessTokens
    ) {
        self.file = file
        self.command = command
        self.renewing = renewing
        self.log = log
        state = Mutex(State(login: login, version: version, tokens: renewing(login)))
    }

    /// A token that is good for minutes.
    func accessToken() async throws(TokenError) -> AccessToken {
        let tokens = try await current()
        do {
            return try await tokens.accessToken()
        } catch {
            throw advised(error)
        }
    }

    /// A token in place of one that the server refused, perhaps of a new login.
    func accessToken(replacing expired: AccessToken) async throws(TokenError) -> AccessToken? {
        let tokens = try await current()
        do {
            return try await tokens.accessToken(replacing: expired)
        } catch {
            throw advised(error)
        }
    }

    /// The tokens of the login in the file.
    private func current() async throws(TokenError) -> RefreshingAccessTokens {
        try noteVersion()
        // Other requests wait, too: the server may have ended the login before.
        await state.withLock { $0.reading }?.value
        return state.withLock { $0.tokens }
    }

    /// Uses the login of a new version of the file, or begins to read it from the keyring.
    ///
    /// Reading the directory entry is one system call in a folder that is never on the mount, small
    /// beside a request over the network; only a new version of the file is read.
    private func noteVersion() throws(TokenError) {
        guard let version = file.version else {
            guard !file.isMissing else {
                throw .missing("the account was logged out; run: \(command)")
            }
            return
        }
        state.withLock { state in
            guard version != state.version else { return }
            if let failed = state.failed, failed.version == version, .now < failed.until { return }
            state.version = version
            do throws(CommandError) {
                switch try file.contents() {
                case .login(let login)?: adopt(login, &state)
                case .keyring(let login)?:
                    state.reading = Task.detached { await self.read(.keyring(login), version) }
                case nil: break
                }
            } catch {
                report(error)
            }
        }
    }

    /// Reads a login from the keyring. The user is not asked: the command that stored it has done
    /// that.
    private func read(_ contents: LoginFile.Contents, _ version: PrivateFile.Version) async {
        do throws(CommandError) {
            let login = try await file.login(of: contents, .background)
            state.withLock { state in
                // Another login may have come in the meantime.
                guard state.version == version else { return }
                adopt(login, &state)
                state.reading = nil
            }
        } catch {
            report(error)
            state.withLock { state in
                guard state.version == version else { return }
                state.reading = nil
                state.failed = (version, .now.advanced(by: .seconds(Self.keyringPause)))
                state.version = nil
            }
        }
    }

    private func report(_ error: CommandError) {
        log.warning("a new login cannot be used", metadata: ["error": "\(error.message)"])
    }

    private func adopt(_ login: StoredLogin, _ state: inout State) {
        guard login != state.login else { return }
        // The queue belongs to the account that the mount began with.
        guard login.accountID == state.login.accountID else {
            return log.warning("the new login is another account's, and is not used")
        }
        log.notice("a new login is used from now on")
        state.login = login
        state.tokens = renewing(login)
    }

    /// The same error, with the login command.
    private func advised(_ error: TokenError) -> TokenError {
        switch error {
        case .invalidGrant(let text):
            .missing("Dropbox has ended the login (\(text)); run: \(command)")
        case .rejected(let code, let text):
            .missing("Dropbox refuses the login (\(code) \(text)); run: \(command)")
        case .server, .transport, .missing, .withheld, .cancelled: error
        }
    }
}
