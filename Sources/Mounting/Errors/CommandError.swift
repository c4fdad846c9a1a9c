// The errors of commands. Their messages and exit codes are defined here and nowhere else.

/// The exit codes of every command, mount(8)'s where it defines one.
package enum ExitStatus: Int32, Sendable {
    /// The command has succeeded.
    case success = 0
    /// The command line is invalid (mount(8): incorrect invocation).
    case usage = 1
    /// This machine lacks something (mount(8): system error).
    case system = 2
    /// A timeout or a refusal by the server: changes are still queued and none is lost, or pinned
    /// content is still missing.
    case stillQueued = 3
    /// Mounting or unmounting failed (mount(8): mount failure).
    case mountFailure = 32
}

/// Why a command failed.
package enum CommandError: Error, Hashable, Sendable {
    // MARK: Command line and settings
    case badSource(String)
    case badAccount(String)
    case unknownOption(String, guess: String? = nil)
    case notChangeable(String, others: [String])
    case badOptionValue(name: String, value: String, expected: String)
    case badSetting(name: String, value: String, expected: String)
    case badConfiguration(file: String, place: String, detail: String)
    case noMountpoint(account: String)
    case notRoot
    case badEndpoint(String)
    case insecureEndpoint(String)

    // MARK: Access to Dropbox
    case noToken(account: String, command: String, file: String)
    case credentialsTooOpen(file: String)
    case credentialsUnreadable(file: String, reason: String)
    /// A variable names a file that does not exist.
    case credentialsMissing(variable: String, file: String)
    case loginDamaged(file: String, reason: String)
    case keyring(KeyringFault, login: String)
    case otherServer(file: String, login: String, configured: String)
    /// The steps to an app are shown above it.
    case noAppKey
    /// `DBXFS_REFRESH_TOKEN` is set, but no app for it.
    case refreshTokenWithoutApp
    case loginFailed(String)
    case loginRefused(detail: String)
    case otherLogin(account: String, folder: String, expected: String, found: String)
    case notLoggedIn(account: String)
    case stillMounted(account: String, mountpoint: String)
    case notRevoked(server: String, detail: String)
    case unauthorized(server: String, detail: String)
    case forbidden(server: String, detail: String)
    case unreachable(server: String, detail: String)
    case serverNonsense(server: String, detail: String)
    case serverFailed(server: String, detail: String)
    /// A running mount was asked for something that the server has not done.
    case serverRefused(server: String, detail: String)
    case otherAccount(account: String, folder: String, expected: String, found: String)
    case filesOfOtherServer(account: String, folder: String, noted: String, configured: String)
    case accountDamaged(file: String, reason: String)
    case notOnDropbox(String)
    case remoteFolderMissing(String)
    case remoteNotAFolder(String)
    case noTeamSpace(account: String)
    case rootForbidden(root: String, detail: String)

    // MARK: This machine
    case mountpointNotEmpty(String)
    case alreadyMounted(String)
    case folderInsideMountpoint(folder: String, mountpoint: String)
    case mountpointInsideFolder(mountpoint: String, folder: String)
    case folderUnusable(path: String, reason: String)
    case folderNotPrivate(String)
    case diskFull(String)
    case folderInUse(folder: String, by: String)
    case databaseDamaged(path: String, detail: String)
    case databaseTooNew(String)
    case mountRefused(String)
    /// The place of `-o metrics=` cannot be had.
    case metricsUnavailable(address: String, reason: String)
    case mountDied(detail: String, log: String)
    case mountDoesNotAnswer(path: String, seconds: Int, log: String)
    /// The message and exit code that the child process has reported.
    case reported(String, ExitStatus)

    // MARK: A running mount
    case notMounted(String)
    case nothingToUnmount(String)
    case nothingMounted
    /// Mounts that a command about all of them has named, and could not ask.
    case noAnswer(mounts: Int)
    /// The mountpoints, of which the user has named none.
    case severalMounts([String])
    case notOurs(path: String, type: String)
    case noControl(path: String, detail: String)
    /// The process of a mount that is still in the kernel's table has ended.
    case processGone(String)
    /// Root has made the mount, and does not serve this user, or the command is root's.
    case rootsMount(String)
    case busy(String)
    case unmountFailed(path: String, detail: String)
    case stillQueued(operations: Int, reason: String?)
    /// The mount is detached, and its queue cannot be read.
    case queueUnknown(String)
    case nothingThere(String)
    case unsentChanges(String)
    case readOnlyMount(String)
    case noHistory(path: String, reason: String)
    case notDeleted(String)
    /// A folder from which no content can be imported.
    case noImport(path: String, reason: String)
    case noSuchRevision(String)
    case notRestored(files: Int)
    case noLink(path: String, reason: String)
    case noExport(path: String, reason: String)
    case notExported(files: Int)
    case noSharedFolder(String)
    case severalSharedFolders(String, candidates: [String])
    /// A path at which no shared folder begins.
    case notShared(String)
    /// The login does not have the scopes of sharing; `advice` says what has to have them.
    case sharingForbidden(server: String, detail: String, advice: String)
    case notPinned(String)
    case pinnedByFolder(path: String, folder: String)
    case notHereYet(files: Int, reason: String)
    case nothingPutAside(String)
    case severalPutAside(String)
    case noContent(String)
    case onlyPart(name: String, revision: String?, missing: String)
    case alreadyThere(String)
    case notRecovered(path: String, reason: String)
    case noEmulator(path: String)
    case emulatorFailed(detail: String)
    /// `dbxfs doctor` has printed the problems.
    case problemsFound(Int)
    case capabilitiesKept(reason: String)
    case system(String)
}

