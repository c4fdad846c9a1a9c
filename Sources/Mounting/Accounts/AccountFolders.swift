// The paths of one account's files. Data that can be fetched again is kept apart from data that
// cannot: no code that clears the cache has a path to the queue.

import ContentHashing
import Foundation
import Glibc
import LocalFiles
import LocalIO

/// The folders of one account on this machine.
package struct AccountFolders: Hashable, Sendable {
    /// The state folder, which must not be lost: database with the queue, staged content.
    package let state: String
    /// The cache folder, which may be deleted at any time.
    package let cache: String

    /// The database of tree and queue.
    package var database: String { Self.database(in: state) }
    /// The folder of content that waits for its upload.
    package var staging: String { state + "/staging" }
    /// The file that records the account of the last mount.
    package var identity: String { Self.identity(in: state) }
    /// The folder of files that belong to the account and not to one of its mounts.
    private let account: String
    /// The login file, shared by all mounts of an account.
    package var login: LoginFile {
        LoginFile(path: account + "/credentials.json", server: server, command: loginCommand)
    }
    /// The command that logs the account in.
    private let loginCommand: String
    /// The address of the server, unless it is Dropbox.
    private let server: String?
    /// The file with an access token on one line, shared by all mounts of an account.
    package var token: String { account + "/token" }
    /// The log file of a mount in the background.
    package var log: String { state + "/dbxfs.log" }
    /// Exists while no mount runs and Dropbox has everything in this folder, which then holds no
    /// local-only content either: a package's removal script can tell without dbxfs that the folder
    /// may be deleted.
    private var sentMark: String { state + "/all-sent" }
    /// The folder of cached blocks.
    package var blocks: String { cache + "/blocks" }

    /// Creates the paths for a source.
    ///
    /// A mount of a folder has a tree and a queue of its own, beside that of the whole account. It
    /// has a cache folder of its own too, because only one process at a time may use one.
    package init(source: MountSource, settings: MountSettings, environment: Environment) {
        let tree = Self.suffix(of: settings.root, member: settings.member)
        let name = Self.name(
            of: source.remotePath, behind: "\(source.account)\(tree)", in: environment.stateFolder)
        state = environment.stateFolder + "/" + name
        account = environment.stateFolder + "/" + source.account
        server = environment.endpoint?.address
        loginCommand = CommandError.login(source.account, environment.scope)
        cache = (settings.cacheFolder ?? environment.cacheFolder) + "/" + name
    }

    /// The sorted names of all accounts that have a folder here.
    package static func accounts(_ environment: Environment) -> [String] {
        let names = folderNames(in: environment.stateFolder).filter { name in
            let path = environment.stateFolder + "/" + name
            return path != environment.runtimeFolder && isFolder(path)
        }
        let accounts = names.compactMap { name in
            let account = String(name.prefix { $0 != "@" })
            return (try? MountSource(parsing: account))?.account == account ? account : nil
        }
        return Set(accounts).sorted()
    }

    /// The existing state folders of an account: that of the whole account, and those of its
    /// mounted folders.
    package static func states(of account: String, environment: Environment) -> [String] {
        folderNames(in: environment.stateFolder)
            .filter { $0 == account || $0.hasPrefix(account + "@") }
            .sorted()
            .map { environment.stateFolder + "/" + $0 }
    }

    /// The state folders of an account whose last mount was at a place, whether it runs or not.
    package static func states(
        of account: String, lastMountedAt mountpoint: String, environment: Environment
    ) -> [String] {
        states(of: account, environment: environment).filter {
            AccountLock.lastHolder(of: $0)?.mountpoint == mountpoint
        }
    }

    /// The state folders of an account whose mounts show a folder on Dropbox, or a part of it, and
    /// nothing else: by its path, or by the ID of its namespace.
    package static func states(
        of account: String, within remotePath: String, namespace: String, environment: Environment
    ) -> [String] {
        let folder = folded(remotePath)
        let root = "@@\(namespace)"
        return states(of: account, environment: environment).filter { state in
            let suffix = state.dropFirst("\(environment.stateFolder)/\(account)".count)
            return path(of: suffix).map { isPath($0, within: folder) }
                ?? (suffix.hasSuffix(root) || suffix.contains("\(root)@"))
        }
    }

    /// The file that records the account of a state folder's last mount.
    package static func identity(in state: String) -> String { state + "/account.json" }
    /// The database of tree and queue in a state folder.
    package static func database(in state: String) -> String { state + "/tree.sqlite" }
    /// The folder of unverified content that was put aside in a state folder.
    package static func lostAndFound(in state: String) -> String { state + "/lost+found" }

    /// Creates the folders, private to this user.
    package func make() throws(CommandError) {
        try makePrivateFolder(state)
        if access(database, F_OK) != 0, folderNames(in: staging).isEmpty {
            noteEverythingSent(true)
        }
        try makePrivateFolder(staging)
        try makePrivateFolder(cache)
    }

    /// Sets or removes the mark that Dropbox has everything and no mount will change that; a
    /// removal is durable before it returns.
    package func noteEverythingSent(_ isSent: Bool) {
        if isSent {
            if let file = try? RegularFile.open(sentMark, O_WRONLY | O_CREAT) { close(file) }
        } else if unlink(sentMark) == 0 {
            try? synchronizeFolder(of: sentMark)
        }
    }

    /// Refuses a mountpoint that would contain these folders or be contained in them, because this
    /// process would then wait for itself.
    package func checkApart(from mountpoint: String) throws(CommandError) {
        for folder in [state, cache, account] {
            let resolved = resolvedPath(folder)
            if isPath(resolved, within: mountpoint) {
                throw .folderInsideMountpoint(folder: folder, mountpoint: mountpoint)
            }
            if isPath(mountpoint, within: resolved) {
                throw .mountpointInsideFolder(mountpoint: mountpoint, folder: folder)
            }
        }
    }

    /// The name's part for a root: `@@team` for a team's space (no path begins so). Another member
    /// of a team has another account.
    private static func suffix(of root: MountSettings.Root, member: String?) -> String {
        let place =
            switch root {
            case .home: ""
            case .team: "@@team"
            case .namespace(let id): "@@" + id
            }
        let person = member.map { "@@" + fingerprint($0) } ?? ""
        return "\(person)\(place)"
    }

    /// The name of the folder for a path behind an account and a root. To Dropbox, a path is the
    /// same in any case and composition: a folder that was made for another spelling is used.
    private static func name(
        of remotePath: String, behind prefix: String, in stateFolder: String
    ) -> String {
        guard !remotePath.isEmpty else { return prefix }
        let exists = { (name: String) in access("\(stateFolder)/\(name)", F_OK) == 0 }
        let text = suffix(of: remotePath)
        let isTooLong = text.utf8.count > longestPathPart
        // Earlier versions hashed the spelling.
        let exact = "\(prefix)\(isTooLong ? "@" + fingerprint(remotePath) : text)"
        if exists(exact) { return exact }
        let folded = folded(remotePath)
        let known = folderNames(in: stateFolder).filter { other in
            other.hasPrefix(prefix) && path(of: other.dropFirst(prefix.count)) == folded
        }
        if let other = known.min() { return other }
        // Of two spellings, one may be too long.
        let hashed = "\(prefix)@\(fingerprint(folded))"
        return isTooLong || exists(hashed) ? hashed : exact
    }

    /// The folded path of which a text is the suffix; nil if it is that of no path, or a hash.
    private static func path(of suffix: Substring) -> String? {
        guard suffix.hasPrefix("@"), !suffix.hasPrefix("@@") else { return nil }
        return unescaped(suffix, signs: [UInt8(ascii: "@"): UInt8(ascii: "/")]).map(folded)
    }

    /// The same for all spellings of a path, byte by byte.
    private static func folded(_ path: String) -> String {
        path.lowercased().precomposedStringWithCanonicalMapping
    }

    /// Bytes of a path in a folder's name, which has up to 64 for the account and those of the
    /// root, and 255 at most.
    private static let longestPathPart = 120

    /// The name's part for a path: `@a@b` for `/a/b`: readable, and no account's name contains an
    /// `@`. Bytes unfit for a folder's name are written as `%` and two digits. One that is too long
    /// becomes a hash.
    private static func suffix(of remotePath: String) -> String {
        var text = ""
        for byte in remotePath.utf8 {
            switch byte {
            case UInt8(ascii: "/"): text += "@"
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text.append(digits.count == 1 ? "%0" + digits : "%" + digits)
            }
        }
        return text
    }
}

/// A short text for another one in the name of a file, a socket or an entry of the keyring: the
/// same in every process and version, because these are found by it.
func fingerprint(_ text: String) -> String {
    String(FNV1a.hash(text.utf8), radix: 16)
}

extension Environment {
    /// The mountpoints of all processes that hold the lock of one of an account's state folders, or
    /// of any account's.
    package func lockHolders(of account: String? = nil) -> [String] {
        let accounts = account.map { [$0] } ?? AccountFolders.accounts(self)
        return accounts.flatMap { AccountFolders.states(of: $0, environment: self) }
            .compactMap { AccountLock.currentHolder(of: $0)?.mountpoint }
    }
}
