// What an account needs to be mounted, and what its lack means. Facts in, findings out. Never a secret.

/// What is so of one account.
public struct AccountFacts: Hashable, Sendable {
    /// By what it is used.
    public enum Access: Hashable, Sendable {
        /// DBXFS_ACCESS_TOKEN.
        case environment
        /// A login.
        case login
        /// A token in this file.
        case token(String)
        /// Something that mounts refuse, or nothing.
        case refused(CommandError)
    }

    /// What the server says.
    public enum Answer: Hashable, Sendable {
        /// Nobody asked, because there is nothing to ask with.
        case notAsked
        /// It is this person's account.
        case accepted(person: String)
        /// It is not, or nobody answered.
        case failed(CommandError)
        /// Nothing came within so many seconds.
        case silent(seconds: Int)
    }

    /// Its name on this machine.
    public var account: String
    /// By what it is used.
    public var access: Access
    /// Whether there are accounts beside it, and nobody asked for this one.
    public var isOneOfSeveral = false
    /// What the server says.
    public var answer: Answer = .notAsked
    /// How the server is reached.
    public var route: ServerRoute
    /// Its trees.
    public var trees: [TreeFacts] = []

    /// An account of which nothing was asked yet.
    public init(account: String, access: Access, route: ServerRoute) {
        self.account = account
        self.access = access
        self.route = route
    }

    /// What there is to say.
    public var findings: [Finding] {
        [accessFinding] + serverFindings + trees.flatMap(\.findings)
    }

    private var accessFinding: Finding {
        func finding(_ level: Finding.Level, _ text: String) -> Finding {
            Finding("credentials", about: account, level, text)
        }
        switch access {
        case .environment: return finding(.ok, "the token in DBXFS_ACCESS_TOKEN")
        case .login: return finding(.ok, "a login")
        case .token(let file): return finding(.ok, "the token in \(file)")
        case .refused(.noToken(_, let command, _)) where isOneOfSeveral && !hasQueue:
            return finding(
                .note,
                "no login, and nothing queued: \(command) to use it again")
        case .refused(let error): return finding(.problem, error.message)
        }
    }

    private var hasQueue: Bool { trees.contains { $0.pending > 0 } }

    private var serverFindings: [Finding] {
        switch answer {
        case .notAsked: []
        case .accepted(let person):
            [Finding("server", about: account, .ok, "\(route.summary); the account of \(person)")]
                + route.clockFindings(account)
        case .failed(let error):
            [Finding("server", about: account, .problem, error.message + route.proxyNote)]
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

/// What is so of one state folder of an account.
public struct TreeFacts: Hashable, Sendable {
    /// How its database is.
    public enum Database: Hashable, Sendable {
        /// There is none yet.
        case absent
        /// Its structure is sound.
        case sound
        /// A mount has it, and would say if something were wrong.
        case mounted(at: String)
        /// It is not sound, in SQLite's words.
        case damaged(String)
        /// A newer version of dbxfs has written it.
        case tooNew
        /// It cannot be read.
        case unreadable(String)
        /// Checking it takes longer than so many seconds.
        case unchecked(seconds: Int)
    }

    /// How the rows of its database are.
    public enum Tree: Hashable, Sendable {
        /// They contradict each other so; in order if there is none.
        case contradictions([String])
        /// An older version has written them: they follow its rules until the next mount.
        case older
        /// They cannot be read.
        case unreadable(String)
        /// Looking at them takes longer than so many seconds.
        case unchecked(seconds: Int)
    }

    /// Its state folder.
    public var folder: String
    /// Its database.
    public var database: Database
    /// Whether its rows contradict each other; nil if that was not asked for.
    public var tree: Tree?
    /// Changes that are queued.
    public var pending = 0
    /// Those that the server refused.
    public var refused: [MountStatus.Problem] = []
    /// What was put aside.
    public var lost = LostSummary()
    /// The command that lists it.
    public var recovery = "dbxfs recover"

    /// A folder of which nothing else is known.
    public init(folder: String, database: Database) {
        self.folder = folder
        self.database = database
    }

    /// What there is to say.
    public var findings: [Finding] {
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
        return [Finding("queue", about: folder, .ok, queued + next)]
            + refused.map { problem in
                Finding(
                    "refused", about: folder, .problem,
                    "\(problem.path): \(problem.reason); put that right, and it is sent by itself")
            }
    }
}
