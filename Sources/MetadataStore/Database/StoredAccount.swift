// The account whose tree a database has. It is among the rows, so that they have an owner also
// without the files beside them.

/// The account of a database, as of its last mount with a network.
package struct StoredAccount: Hashable, Sendable {
    /// The server's ID of the account.
    package var id: String
    /// The server; nil in databases from before it was noted.
    package var server: String?
    /// Name and address of the person, for messages; nil in databases from before they were noted.
    package var person: String?

    /// Memberwise and without defaults.
    package init(id: String, server: String?, person: String?) {
        self.id = id
        self.server = server
        self.person = person
    }
}

extension TreeReading {
    /// The account whose tree this is; nil until its first mount.
    package func account() throws -> StoredAccount? {
        guard let id = try setting(StoredSetting.accountID) else { return nil }
        return StoredAccount(
            id: id, server: try setting(StoredSetting.accountServer),
            person: try setting(StoredSetting.accountPerson))
    }
}

extension Transaction {
    /// Sets the account whose tree this is.
    package func setAccount(_ account: StoredAccount) throws {
        guard try self.account() != account else { return }
        try setSetting(StoredSetting.accountID, to: account.id)
        try setSetting(StoredSetting.accountServer, to: account.server)
        try setSetting(StoredSetting.accountPerson, to: account.person)
    }
}
