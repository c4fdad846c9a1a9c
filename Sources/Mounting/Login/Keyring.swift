// The keyring of the user's session (GNOME Keyring, KWallet) as a place for logins, with a time
// limit for each call. Not responsible for talking to it (SecretServiceTokenStore), nor for the
// file that names the login in it (LoginFile).

import DropboxAPI
import DropboxSecretService
import Glibc
import LocalFiles
import LocalIO
import Saturating

/// The keyring of the user's session.
package struct Keyring: Hashable, Sendable {
    /// The caller decides how long a call waits, and whether the desktop may ask the user.
    package enum Caller: Sendable {
        /// For a command that a user has entered: the desktop asks for the keyring's password, and
        /// the closure gets the notice that it does.
        case user(@Sendable (String) -> Void)
        /// For all others: a locked keyring is an error at once.
        case background

        /// Before a call for which the desktop asks the user.
        fileprivate func allowPrompt(_ notice: String) throws(TokenStoreError) {
            guard case .user(let announce) = self else { throw .locked }
            announce(notice)
        }
    }

    /// The time limits of calls, in seconds.
    struct Limits: Hashable, Sendable {
        /// For the user to enter a password.
        var user = 120
        /// For the keyring's service to start and to respond.
        var background = 10
    }

    /// The name of all logins of dbxfs in the keyring.
    private static let service = "dbxfs"

    /// Environment variables in place of this process's.
    private let variables: [String: String]
    private let limits: Limits

    /// The keyring of this process's session.
    package init() {
        self.init(variables: [:])
    }

    init(variables: [String: String], limits: Limits = Limits()) {
        self.variables = variables
        self.limits = limits
    }

    // MARK: Names

    /// The two names that entries of a file can have. A new login gets the name that is not in the
    /// file, so that the login before it can be used until the file is replaced.
    ///
    /// State folders of one user may have accounts of the same name, hence the fingerprint of the
    /// path.
    static func entries(of path: String) -> (first: String, last: String) {
        // The name of the account's folder has 64 bytes at most, and an entry's may have 100.
        let account = folderPath(of: path).split(separator: "/").last.map(String.init) ?? ""
        let name = "account \(account) \(fingerprint(path))"
        return (name, name + " b")
    }

    // MARK: Logins

    /// The login of which a file has all but the secret.
    func load(
        _ login: KeyringLogin, _ caller: Caller
    ) async throws(KeyringFault) -> StoredLogin {
        let (entry, notice) = (login.entry, notice)
        let stored = try await within(caller) { store throws(TokenStoreError) in
            if try await store.availability(of: entry) == .locked { try caller.allowPrompt(notice) }
            return try await store.load(entry)
        }
        guard login.matches(stored) else { throw .damaged(reason: "it is another account's") }
        return stored
    }

    /// Replaces the login of an entry. The user may be asked to unlock the keyring.
    func save(
        _ login: StoredLogin, _ entry: String, _ caller: Caller
    ) async throws(KeyringFault) {
        _ = try await within(caller) { store throws(TokenStoreError) in
            try await store.save(login, for: entry)
            return true
        }
    }

    /// Removes the logins of entries, those that there are.
    func remove(_ entries: [String], _ caller: Caller) async throws(KeyringFault) {
        let notice = notice
        _ = try await within(caller) { store throws(TokenStoreError) in
            for entry in entries {
                let availability = try await store.availability(of: entry)
                if availability == .locked { try caller.allowPrompt(notice) }
                if availability != .missing { try await store.remove(entry) }
            }
            return true
        }
    }

    /// Checks that the keyring's service answers. It may be locked.
    func check() async throws(KeyringFault) {
        _ = try await within(.background) { store throws(TokenStoreError) in
            try await store.availability(of: "none")
        }
    }

    /// A secret of another program, by its attributes. The desktop asks the user to unlock a locked
    /// keyring.
    func foreignSecret(
        _ attributes: [String], _ caller: Caller
    ) async throws(KeyringFault) -> String {
        try await within(caller) { store throws(TokenStoreError) in
            try await store.foreignSecret(attributes)
        }
    }

    private var notice: String {
        "the keyring is locked: enter its password where the desktop asks for it, within "
            + "\(limits.user) s"
    }

    // MARK: The time limit

    /// Runs work on the store. Throws `missing` if its result is nil, and `silent` at the limit,
    /// when the work is cancelled, and left to end by itself.
    private func within<Value: Sendable>(
        _ caller: Caller,
        _ work:
            @escaping @Sendable (SecretServiceTokenStore) async throws(TokenStoreError) -> Value?
    ) async throws(KeyringFault) -> Value {
        guard hasSession else { throw .noSession }
        let limit =
            switch caller {
            case .user: limits.user
            case .background: limits.background
            }
        let store = SecretServiceTokenStore(
            service: Self.service, tool: KeyringTool(variables: variables))
        let (results, continuation) = AsyncStream<Result<Value, KeyringFault>>.makeStream()
        let working = Task.detached {
            do throws(TokenStoreError) {
                let value = try await work(store)
                continuation.yield(value.map { .success($0) } ?? .failure(.missing))
            } catch {
                continuation.yield(.failure(KeyringFault(error)))
            }
        }
        let clock = Task.detached {
            try? await Task.sleep(for: .seconds(clamping: limit))
            continuation.yield(.failure(.silent(seconds: limit)))
        }
        defer {
            working.cancel()
            clock.cancel()
        }
        var first = results.makeAsyncIterator()
        return try (await first.next() ?? .failure(.silent(seconds: limit))).get()
    }

    /// Whether there is a session bus. Otherwise GLib would start one of its own if there is a
    /// display, on which no keyring is.
    private var hasSession: Bool {
        let all = ProcessVariables.all.merging(variables) { $1 }
        if let address = all["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return true }
        guard let folder = all["XDG_RUNTIME_DIR"], folder.hasPrefix("/") else { return false }
        return access(folder + "/bus", F_OK) == 0
    }
}

extension KeyringFault {
    fileprivate init(_ error: TokenStoreError) {
        self =
            switch error {
            case .unavailable(let reason), .failed(let reason): .unavailable(reason)
            case .locked: .locked
            case .damaged(_, let reason): .damaged(reason: reason)
            case .otherServer: .damaged(reason: "it is for another server")
            case .notPrivate(let path): .unavailable("\(path) is not private")
            case .invalidAccount(let name): .unavailable("it cannot have an entry '\(name)'")
            }
    }
}
