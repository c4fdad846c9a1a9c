// The message of each error of a command, as a table: the fault, and after the colon or semicolon
// the remedy, in one line, because it is shown in a terminal, in a journal or in mount(8)'s output.
// The compiler reports a case without a message.

extension CommandError {
    /// The message for the user.
    package var message: String {
        switch self {
        // Command line and settings
        case .badSource(let text):
            "the source \(quoted(text)) cannot be read: write ACCOUNT, ACCOUNT:/FOLDER or :/FOLDER"
                + (text.hasPrefix("/") ? ", for a folder on Dropbox :\(text)" : "")
        case .badAccount(let name):
            "\(quoted(name)) cannot be the name of an account: it takes letters, digits, '-', '_' and '.', at most 64, "
                + "and '.' not as the first"
        case .unknownOption(let name, let guess):
            "unknown mount option \(quoted(name))" + (guess.map { "; is \($0) meant?" } ?? "")
                + ": `dbxfs mount --help` lists the options"
        case .notChangeable(let name, let others):
            "\(quoted(name)) cannot be changed while it is mounted: only "
                + others.joined(separator: ", ") + " can"
        case .badOptionValue(let name, let value, let expected):
            "the mount option \(name)=\(value) is not valid: \(name) takes \(expected)"
        case .badSetting(let name, let value, let expected):
            "\(name)=\(value) is not valid: it takes \(expected)"
        case .badConfiguration(let file, let place, let detail):
            "\(file): \(place): \(detail)"
        case .noMountpoint(let account):
            "no mountpoint for the account \(quoted(account)): name one, or write it to the "
                + "configuration file, as mountpoint in [account.\(account)]"
        case .notRoot:
            "--system is for root: it uses /etc/dbxfs, /var/lib/dbxfs and /var/cache/dbxfs"
        case .badEndpoint(let text):
            "DBXFS_ENDPOINT=\(text) is not a server's address: "
                + "write https://HOST[:PORT] or unset it to use Dropbox"
        case .insecureEndpoint(let text):
            "DBXFS_ENDPOINT=\(text) would send the token unencrypted: "
                + "plain http is allowed for 127.0.0.1, [::1] and localhost only"
        // Access to Dropbox
        case .noToken(let account, let command, let file):
            "no login for the account \(quoted(account)): run: \(command); or set "
                + "DBXFS_ACCESS_TOKEN, or write an access token to \(file) (mode 0600)"
        case .credentialsTooOpen(let file):
            "\(file) can be read by other users and is not used: chmod 600 it, "
                + "and revoke the token if others have logins here"
        case .credentialsUnreadable(let file, let reason):
            "\(file) cannot be used (\(reason)): it holds the access token in one line"
        case .credentialsMissing(let variable, let file):
            "there is no \(file), which \(variable) names: copy credentials.json of a login there (mode 0600)"
        case .unauthorized(let server, let detail):
            // Of a login that has ended, the detail has the command already, with the name of the
            // account.
            detail.contains("; run: ")
                ? "\(server) cannot be used: \(detail)"
                : "\(server) does not accept the access token: run: dbxfs login; "
                    + "or set DBXFS_ACCESS_TOKEN to a new token (\(detail))"
        case .forbidden(let server, let detail):
            "\(server) does not allow this token to read the account (\(detail)): "
                + "give the app the scopes account_info.read, files.metadata.* and "
                + "files.content.*, and log in again or make a new token"
        case .unreachable(let server, let detail):
            "\(server) cannot be reached: \(detail); "
                + "an account that was mounted here before also mounts offline"
        case .serverNonsense(let server, let detail):
            "\(server) does not answer like Dropbox (\(detail)): "
                + "check DBXFS_ENDPOINT, and whether a proxy or login page is in between"
        case .serverFailed(let server, let detail):
            "\(server) failed (\(detail)): try again in a while"
        case .serverRefused(let server, let detail):
            "\(server) has not done it: \(detail)"
        case .otherAccount(let account, let folder, let expected, let found):
            "the token is \(found)'s, but \(folder) keeps the files of \(expected): use that "
                + "account's token, or another account name than \(quoted(account))"
        case .filesOfOtherServer(let account, let folder, let noted, let configured):
            "\(folder) keeps files of \(noted), but the server is \(configured), by DBXFS_ENDPOINT or `endpoint` in the "
                + "configuration file: change that, or use another account name than \(quoted(account))"
        case .accountDamaged(let file, let reason):
            "\(file), which says whose files are beside it, cannot be read (\(reason)): if all of them are of "
                + "the account that you mount, remove it and mount with a network; else keep the folder and "
                + "use another account name"
        case .notOnDropbox(let path):
            "there is no \(quoted(path)) on Dropbox"
        case .remoteFolderMissing(let path):
            "there is no folder \(quoted(path)) on Dropbox: make it first, or mount another one"
        case .remoteNotAFolder(let path):
            "\(quoted(path)) on Dropbox is a file: mount the folder that it is in"
        case .noTeamSpace(let account):
            "\(account) is in no team with a space of its own: mount without root=team"
        case .rootForbidden(let root, let detail):
            "the account may not use what root=\(root) names (\(detail)): "
                + "mount root=home, or ask for access to that folder"
        // Logging in and out
        case .loginDamaged(let file, let reason):
            "\(file) cannot be used (\(reason)): log in again, run: dbxfs login"
        case .keyring(let fault, let login): fault.message(login)
        case .otherServer(let file, let login, let configured):
            "the login in \(file) is for \(login), but the server is \(configured), by DBXFS_ENDPOINT or `endpoint` in the "
                + "configuration file: change that, or log in there, run: dbxfs login"
        case .refreshTokenWithoutApp:
            "DBXFS_REFRESH_TOKEN is set without its app: set DBXFS_APP_KEY, or app_key in the "
                + "configuration file, to the key of the app that it is for"
        case .noAppKey:
            "no app to log in with: make one as above, or name one by --app-key or DBXFS_APP_KEY"
        case .loginFailed(let detail): "the login failed: \(detail)"
        case .loginRefused(let detail):
            "access was not allowed (\(detail)): nothing was changed; run dbxfs login to try again"
        case .otherLogin(let account, let folder, let expected, let found):
            "this login is \(found)'s, but \(folder) keeps the files of \(expected), which must not "
                + "be mixed; nothing was changed: log in as \(expected), or use another name than "
                + "\(quoted(account)): dbxfs login --account NAME"
        case .notLoggedIn(let account):
            "the account \(quoted(account)) has no login here"
        case .stillMounted(let account, let mountpoint):
            "the account \(quoted(account)) is mounted at \(mountpoint): unmount it first, or add "
                + "--force, after which the mount only has what is cached, and keeps what is queued"
        case .notRevoked(let server, let detail):
            "\(server) could not be told to end the login (\(detail)), so it was kept: try again "
                + "later, or add --force to remove it here and end it at \(Self.connectedApps)"
        // This machine
        case .mountpointNotEmpty(let path):
            "the mountpoint \(path) is not empty, and mounting would hide what is in it: "
                + "name an empty directory"
        case .alreadyMounted(let path):
            "something is mounted at \(path) already: "
                + "see `dbxfs status \(path)`, or name another directory"
        case .folderInsideMountpoint(let folder, let mountpoint):
            "\(folder) is inside the mountpoint \(mountpoint), which would lock up both: "
                + "set DBXFS_STATE_DIR and DBXFS_CACHE_DIR to places outside of it"
        case .mountpointInsideFolder(let mountpoint, let folder):
            "the mountpoint \(mountpoint) is inside \(folder), where dbxfs keeps its own files: "
                + "name a directory elsewhere"
        case .folderUnusable(let path, let reason):
            "\(path) cannot be used (\(reason)): "
                + "set DBXFS_STATE_DIR and DBXFS_CACHE_DIR to places that you can write to"
        case .folderNotPrivate(let path):
            "\(path) belongs to another user or others can write to it, and is not used: "
                + "chown it to yourself and chmod 700 it"
        case .diskFull(let path):
            "the disk is full at \(path), where dbxfs keeps its cache and what is to be "
                + "uploaded: free some space"
        case .folderInUse(let folder, let by):
            "\(folder) is in use by \(by): one account can be mounted once at a time; "
                + "unmount that, or use another account name or folder"
        case .databaseDamaged(let path, let detail):
            "\(path) cannot be opened (\(detail)): keep a copy of the folder that it is in, "
                + "for it may hold changes that Dropbox does not have yet, and report it"
        case .databaseTooNew(let path):
            "\(path) cannot be opened: a newer version of dbxfs has written it: install that "
                + "version, or a later one"
        // A running mount
        case .mountRefused(let detail): detail
        case .metricsUnavailable(let address, let reason):
            "metrics cannot be served at \(address) (\(reason)): name another place by metrics=, one for each mount"
        case .mountDied(let detail, let log):
            "the mount ended before it was ready (\(detail)): see \(log)"
        case .mountDoesNotAnswer(let path, let seconds, let log):
            "\(path) was mounted, but did not answer within \(seconds) s and was given up: see \(log)"
        case .reported(let message, _): message
        case .notMounted(let path), .nothingToUnmount(let path):
            "nothing is mounted at \(path): `dbxfs status` lists the mounts"
        case .nothingMounted:
            "nothing is mounted: `dbxfs mount MOUNTPOINT` does"
        case .severalMounts(let mountpoints):
            "there is more than one mount: name one of " + mountpoints.joined(separator: ", ")
        case .notOurs(let path, let type):
            "\(path) is a mount of type \(type), not of dbxfs: use umount"
        case .noControl(let path, let detail):
            "the process behind \(path) cannot be asked (\(detail)): use the same "
                + "DBXFS_STATE_DIR and user as for the mount, or unmount with --lazy"
        case .processGone(let path):
            "the process behind \(path) is gone: mount it again, and its changes are sent"
        case .noAnswer(let mounts):
            "\(Terminal.count(mounts, "mount does", "mounts do")) not answer: `dbxfs doctor` says what to do"
        case .rootsMount(let path):
            "root has made the mount at \(path): run the command as root; a mount with `allow_other,uid=` answers that user's "
                + "`status`, `sync`, `pins`, `conflicts` and `revisions`"
        case .busy(let path):
            "\(path) is in use: close what `fuser -vm \(path)` lists, or add --lazy"
        case .unmountFailed(let path, let detail):
            "\(path) could not be unmounted: \(detail)"
        case .stillQueued(let operations, let reason):
            "\(operations) change\(operations == 1 ? " is" : "s are") not on Dropbox yet"
                + (reason.map { " (\($0))" } ?? "")
                + (operations == 1 ? "; it stays queued" : "; they stay queued")
                + whenSent(reason, isOne: operations == 1)
        case .queueUnknown(let path):
            "\(path) is unmounted, and whether changes of it are queued cannot be read: mount it again, and they are sent"
        case .nothingThere(let path):
            "there is no \(quoted(path))"
        case .notPinned(let path):
            "\(quoted(path)) is not pinned: `dbxfs pins` lists what is"
        case .pinnedByFolder(let path, let folder):
            "\(quoted(path)) is pinned as a part of \(quoted(folder)): unpin that"
        case .notHereYet(let files, let reason):
            (files == 0
                ? "not all files of the account are known yet"
                : "\(files) pinned file\(files == 1 ? " is" : "s are") not here yet")
                + " (\(reason)); they are fetched as soon as that can be"
        case .noEmulator(let path):
            "the demo needs the program dropbox-emulator, at \(path): it is in the package dbxfs-demo, and "
                + "`make demo` builds it"
        case .emulatorFailed(let detail):
            "the emulator did not start: \(detail)"
        case .problemsFound(let count):
            "\(count) problem\(count == 1 ? "" : "s") found: see above"
        case .capabilitiesKept(let reason):
            "root's capabilities cannot be given up (\(reason)), and no server is asked with them: allow capset and prctl "
                + "in the filter of this container, or do without root"
        case .system(let detail): detail
        // Revisions and links
        case .unsentChanges(let path):
            "\(quoted(path)) has changes that are not on Dropbox yet, itself or a folder above it: "
                + "run `dbxfs sync`, and try again"
        case .readOnlyMount(let path):
            "\(path) is mounted read-only, and nothing is changed through it: mount it without ro"
        case .noHistory(let path, let reason):
            "\(quoted(path)) has no revisions: \(reason)"
        case .noLink(let path, let reason):
            "there can be no link to \(quoted(path)): \(reason)"
        case .noExport(let path, let reason):
            "\(quoted(path)) was not exported: \(reason)"
        case .notExported(let files):
            "\(files) document\(files == 1 ? " was" : "s were") not exported"
        case .noSharedFolder(let name):
            "there is no shared folder \(quoted(name)) that can be joined: `dbxfs shared` lists those that there are"
        case .severalSharedFolders(let name, let candidates):
            "there is more than one shared folder \(quoted(name)): name it by its id: "
                + candidates.joined(separator: "; ")
        case .notShared(let path):
            "\(quoted(path)) is no shared folder that can be left: name the folder itself, as `dbxfs shared` lists it"
        case .sharingForbidden(let server, let detail, let advice):
            "\(server) does not allow it: \(detail); \(advice)"
        case .notDeleted(let path):
            "\(quoted(path)) is not deleted: name the revision to go back to with --rev; "
                + "`dbxfs revisions` lists them"
        case .noImport(let path, let reason):
            "nothing can be imported from \(quoted(path)): \(reason)"
        case .noSuchRevision(let path):
            "Dropbox has no such revision of \(quoted(path)): `dbxfs revisions` lists them"
        case .notRestored(let files):
            "\(files) file\(files == 1 ? " was" : "s were") not brought back"
        // Content that was put aside
        case .nothingPutAside(let name):
            "\(quoted(name)) is no account, no mountpoint, and no content that was put aside: "
                + "`dbxfs recover` lists what was, with --system that of system mounts"
        case .severalPutAside(let name):
            "there is more than one \(quoted(name)): name it as `dbxfs recover` lists it"
        case .noContent(let name):
            "of \(quoted(name)) there is only this note and no content: --remove removes it"
        case .onlyPart(let name, nil, let missing):
            "\(quoted(name)) is not whole (missing: \(missing)): add --partial to write what is "
                + "there, with zeros for the rest"
        case .onlyPart(let name, let revision?, let missing):
            "\(quoted(name)) is only the changed part of an edit of revision \(revision) (missing: "
                + "\(missing)): see `dbxfs revisions`, and `dbxfs restore --rev \(revision)` for the "
                + "rest; add --partial to write what is there, with zeros for that"
        case .alreadyThere(let path):
            "there is a \(quoted(path)) already, and nothing is overwritten: name a new file"
        case .notRecovered(let path, let reason):
            "\(quoted(path)) could not be written (\(reason)): name a file elsewhere; what was put "
                + "aside is still there"
        }
    }

    /// Without the promise to send if the network is not the reason: then the queue does not
    /// continue by itself.
    private func whenSent(_ reason: String?, isOne: Bool) -> String {
        reason == nil || reason == "offline"
            ? " and \(isOne ? "is" : "are") sent as soon as the account is mounted and online" : ""
    }

    private func quoted(_ text: String) -> String {
        "'" + text + "'"
    }
}
