// Every failure is one line that says what to do, and has the exit code that scripts rely on.

import Testing

@testable import Mounting

@Suite struct CommandErrorTests {
    private static let table: [(CommandError, Mounting.ExitStatus, remedy: String)] = [
        (.badSource("a b"), .usage, "ACCOUNT:/FOLDER"),
        (.badSource("/Documents"), .usage, "for a folder on Dropbox :/Documents"),
        (.badAccount("a b"), .usage, "'a b' cannot be the name of an account: it takes letters"),
        (.severalMounts(["/a", "/b"]), .usage, "name one of /a, /b"),
        (.unknownOption("fast"), .usage, "dbxfs mount --help"),
        (.unknownOption("cache-size", guess: "cache_size"), .usage, "is cache_size meant?"),
        (
            .notChangeable("fsync", others: ["cache_size"]), .usage,
            "'fsync' cannot be changed while it is mounted"
        ),
        (.badOptionValue(name: "uid", value: "x", expected: "a user number"), .usage, "uid takes"),
        (.badSetting(name: "N", value: "v", expected: "w"), .usage, "it takes w"),
        (.badEndpoint("x"), .usage, "https://HOST"),
        (.insecureEndpoint("http://x"), .usage, "127.0.0.1"),
        (
            .badConfiguration(file: "/c", place: "a.b", detail: "unknown key"), .usage,
            "/c: a.b: unknown key"
        ),
        (.noMountpoint(account: "a"), .usage, "mountpoint in [account.a]"),
        (.notRoot, .usage, "for root"),
        (.capabilitiesKept(reason: "r"), .system, "cannot be given up (r)"),
        (
            .metricsUnavailable(address: "localhost:1", reason: "r"), .mountFailure,
            "served at localhost:1 (r): name another place"
        ),
        (
            .noToken(account: "a", command: "dbxfs login", file: "/f"), .mountFailure,
            "DBXFS_ACCESS_TOKEN"
        ),
        (.credentialsTooOpen(file: "/f"), .mountFailure, "chmod 600"),
        (.credentialsUnreadable(file: "/f", reason: "r"), .mountFailure, "one line"),
        (
            .credentialsMissing(variable: "V", file: "/f"), .mountFailure,
            "there is no /f, which V names"
        ),
        (.unauthorized(server: "Dropbox", detail: "d"), .mountFailure, "run: dbxfs login"),
        (.loginDamaged(file: "/f", reason: "r"), .mountFailure, "run: dbxfs login"),
        (
            .otherServer(file: "/f", login: "Dropbox", configured: "http://127.0.0.1:1"),
            .mountFailure, "the login in /f is for Dropbox, but the server is http://127.0.0.1:1,"
        ),
        (.refreshTokenWithoutApp, .usage, "DBXFS_APP_KEY"),
        (.badAppKey("a&b", name: "app key"), .usage, "developers/apps"),
        (.noAppKey, .usage, "make one as above"),
        (.loginFailed("because"), .system, "because"),
        (.loginRefused(detail: "d"), .system, "nothing was changed"),
        (
            .otherLogin(account: "a", folder: "/f", expected: "x", found: "y"), .system,
            "dbxfs login --account NAME"
        ),
        (.notLoggedIn(account: "a"), .system, "no login here"),
        (.stillMounted(account: "a", mountpoint: "/m"), .system, "unmount it first"),
        (.notRevoked(server: "Dropbox", detail: "d"), .system, "--force"),
        (.forbidden(server: "Dropbox", detail: "d"), .mountFailure, "scopes"),
        (.unreachable(server: "Dropbox", detail: "d"), .mountFailure, "mounts offline"),
        (.serverNonsense(server: "Dropbox", detail: "d"), .mountFailure, "DBXFS_ENDPOINT"),
        (.serverFailed(server: "Dropbox", detail: "d"), .mountFailure, "try again"),
        (.serverRefused(server: "Dropbox", detail: "d"), .system, "has not done it: d"),
        (
            .otherAccount(account: "a", folder: "/f", expected: "x", found: "y"), .mountFailure,
            "another account name"
        ),
        (
            .filesOfOtherServer(
                account: "a", folder: "/f", noted: "Dropbox", configured: "http://127.0.0.1:1"),
            .mountFailure, "/f keeps files of Dropbox, but the server is http://127.0.0.1:1,"
        ),
        (.accountDamaged(file: "/f", reason: "r"), .mountFailure, "remove it"),
        (.notOnDropbox("/a"), .system, "on Dropbox"),
        (.remoteFolderMissing("/a"), .mountFailure, "make it first"),
        (.remoteNotAFolder("/a"), .mountFailure, "mount the folder"),
        (.mountpointNotEmpty("/m"), .mountFailure, "empty directory"),
        (.alreadyMounted("/m"), .mountFailure, "dbxfs status /m"),
        (
            .folderInsideMountpoint(folder: "/f", mountpoint: "/m"), .mountFailure,
            "DBXFS_CACHE_DIR"
        ),
        (
            .mountpointInsideFolder(mountpoint: "/m", folder: "/f"), .mountFailure,
            "directory elsewhere"
        ),
        (.folderUnusable(path: "/f", reason: "r"), .mountFailure, "DBXFS_STATE_DIR"),
        (.folderNotPrivate("/f"), .mountFailure, "chmod 700"),
        (.diskFull("/f"), .mountFailure, "free some space"),
        (.folderInUse(folder: "/f", by: "b"), .mountFailure, "unmount that"),
        (.databaseDamaged(path: "/f", detail: "d"), .mountFailure, "keep a copy"),
        (.databaseTooNew("/f"), .mountFailure, "install that version"),
        (.mountDied(detail: "d", log: "/l"), .mountFailure, "see /l"),
        (.mountDoesNotAnswer(path: "/m", seconds: 3, log: "/l"), .mountFailure, "see /l"),
        (.reported("as said", .usage), .usage, "as said"),
        (.notMounted("/m"), .system, "dbxfs status"),
        (.nothingToUnmount("/m"), .mountFailure, "dbxfs status"),
        (.nothingMounted, .system, "dbxfs mount"),
        (.notOurs(path: "/m", type: "ext4"), .mountFailure, "umount"),
        (.rootsMount("/m"), .system, "as root"),
        (.noControl(path: "/m", detail: "d"), .system, "DBXFS_STATE_DIR"),
        (.processGone("/m"), .system, "mount it again"),
        (.busy("/m"), .mountFailure, "--lazy"),
        (.stillQueued(operations: 2, reason: nil), .stillQueued, "stay queued"),
        (.queueUnknown("/mnt/d"), .stillQueued, "mount it again"),
        (.unsentChanges("/m/a"), .system, "dbxfs sync"),
        (.readOnlyMount("/m"), .system, "without ro"),
        (.noHistory(path: "/m/a", reason: "it is a folder"), .system, "it is a folder"),
        (.notDeleted("/m/a"), .system, "--rev"),
        (.noImport(path: "/o", reason: "it is no folder"), .system, "it is no folder"),
        (.noSuchRevision("/m/a"), .system, "dbxfs revisions"),
        (.notRestored(files: 1), .system, "1 file was not"),
        (.noLink(path: "/m/a", reason: "it is not on Dropbox yet"), .system, "not on Dropbox yet"),
        (.noExport(path: "/m/a", reason: "it is a folder"), .system, "it is a folder"),
        (.notExported(files: 2), .system, "2 documents were not"),
        (.noSharedFolder("x"), .system, "`dbxfs shared` lists"),
        (
            .severalSharedFolders("x", candidates: ["1 (Ada)", "2 (Bo)"]), .system,
            "by its id: 1 (Ada); 2 (Bo)"
        ),
        (.notShared("/m/a"), .system, "name the folder itself"),
        (
            .sharingForbidden(
                server: "Dropbox", detail: "d",
                advice: CommandError.sharingAdvice("work", .user)), .system,
            "the account a login since then: `dbxfs login --account work`"
        ),
        (.nothingPutAside("x"), .system, "`dbxfs recover` lists"),
        (.severalPutAside("7"), .system, "as `dbxfs recover` lists it"),
        (.noContent("a/0"), .system, "--remove"),
        (.onlyPart(name: "a/7", revision: nil, missing: "bytes 4-9"), .system, "bytes 4-9"),
        (
            .onlyPart(name: "a/7", revision: "012", missing: "bytes 4-9"), .system,
            "restore --rev 012"
        ),
        (.alreadyThere("/m/a"), .system, "nothing is overwritten"),
        (.notRecovered(path: "/m/a", reason: "r"), .system, "still there"),
        (.noEmulator(path: "/e"), .system, "make demo"),
    ]