extension CommandError {
    /// The page on which apps are registered.
    package static let appConsole = "https://www.dropbox.com/developers/apps"

    /// The detail of `noControl` for a process that neither answers nor has ended.
    package static let silence = "it does not answer"

    /// A text that can be no app's key.
    package static func badAppKey(_ key: String, name: String) -> CommandError {
        .badSetting(name: name, value: key, expected: "the App key that \(appConsole) shows")
    }
    /// The page on which users revoke an app's access.
    package static let connectedApps = "https://www.dropbox.com/account/connected_apps"

    /// The exit code of the process.
    package var exitStatus: ExitStatus {
        switch self {
        case .badSource, .badAccount, .severalMounts, .unknownOption, .notChangeable,
            .badOptionValue, .badSetting,
            .badConfiguration, .noMountpoint, .notRoot, .badEndpoint, .insecureEndpoint, .noAppKey,
            .refreshTokenWithoutApp:
            .usage
        case .stillQueued, .queueUnknown, .notHereYet: .stillQueued
        case .reported(_, let status): status
        case .unsentChanges, .readOnlyMount, .noHistory, .notDeleted, .noImport, .noSuchRevision,
            .notRestored,
            .noLink, .noExport, .notExported, .noSharedFolder, .severalSharedFolders, .notShared,
            .sharingForbidden,
            .notOnDropbox, .notMounted, .noControl, .processGone, .noAnswer, .rootsMount,
            .nothingMounted, .nothingThere,
            .serverRefused, .notPinned,
            .pinnedByFolder, .nothingPutAside, .severalPutAside, .noContent, .onlyPart,
            .alreadyThere, .notRecovered, .noEmulator,
            .emulatorFailed, .problemsFound, .capabilitiesKept, .system, .loginFailed,
            .loginRefused, .otherLogin,
            .notLoggedIn, .keyring,
            .stillMounted, .notRevoked:
            .system
        case .noToken, .credentialsTooOpen, .credentialsUnreadable, .credentialsMissing,
            .loginDamaged, .otherServer,
            .unauthorized,
            .forbidden,
            .unreachable, .serverNonsense, .serverFailed, .otherAccount, .filesOfOtherServer,
            .accountDamaged,
            .remoteFolderMissing,
            .remoteNotAFolder, .noTeamSpace, .rootForbidden, .mountpointNotEmpty, .alreadyMounted,
            .folderInsideMountpoint,
            .mountpointInsideFolder, .folderUnusable, .folderNotPrivate,
            .diskFull, .folderInUse, .databaseDamaged, .databaseTooNew, .mountRefused,
            .metricsUnavailable, .mountDied, .mountDoesNotAnswer, .nothingToUnmount, .notOurs,
            .busy, .unmountFailed:
            .mountFailure
        }
    }
}
