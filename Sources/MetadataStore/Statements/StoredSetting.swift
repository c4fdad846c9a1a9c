// The keys of the table `setting`: values of which a database has one each. Not responsible for
// their forms, which are those of the code that writes them.

/// The keys of all settings of a database.
package enum StoredSetting {
    // MARK: The database

    /// The random name of the database, for its change log.
    static let databaseName = "database.name"
    /// How often the database was opened and closed.
    static let databaseUses = "database.changes"
    /// The number of the last record of the change log that the database has.
    static let lastRecord = "changes.last"
    /// The ID of the account whose tree this is.
    static let accountID = "account.id"
    /// The server of that account.
    static let accountServer = "account.server"
    /// The person of that account, for messages.
    static let accountPerson = "account.person"

    // MARK: Staging

    /// The last number of a staging file that was given out.
    static let lastStagingFile = "staging.next"
    /// The identity of the system that wrote the staging files.
    package static let stagingSystem = "staging.system"
    /// The numbers of staging files whose flush has failed.
    package static let doubtfulFiles = "staging.doubtful"

    // MARK: The feed

    /// The cursor up to which deltas are applied.
    package static let feedCursor = "feed.cursor"
    /// The phase of the feed.
    package static let feedPhase = "feed.phase"
    /// The root of the tree's paths on the server.
    package static let feedRoot = "feed.root"
    /// Whether the listing goes folder by folder.
    package static let feedWalk = "feed.walk"
    /// Whether deltas tell of properties that change alone; absent if that is not known.
    package static let feedTellsFacts = "feed.facts"
    /// The number of the full listing that is running, or of the last one.
    static let feedListing = "feed.listing"

    // MARK: The filesystem

    /// The time that folders show before users change them.
    package static let folderTime = "filesystem.folder-time"
    /// The ignore patterns of the last mount.
    package static let ignoredPatterns = "filesystem.ignored"
    /// Whether the last mount sent links: the value, or nothing.
    package static let links = "filesystem.links"
    package static let linksAreSent = "sent"
}
