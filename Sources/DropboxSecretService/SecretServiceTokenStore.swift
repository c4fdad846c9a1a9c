// Logins in the desktop's keyring: GNOME's, KDE's, or another with the Secret Service API. Accessed
// through libsecret's program secret-tool, so that GLib is not linked. Secrets are passed by stdin
// and stdout, never as arguments, which every user of the machine can read.
// https://specifications.freedesktop.org/secret-service/

public import DropboxAPI

/// Stores logins with the Secret Service of the user's session.
///
/// A locked keyring makes the desktop ask the user for its password; a call waits for that, and
/// cancelling the task ends it. If the user does not unlock it, calls throw
/// `TokenStoreError.locked`. Without secret-tool, a session bus or a keyring, calls throw
/// `TokenStoreError.unavailable`: a server stores logins in a `FolderTokenStore`.
public struct SecretServiceTokenStore: TokenStore {
    /// The app's name in the keyring.
    public let service: String
    private let tool: any SecretTool

    /// Names the app, for example `com.example.photos`; apps do not see one another's logins.
    public init(service: String) {
        self.init(service: service, tool: SecretToolProcess())
    }

    /// Names the app, and how the program is run.
    package init(service: String, tool: any SecretTool) {
        self.service = service
        self.tool = tool
    }

    /// The login of an account; nil when there is none.
    public func load(_ account: String) async throws(TokenStoreError) -> StoredLogin? {
        let outcome = try await tool.run(["lookup"] + (try attributes(of: account)))
        guard outcome.isSuccess else {
            // Only a missing login gives no message, and a user who does not unlock the keyring.
            guard outcome.errors.isEmpty else { throw outcome.failure }
            guard try await availability(of: account) != .locked else { throw .locked }
            return nil
        }
        do {
            return try StoredLogin(json: outcome.output)
        } catch {
            throw .damaged(account: account, reason: error.reason)
        }
    }

    /// Replaces an account's login.
    public func save(
        _ login: StoredLogin, for account: String
    ) async throws(TokenStoreError) {
        let attributes = try attributes(of: account)
        let outcome = try await tool.run(
            ["store", "--label=\(service): \(account)"] + attributes, input: login.json)
        guard outcome.isSuccess else { throw outcome.failure }
    }

    /// Removes an account's login, if there is one.
    public func remove(_ account: String) async throws(TokenStoreError) {
        let outcome = try await tool.run(["clear"] + (try attributes(of: account)))
        guard outcome.isSuccess || outcome.errors.isEmpty else { throw outcome.failure }
        guard try await availability(of: account) != .locked else { throw .locked }
    }

    /// Whether an account's login can be loaded.
    package enum Availability: Hashable, Sendable {
        /// There is none, or none that can be seen before the keyring is unlocked.
        case missing
        /// The keyring has to be unlocked first, for which `load` makes the desktop ask the user.
        case locked
        /// `load` returns it without a question to the user.
        case readable
    }

    /// Whether an account's login can be loaded. The user is asked nothing.
    package func availability(
        of account: String
    ) async throws(TokenStoreError) -> Availability {
        let outcome = try await tool.run(["search", "--all"] + (try attributes(of: account)))
        let lines = outcome.output.split(whereSeparator: \.isNewline)
        // Unlike the other commands, this one does not unlock. It shows what may be seen of a
        // locked login: its attributes, on stderr; of a keyring that was not unlocked since its
        // service started, only its number in brackets.
        guard lines.contains(where: { $0.hasPrefix("[") }) else {
            guard outcome.isSuccess || outcome.errors.isEmpty else { throw outcome.failure }
            return .missing
        }
        return lines.contains { $0.hasPrefix("secret = ") } ? .readable : .locked
    }

    /// The names of all accounts, sorted. Throws `locked` if they cannot be seen before the keyring
    /// is unlocked.
    public func accounts() async throws(TokenStoreError) -> [String] {
        let outcome = try await tool.run(["search", "--all", "service", service])
        guard outcome.isSuccess else { throw outcome.failure }
        // Attributes come on stderr, secrets on stdout.
        let lines = outcome.errors.split(whereSeparator: \.isNewline)
        if lines.contains(where: { $0.hasPrefix("attribute.gkr:compat:hashed:") }) { throw .locked }
        let mark = "attribute.account = "
        return lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
            .sorted()
    }

    /// The secret that another program keeps under these attributes; nil if there is none, or the
    /// keyring stays locked.
    package func foreignSecret(
        _ attributes: [String]
    ) async throws(TokenStoreError) -> String? {
        let outcome = try await tool.run(["lookup"] + attributes)
        guard outcome.isSuccess else {
            guard outcome.errors.isEmpty else { throw outcome.failure }
            return nil
        }
        return outcome.output
    }

    /// The attributes that identify an account's login. A name that begins like an option would be
    /// taken for one.
    private func attributes(of account: String) throws(TokenStoreError) -> [String] {
        try TokenStoreError.check(account: account)
        guard !account.hasPrefix("-") else { throw .invalidAccount(account) }
        return ["service", service, "account", account]
    }
}
