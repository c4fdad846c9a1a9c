// What `dbxfs accounts` says of an account. The names in JSON are an interface for scripts: fields are
// added, never renamed. Where it is found out is not here.

/// An account that this machine has. Never a secret.
public struct AccountReport: Hashable, Sendable, Encodable {
    /// By what mounts prove whose account it is.
    public enum Access: String, Hashable, Sendable, Encodable {
        /// `dbxfs login`.
        case login
        /// A token in the account's file.
        case token
        /// A file that mounts would refuse.
        case unusable
        /// Nothing.
        case none
    }

    /// A tree of the account with a queue of its own: all of it, or one folder or root of it.
    public struct Tree: Hashable, Sendable, Encodable {
        /// Its state folder.
        public var folder: String
        /// The person, as of the last mount.
        public var name: String?
        /// The person's address.
        public var email: String?
        /// Dropbox's name for the account.
        public var accountID: String?
        /// The space of the person's team.
        public var teamNamespace: String?
        /// Where it is mounted now.
        public var mountpoint: String?
        /// The process that serves the mount.
        public var pid: Int32?
        /// Changes that are not on Dropbox yet; nil when that cannot be found out.
        public var pendingOperations: Int?
        /// Bytes of content that wait with them.
        public var pendingBytes: Int64?

        /// A folder of which nothing else is known yet.
        public init(folder: String) {
            self.folder = folder
        }

        private enum CodingKeys: String, CodingKey {
            case folder, name, email, mountpoint, pid
            case accountID = "account_id"
            case teamNamespace = "team_namespace"
            case pendingOperations = "pending_operations"
            case pendingBytes = "pending_bytes"
        }

        /// Writes every field, unknown ones as null, so that scripts find them.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(folder, forKey: .folder)
            try container.encode(name, forKey: .name)
            try container.encode(email, forKey: .email)
            try container.encode(accountID, forKey: .accountID)
            try container.encode(teamNamespace, forKey: .teamNamespace)
            try container.encode(mountpoint, forKey: .mountpoint)
            try container.encode(pid, forKey: .pid)
            try container.encode(pendingOperations, forKey: .pendingOperations)
            try container.encode(pendingBytes, forKey: .pendingBytes)
        }
    }

    /// Its name on this machine.
    public var account: String
    /// By what mounts would use it.
    public var access: Access
    /// Why that is unusable, or what to do if there is nothing.
    public var problem: String?
    /// What was mounted of it.
    public var trees: [Tree]

    /// Names every field.
    public init(account: String, access: Access, problem: String? = nil, trees: [Tree]) {
        self.account = account
        self.access = access
        self.problem = problem
        self.trees = trees
    }
}

extension AccountReport {
    /// The account for people.
    public var text: String {
        let own = [("access", accessText)]
        return StatusRows.text(account, own + trees.flatMap(\.rows))
    }

    private var accessText: String {
        switch access {
        case .login: "login"
        case .token: "token file"
        case .unusable: problem ?? "cannot be used"
        case .none: "none" + (problem.map { ": " + $0 } ?? "")
        }
    }
}

extension AccountReport.Tree {
    fileprivate var rows: [(String, String)] {
        var rows = [("folder", folder)]
        if let name, let email {
            let team = teamNamespace.map { " (team space \($0))" } ?? ""
            rows.append(("person", "\(name) <\(email)>\(team)"))
        }
        if let mountpoint {
            rows.append(("mounted", mountpoint + (pid.map { " (process \($0))" } ?? "")))
        }
        // Nothing was ever mounted where there is only a login.
        if name != nil || pendingOperations != nil { rows.append(("queue", queueText)) }
        return rows
    }

    private var queueText: String {
        guard let pendingOperations, let pendingBytes else { return "cannot be read" }
        guard pendingOperations > 0 else { return "empty" }
        return "\(Terminal.count(pendingOperations, "change")), "
            + "\(Terminal.size(pendingBytes)) to send"
            + (mountpoint == nil ? " by the next mount" : "")
    }
}
