// The source of a mount: the first argument of `dbxfs mount` and the first field of an fstab line.

/// An account by its local name, and the folder in it that becomes the mount's root.
package struct MountSource: Hashable, Sendable, Codable {
    /// The local name of the account.
    package var account: String
    /// The folder: "" for the whole account, "/a/b" otherwise, as the Dropbox API writes it.
    package var remotePath: String

    /// The source if only one account is used.
    package static let standard = MountSource(account: "default", remotePath: "")

    /// Memberwise and without defaults.
    package init(account: String, remotePath: String) {
        self.account = account
        self.remotePath = remotePath
    }

    /// All of the account with this local name.
    package init(accountNamed name: String) throws(CommandError) {
        guard let source = try? MountSource(parsing: name), source.account == name else {
            throw .badAccount(name)
        }
        self = source
    }

    /// Parses `[ACCOUNT][:/REMOTE/PATH]`.
    ///
    /// An account's name becomes a folder's name, hence the narrow alphabet, and no `run`.
    package init(parsing text: String) throws(CommandError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let account = parts.first.map(String.init) ?? ""
        let isPlain = account.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        // `run` is the folder of sockets, beside those of accounts.
        guard isPlain, !account.hasPrefix("."), account != "run", account.utf8.count <= 64 else {
            throw .badSource(text)
        }
        self.account = account.isEmpty ? Self.standard.account : account
        self.remotePath = ""
        guard parts.count == 2, !parts[1].isEmpty else { return }
        let slash = UInt8(ascii: "/")
        guard parts[1].utf8.first == slash else { throw .badSource(text) }
        let components = parts[1].utf8.split(separator: slash).map { String(Substring($0)) }
        guard !components.contains(where: { $0 == "." || $0 == ".." }) else {
            throw .badSource(text)
        }
        self.remotePath = components.map { "/" + $0 }.joined()
    }
}

extension MountSource: CustomStringConvertible {
    /// The form that `init(parsing:)` reads.
    package var description: String { remotePath.isEmpty ? account : shown }

    /// The same with a colon in any case.
    package var shown: String { account + ":" + remotePath }
}
