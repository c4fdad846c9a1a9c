// The files that a mount has made for nothing: its account or its folder on Dropbox does not exist. Without this, each
// misspelt folder would be listed as an account's for ever. Not responsible for logins, which lie in the same folder.

import Foundation
import Glibc
import LocalIO

/// The folders of a mount before its first use. To be looked for, and removed, with their locks only: another process may use
/// them in between.
package struct UnusedFolders {
    private static let lock = "lock"
    /// How the names of a mount's files in its state folder begin.
    private static let stateNames = [
        lock, "all-sent", "staging", "tree.sqlite", "history.jsonl", "dbxfs.log", "lost+found",
    ]

    private let folders: AccountFolders
    private let isStateUnused: Bool
    private let isCacheUnused: Bool

    /// Finds out which folders have no more than what making and locking them makes.
    package init(_ folders: AccountFolders) {
        self.folders = folders
        let names = Self.mountFiles(in: folders.state)
        isStateUnused =
            names.map { Set($0).isSubset(of: [Self.lock, "all-sent", "staging"]) } ?? false
            && (try? namesOfFolder(folders.staging))?.isEmpty == true
        isCacheUnused = (try? namesOfFolder(folders.cache)) == [Self.lock]
    }

    /// Removes all that a mount has put there since, unless it has found its account.
    package func remove() {
        guard isStateUnused, access(folders.identity, F_OK) != 0 else { return }
        if isCacheUnused {
            Self.remove(folderNames(in: folders.cache), in: folders.cache)
        }
        Self.remove(Self.mountFiles(in: folders.state) ?? [], in: folders.state)
    }

    private static func mountFiles(in state: String) -> [String]? {
        try? namesOfFolder(state).filter { name in stateNames.contains { name.hasPrefix($0) } }
    }

    /// Removes these, and the folder if there is no more in it.
    private static func remove(_ names: [String], in folder: String) {
        for name in names where name != lock {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        // From here on, another process may use the folder.
        unlink("\(folder)/\(lock)")
        rmdir(folder)
    }
}
