// Where one account's files lie. What can be fetched again and what can not are kept apart: nothing
// that clears the cache has a path that leads to the queue.

import Glibc
import PrivateFiles

/// The folders of one account on this machine.
public struct AccountFolders: Hashable, Sendable {
    /// Everything that must not be lost: database with queue, staged content.
    public let state: String
    /// Cached content, which may be deleted at any time.
    public let cache: String

    /// The tree and the queue.
    public var database: String { Self.database(in: state) }
    /// Content that waits for its upload.
    public var staging: String { state + "/staging" }
    /// Whose account it is, as of the last mount.
    public var identity: String { Self.identity(in: state) }
    /// What belongs to the account and not to one mount of it, and the name of its files.
    private let account: String
    /// The login: the same for all mounts of an account.
    public var login: LoginFile {
        LoginFile(path: account + "/credentials.json", server: server)
    }
    /// The address of the server, unless it is Dropbox.
    private let server: String?
    /// An access token, one line: the same for all mounts of an account.
    public var token: String { account + "/token" }
    /// What a mount in the background logs.
    public var log: String { state + "/dbxfs.log" }
    /// There while nothing here is missing on Dropbox, content that never goes there included, and nothing is mounted: who removes dbxfs can tell
    /// by it, without dbxfs, that the folder can go, too.
    private var sentMark: String { state + "/all-sent" }
    /// Cached blocks.
    public var blocks: String { cache + "/blocks" }

    /// The folders of the account that a source names.
    ///
    /// A mount of a folder has a tree and a queue of its own, beside that of the whole account; the
    /// cache is keyed by content and shared by nobody at the same time, hence a folder of its own too.
    public init(source: MountSource, settings: MountSettings, environment: Environment) {
        let name =
            source.account + Self.suffix(of: settings.root, member: settings.member)
            + Self.suffix(of: source.remotePath)
        state = environment.stateFolder + "/" + name
        account = environment.stateFolder + "/" + source.account
        server = environment.endpoint?.address
        cache = (settings.cacheFolder ?? environment.cacheFolder) + "/" + name
    }

    /// The names of all accounts that have a folder here, by name.
    public static func accounts(_ environment: Environment) -> [String] {
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

    /// The state folders of an account that exist: that of all of it, and those of its parts.
    public static func states(of account: String, environment: Environment) -> [String] {
        folderNames(in: environment.stateFolder)
            .filter { $0 == account || $0.hasPrefix(account + "@") }
            .sorted()
            .map { environment.stateFolder + "/" + $0 }
    }

    /// Whose account a state folder's is, as of its last mount.
    public static func identity(in state: String) -> String { state + "/account.json" }
    /// The tree and the queue of a state folder.
    public static func database(in state: String) -> String { state + "/tree.sqlite" }
    /// Content that was put aside in a state folder, because nothing vouches for it.
    public static func lostAndFound(in state: String) -> String { state + "/lost+found" }

    /// Makes them, private to this user.
    public func make() throws(CommandError) {
        try makePrivateFolder(state)
        if access(database, F_OK) != 0, folderNames(in: staging).isEmpty {
            noteEverythingSent(true)
        }
        try makePrivateFolder(staging)
        try makePrivateFolder(cache)
    }

    /// Notes that everything is on Dropbox and nobody is about to change that, or that this may be so no
    /// longer; the latter is durable before it returns.
    public func noteEverythingSent(_ isSent: Bool) {
        if isSent {
            let file = open(sentMark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            if file >= 0 { close(file) }
        } else if unlink(sentMark) == 0 {
            synchronizeFolder(of: sentMark)
        }
    }

    /// Refuses a mountpoint that would contain these folders or be contained in them: this process
    /// would then wait for itself.
    public func checkApart(from mountpoint: String) throws(CommandError) {
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

    /// `@@team` for a team's space: no path begins so. Another member of a team is another person.
    private static func suffix(of root: MountSettings.Root, member: String?) -> String {
        let place =
            switch root {
            case .home: ""
            case .team: "@@team"
            case .namespace(let id): "@@" + id
            }
        let person = member.map { "@@" + String(fingerprint($0), radix: 16) } ?? ""
        return person + place
    }

    /// `@a@b` for `/a/b`: readable, and no account's name contains an `@`. Bytes that a folder's name
    /// should not have are written as `%` and two digits, and what gets too long as a number.
    private static func suffix(of remotePath: String) -> String {
        guard !remotePath.isEmpty else { return "" }
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
                text += digits.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return text.utf8.count <= 120 ? text : "@" + String(fingerprint(remotePath), radix: 16)
    }
}

/// A number for a text that is the same in every process: FNV-1a, 64 bits.
func fingerprint(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
}
