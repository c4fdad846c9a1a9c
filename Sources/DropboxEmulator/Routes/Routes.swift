// The API functions that the emulator implements.

/// All routes under `/2/`.
enum Routes {
    /// The routes by name. `route name:2` of the specification is `name_v2` in a URL.
    static let table: [String: Route] =
        metadata
        .merging(content) { first, _ in first }
        .merging(sessions) { first, _ in first }
        .merging(namespace) { first, _ in first }
        .merging(batches) { first, _ in first }
        .merging(users) { first, _ in first }
        .merging(sharing) { first, _ in first }

    /// Scopes, as files.stone and users.stone name them.
    enum Scope {
        static let readMetadata = "files.metadata.read"
        static let readContent = "files.content.read"
        static let writeContent = "files.content.write"
        static let readAccount = "account_info.read"
        static let readSharing = "sharing.read"
        static let writeSharing = "sharing.write"
    }
}
