// The report of `dbxfs accounts` on an account. The names in JSON are an interface for scripts:
// fields are added, never renamed. Not responsible for collecting the facts.

/// An account of this machine. Never a secret.
package struct AccountReport: Hashable, Sendable, Encodable {
    /// The credentials that mounts use.
    package enum Access: String, Hashable, Sendable, Encodable {
        /// A login by `dbxfs login`.
        case login
        /// A token in the account's file.
        case token
        /// A file that mounts would refuse.
        case unusable
        /// No credentials at all.
        case none
    }

    /// A tree of the account with a queue of its own: all of it, or one folder or root of it.
    package struct Tree: Hashable, Sendable, Encodable {
        /// Path of the state folder.
        package var folder: String
        /// The person's name as of the last mount.
        package var name: String?
        /// E-mail address of the person.
        package var email: String?
        /// The server's account ID.
        package var accountID: String?
        /// The namespace of the team's space.
        package var teamNamespace: String?
        /// Its mountpoint, if it is mounted.
        package var mountpoint: String?
        /// The process that serves the mount.
        package var pid: Int32?
        /// Number of queued changes; nil if the database cannot be read.
        package var pendingOperations: Int?
        /// Bytes of their content.
        package var pendingBytes: Int64?

        /// Creates a tree of which only the folder is known.
        package init(folder: String) {
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
        package func encode(to encoder: any Encoder) throws {
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

    /// The account's local name.
    package var account: String
    /// The credentials that mounts would use.
    package var access: Access
    /// Whether the secret of the login is in the keyring, which was not asked.
    package var isInKeyring = false
    /// Why they are unusable, or what to do if there are none.
    package var problem: String?
    /// The trees that were mounted.
    package var trees: [Tree]

    private enum CodingKeys: String, CodingKey {
        case account, access, problem, trees
        case isInKeyring = "in_keyring"
    }

    /// Memberwise; by default without a problem.
    package init(account: String, access: Access, problem: String? = nil, trees: [Tree]) {
        self.account = account
        self.access = access
        self.problem = problem
        self.trees = trees
    }
}

extension AccountReport {
    /// The text for people.
    package var text: String {
        StatusRows.text(account, [("access", accessText)] + trees.flatMap(\.rows))
    }

    private var accessText: String {
        switch access {
        case .login: isInKeyring ? "login, in the keyring" : "login"
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
        // Without a name and a queue there is only a login, and no mount yet.
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