    @Test("every message is one line with a remedy, and its exit code is fixed")
    func messages() {
        for (error, status, remedy) in Self.table {
            #expect(error.exitStatus == status, "\(error)")
            #expect(!error.message.contains("\n"), "\(error)")
            #expect(error.message.contains(remedy), "\(error.message)")
        }
    }

    @Test("the command that logs in is the one for this account and these folders")
    func login() {
        #expect(CommandError.login("default", .user) == "dbxfs login")
        #expect(CommandError.login("work", .user) == "dbxfs login --account work")
        #expect(CommandError.login("work", .system) == "dbxfs login --system --account work")
    }

    @Test("after a login, the account is mounted where it belongs or elsewhere")
    func mountAdvice() throws {
        let environment = try Environment(["HOME": "/home/u"])
        #expect(
            environment.mountAdvice(for: "default") == [
                "Mount it at /home/u/Dropbox: dbxfs mount", "Or elsewhere: dbxfs mount MOUNTPOINT",
            ])
        #expect(
            environment.mountAdvice(for: "work") == [
                "Mount it at /home/u/Dropbox-work: dbxfs mount --account work",
                "Or elsewhere: dbxfs mount work MOUNTPOINT",
            ])
        let system = try Environment([:], scope: .system)
        #expect(
            system.mountAdvice(for: "work") == ["Mount it: dbxfs mount --system work MOUNTPOINT"])
    }

    @Test("the steps to an app name its permissions, its addresses, and the command that uses it")
    func appSteps() {
        let steps = CommandError.appSteps(
            scopes: LoginScopes(sharing: nil, posix: true, isReadOnly: false),
            redirects: ["http://localhost:1/"],
            login: "dbxfs login --account work")
        for text in [
            CommandError.appConsole, "files.content.read files.content.write",
            "   files.metadata.write sharing.read sharing.write", "   http://localhost:1/",
            ": dbxfs login --account work --app-key KEY",
        ] { #expect(steps.contains { $0.hasSuffix(text) || $0.contains(text + ":") }, "\(text)") }
        #expect(steps.allSatisfy { $0.utf8.count <= 120 })
    }

    @Test("a login that has ended gets its command once, and no word of access tokens to set")
    func endedLogin() {
        let detail =
            "no access token: Dropbox has ended the login (revoked); run: dbxfs login --account work"
        #expect(
            CommandError.unauthorized(server: "Dropbox", detail: detail).message
                == "Dropbox cannot be used: " + detail)
    }

    @Test("one change is one change")
    func plural() {
        #expect(
            CommandError.stillQueued(operations: 1, reason: "offline").message
                == "1 change is not on Dropbox yet (offline); it stays queued and is sent as soon as the account is "
                + "mounted and online")
        #expect(
            CommandError.stillQueued(operations: 2, reason: nil).message
                .hasPrefix("2 changes are not on Dropbox yet;"))
    }
}
