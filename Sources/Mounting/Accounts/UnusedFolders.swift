// The files that a mount has made for nothing: its account or its folder on Dropbox does not exist.
// Without this, each misspelt folder would be listed as an account's for ever. Not responsible for
// logins, which lie in the same folder.

import Foundation
import Glibc
import LocalFiles

/// The folders of a mount before its first use. To be looked for, and removed, with their locks
/// only: another process may use them in between.
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
            names.map {
                $0.contains(Self.lock) && Set($0).isSubset(of: [Self.lock, "all-sent", "staging"])
            } ?? false
            && PrivateFile.isMissing(folders.identity)
            && (try? namesOfFolder(folders.staging))?.isEmpty == true
        isCacheUnused = (try? namesOfFolder(folders.cache)) == [Self.lock]
    }

    /// Removes all that a mount has put there since, unless it has found its account.
    package func remove() {
        guard isStateUnused, PrivateFile.isMissing(folders.identity) else { return }
        if isCacheUnused {
            Self.remove(folderNames(in: folders.cache), in: folders.cache)
        }
        // Content that a mount puts aside is never removed, also where none can be.
        let names = Self.mountFiles(in: folders.state)?.filter { !$0.hasPrefix("lost+found") }
        Self.remove(names ?? [], in: folders.state)
    }

    /// Whether an error of a mount says that there is nothing to mount. After others, such as a
    /// network that is down, the next try needs the folder and its log.
    package static func areLeft(by error: CommandError) -> Bool {
        switch error {
        case .notOnDropbox, .remoteFolderMissing, .remoteNotAFolder, .noTeamSpace, .rootForbidden:
            true
        default: false
        }
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
