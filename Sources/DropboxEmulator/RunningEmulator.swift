// A running emulator for in-process use: the admin routes as methods.

import NIOCore

/// An emulator that is listening.
public final class RunningEmulator: Sendable {
    /// The base URL of every address: one server stands for all of Dropbox's hosts.
    public let baseURL: String
    /// The port that it listens on.
    public let port: Int
    let emulator: Emulator
    private let listener: any Channel
    private let connections: AcceptedConnections
    private let task: Task<Void, Never>

    init(
        baseURL: String, port: Int, emulator: Emulator, listener: any Channel,
        connections: AcceptedConnections, task: Task<Void, Never>
    ) {
        self.baseURL = baseURL
        self.port = port
        self.emulator = emulator
        self.listener = listener
        self.connections = connections
        self.task = task
    }

    /// Stops listening, aborts all calls, and returns once nothing runs.
    public func stop() async {
        try? await listener.close()
        await emulator.deferred.close()
        task.cancel()
        await task.value
        await connections.close()
        emulator.close()
    }

    /// Returns once the emulator has ended by itself.
    public func wait() async {
        await task.value
    }

    /// Plans a fault, described as in `POST /admin/faults`; returns its number.
    ///
    /// Throws if the description is invalid.
    @discardableResult
    public func addFault(_ fault: JSONValue) throws -> Int64 {
        try emulator.faults.add(fault)
    }

    /// Removes all planned faults.
    public func removeFaults() {
        emulator.faults.remove(nil)
    }

    /// Changes settings, described as in `POST /admin/settings`.
    ///
    /// Throws if the description is invalid.
    public func updateSettings(_ settings: JSONValue) throws {
        try emulator.updateSettings(settings)
    }

    /// The counters, as in `GET /admin/stats`.
    public var statistics: JSONValue { emulator.statistics.json }

    /// Sets all counters to zero.
    public func resetStatistics() {
        emulator.statistics.reset()
    }

    /// Creates a token for the first account; returns it. Two tokens act as two clients.
    public func makeToken(_ token: String) throws {
        guard let account = emulator.accounts.accounts.first else { return }
        try emulator.accounts.add(
            Token(account: account.id, expiresAt: nil, scopes: nil, refreshToken: nil), as: token)
    }

    /// The only member of a team.
    public struct TeamMember: Sendable {
        /// The member's id in the team (`dbmid:…`).
        public let memberID: String
        /// The member's e-mail address.
        public let email: String
        /// The name of the member's home folder in the team's space.
        public let homeName: String
    }

    /// Creates a team with one member, whose user token is `token`; the team's is `teamToken`.
    public func makeTeamMember(token: String, teamToken: String) throws -> TeamMember {
        let account = try emulator.accounts.makeAccount(
            givenName: "Team", surname: "Member", email: "member@example.com", isTeamMember: true)
        for (text, isTeam) in [(token, false), (teamToken, true)] {
            try emulator.accounts.add(
                Token(
                    account: account.id, expiresAt: nil, scopes: nil, refreshToken: nil,
                    isTeam: isTeam), as: text)
        }
        return TeamMember(
            memberID: account.teamMemberID, email: account.email, homeName: account.displayName)
    }

    /// Sets the quota of the first account, in bytes.
    public func setQuota(_ bytes: Int64) throws {
        try firstSpace()?.apply(.setQuota(bytes))
    }

    /// Sets how many entries of the first account can be moved or copied at once; 10,000 on
    /// Dropbox.
    public func setRelocationLimit(_ entries: Int) throws {
        try firstSpace()?.apply(.setRelocationLimit(entries))
    }

    /// Makes a file of the first account a cloud document, with the formats of its exports, the
    /// standard one first.
    public func makeDocument(_ path: String, formats: [String]) throws {
        let marks = FileMarks(
            exportAs: formats.first, exportOptions: Array(formats.dropFirst()))
        try firstSpace()?.apply(.mark(path: path, marks))
    }

    /// Makes a folder of the first account a shared one, of another account if `owner` names it,
    /// and takes it out of the account's tree unless `isMounted`.
    public func share(
        _ path: String, namespace: String, isReadOnly: Bool = false, owner: String? = nil,
        isMounted: Bool = true
    ) throws {
        let shared = SharedFolder(namespace: namespace, isReadOnly: isReadOnly, owner: owner)
        try firstSpace()?.apply(.share(path: path, shared))
        if !isMounted { try firstSpace()?.apply(.unmountFolder(namespace: namespace)) }
    }

    /// Invalidates every cursor of the first account.
    public func resetCursors() throws {
        try firstSpace()?.apply(.resetCursors)
    }

    /// Adds many files with generated content to the first account.
    public func seed(files: Int, folders: Int, bytes: Int) throws {
        try firstSpace()?.apply(.seed(files: files, folders: folders, bytes: bytes))
    }

    /// Fills the first account with a small sample tree, unless it has entries already.
    public func fillWithSample() throws {
        if let space = firstSpace() { try Sample.fill(space) }
    }

    private func firstSpace() -> Space? {
        emulator.accounts.accounts.first.flatMap { emulator.accounts.space(of: $0) }
    }
}
