// The permissions that a login asks for. Not responsible for asking, nor for a mount's abilities
// without one of them.

/// The scopes of a login: those without which it is refused, and those that it can do without.
package struct LoginScopes: Hashable, Sendable {
    /// The scope to change anything. A login without it is for read-only mounts.
    package static let writing = "files.content.write"
    /// The scope to keep modes, times and attributes on Dropbox.
    package static let posix = "files.metadata.write"
    /// The scope to list shared folders.
    private static let readingShares = "sharing.read"
    /// The scope to make links, and to join and leave shared folders.
    private static let writingShares = "sharing.write"

    /// The scopes without which the login is refused. Each route of `DropboxAPI` documents its own.
    package let needed: [String]
    /// The scopes that an app may lack.
    package let wished: [String]

    /// The scopes for the user's choices. `sharing` is nil if the user has not chosen: links and
    /// shared folders are asked for, and the login is not refused without them. `isReadOnly` leaves
    /// out all scopes that change something.
    package init(sharing: Bool?, posix: Bool, isReadOnly: Bool) {
        let shares =
            isReadOnly ? [Self.readingShares] : [Self.readingShares, Self.writingShares]
        var needed = ["account_info.read", "files.metadata.read", "files.content.read"]
        var wished: [String] = []
        if !isReadOnly { needed.append(Self.writing) }
        if posix, !isReadOnly { wished.append(Self.posix) }
        switch sharing {
        case true?: needed.append(contentsOf: shares)
        case nil: wished.append(contentsOf: shares)
        case false?: break
        }
        self.needed = needed
        self.wished = wished
    }

    /// The needed and the wished scopes.
    package var all: [String] { [needed, wished].flatMap(\.self) }

    /// The options of `dbxfs login` that ask for less, or nil if all is needed.
    package var lesser: String? {
        let options = [
            asksForShares ? "--no-sharing" : nil,
            wished.contains(Self.posix) ? "--no-posix" : nil,
        ].compactMap(\.self)
        return options.isEmpty ? nil : options.joined(separator: " and ")
    }

    private var asksForShares: Bool { wished.contains(Self.readingShares) }

    /// The advice after Dropbox's page has refused the scopes.
    package var refusalAdvice: String {
        "tick \(all.joined(separator: ", ")) at \(CommandError.appConsole) under Permissions, and submit"
            + (lesser.map { "; or ask for less, by \($0)" } ?? "") + "; then run dbxfs login again"
    }
}
