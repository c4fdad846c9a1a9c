// The prerequisites for mounting an account. Facts in, findings out. Never a secret.

/// The facts about one account.
package struct AccountFacts: Hashable, Sendable {
    /// The credentials in use.
    package enum Access: Hashable, Sendable {
        /// The token in this variable.
        case environment(String)
        /// A login stored by `dbxfs login`.
        case login
        /// A login whose secret is in the keyring, which has given it.
        case keyring
        /// A token in this file.
        case token(String)
        /// No credentials, or credentials that mounts refuse.
        case refused(CommandError)
    }

    /// The result of a request to the server.
    package enum Answer: Hashable, Sendable {
        /// No request, for lack of credentials.
        case notAsked
        /// The server has accepted them, for this person's account.
        case accepted(person: String)
        /// The server has refused them, or the request has failed.
        case failed(CommandError)
        /// No response within so many seconds.
        case silent(seconds: Int)
    }

    /// The account's local name.
    package var account: String
    /// The credentials in use.
    package var access: Access
    /// Whether it is one of several accounts, and the user has not named it.
    package var isOneOfSeveral = false
    /// Whether the credentials are a login that asked for nothing that changes files.
    package var isReadOnly = false
    /// Whether the keyring may have the secret of an earlier login.
    package var hasLeftover = false
    /// The server's response to the credentials.
    package var answer: Answer = .notAsked
    /// Whether modes, times and attributes are kept on Dropbox.
    package var sharing = PosixSharing.unknown
    /// Whether that is so by the options of a running mount, and not by the configuration file.
    package var isSharingOfMount = false
    /// The route to the server.
    package var route: ServerRoute
    /// The state folders of the account.
    package var trees: [TreeFacts] = []

    /// Creates the facts of an account without a request.
    package init(account: String, access: Access, route: ServerRoute) {
        self.account = account
        self.access = access
        self.route = route
    }

    /// The findings about the account.
    package var findings: [Finding] {
        [accessFinding] + leftoverFindings + serverFindings + sharingFindings
            + trees.flatMap(\.findings)
    }

    private var sharingFindings: [Finding] {
        sharing.findings(about: account, isOfMount: isSharingOfMount)
    }

    private var accessFinding: Finding {
        func finding(_ level: Finding.Level, _ text: String) -> Finding {
            Finding("credentials", about: account, level, text)
        }
        switch access {
        case .environment(let variable): return finding(.ok, "the token in \(variable)")
        case .login: return finding(.ok, "a login" + limit)
        case .keyring: return finding(.ok, "a login, whose secret is in the keyring" + limit)
        case .token(let file): return finding(.ok, "the token in \(file)")
        case .refused(.noToken(_, let command, _)) where isOneOfSeveral && !hasQueue:
            return finding(
                .note,
                "no login, and nothing queued: \(command) to use it again")
        case .refused(let error): return finding(.problem, error.message)
        }
    }

    private var limit: String {
        isReadOnly ? "; it may only read, so mounts with it are read-only" : ""
    }

    private var leftoverFindings: [Finding] {
        guard hasLeftover else { return [] }
        return [
            Finding(
                "credentials", about: account, .warning,
                "the keyring may still have the secret of an earlier login: the next `dbxfs login` or `dbxfs logout` "
                    + "in the desktop's session removes it")
        ]
    }

    private var hasQueue: Bool { trees.contains { $0.pending > 0 } }

    private var serverFindings: [Finding] {
        switch answer {
        case .notAsked: []
        case .accepted(let person):
            [Finding("server", about: account, .ok, "\(route.summary); the account of \(person)")]
                + route.clockFindings(account)
        case .failed(let error):
            [Finding("server", about: account, .problem, "\(error.message)\(route.proxyNote)")]
                + route.clockFindings(account)
        case .silent(let seconds):
            [
                Finding(
                    "server", about: account, .problem,
                    "\(route.server) does not answer within \(seconds) s\(route.proxyNote): check the "
                        + "network and the proxy")
            ]
        }
    }
}

/// The facts about one state folder of an account.
package struct TreeFacts: Hashable, Sendable {
    /// The state of a database.
    package enum Database: Hashable, Sendable {
        /// No database exists yet.
        case absent
        /// SQLite's check has passed.
        case sound
        /// A mount has it open, and reports errors itself.
        case mounted(at: String)
        /// It is damaged, with SQLite's message.
        case damaged(String)
        /// A newer version of dbxfs has written it.
        case tooNew
        /// It cannot be read, for this reason.
        case unreadable(String)
        /// Checking it takes longer than so many seconds.
        case unchecked(seconds: Int)
    }

    /// The consistency of a database's rows.
    package enum Tree: Hashable, Sendable {
        /// The violated invariants; none if the list is empty.
        case contradictions([String])
        /// An older version has written them: they follow its rules until the next mount.
        case older
        /// They cannot be read, for this reason.
        case unreadable(String)
        /// Checking them takes longer than so many seconds.
        case unchecked(seconds: Int)
    }

    /// Path of the state folder.
    package var folder: String
    /// The state of its database.
    package var database: Database
    /// The consistency of its rows; nil without `--deep`.
    package var tree: Tree?
    /// Number of queued changes.
    package var pending = 0
    /// The changes that the server refused.
    package var refused: [MountStatus.Problem] = []
    /// The content that was put aside.
    package var lost = LostSummary()
    /// The command that lists that content.
    package var recovery = "dbxfs recover"

    /// Creates the facts of a folder from its database's state.
    package init(folder: String, database: Database) {
        self.folder = folder
        self.database = database
    }

    /// The findings about the folder.
    package var findings: [Finding] {
        (databaseFinding.map { [$0] } ?? []) + treeFindings + queueFindings + lostFindings
    }

    private var treeFindings: [Finding] {
        func finding(_ level: Finding.Level, _ text: String) -> Finding {
            Finding("tree", about: AccountFolders.database(in: folder), level, text)
        }
        switch tree {
        case nil: return []
        case .contradictions([]): return [finding(.ok, "nothing in it contradicts anything else")]
        case .contradictions(let found):
            return found.map { finding(.problem, "\($0): please report this") }
        case .older: return [finding(.note, "is of an older version; the next mount updates it")]
        case .unreadable(let text): return [finding(.problem, "cannot be read: \(text)")]
        case .unchecked(let seconds):
            return [finding(.note, "comparing all of it takes more than \(seconds) s")]
        }
    }

    private var databaseFinding: Finding? {
        let path = AccountFolders.database(in: folder)
        func finding(_ level: Finding.Level, _ text: String) -> Finding {
            Finding("database", about: path, level, text)
        }
        switch database {
        case .absent: return nil
        case .sound: return finding(.ok, "sound")
        case .mounted(let place): return finding(.ok, "in use by the mount at \(place)")
        case .damaged(let detail), .unreadable(let detail):
            return finding(
                .problem, CommandError.databaseDamaged(path: path, detail: detail).message)
        case .tooNew:
            return finding(.problem, CommandError.databaseTooNew(path).message)
        case .unchecked(let seconds):
            return finding(.note, "can be read; to check all of it takes more than \(seconds) s")
        }
    }

    private var lostFindings: [Finding] {
        lost.text(command: recovery).map { [Finding("lost", about: folder, .problem, $0)] } ?? []
    }

    private var queueFindings: [Finding] {
        guard pending > 0 || !refused.isEmpty else { return [] }
        let isMounted = if case .mounted = database { true } else { false }
        let queued = "\(Terminal.count(pending, "change")) queued"
        let next = isMounted ? "" : ": sent by the next mount"
        return [Finding("queue", about: folder, .ok, "\(queued)\(next)")]
            + refused.map { problem in
                Finding(
                    "refused", about: folder, .problem,
                    "\(problem.path): \(problem.reason); put that right, and it is sent by itself")
            }
    }
}
