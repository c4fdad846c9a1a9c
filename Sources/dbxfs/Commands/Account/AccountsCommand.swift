// `dbxfs accounts`: the accounts of this machine. Read-only, from the disk alone: neither mounts
// nor Dropbox get a request.

import ArgumentParser
import Foundation
import MetadataStore
import Mounting

struct AccountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "List the accounts of this machine, and what is still to be sent of each.",
        discussion: """
            Dropbox is not asked: the person is that of the last mount. With --json, one object per \
            account, each on a line of its own.
            """)

    @Flag(help: "The accounts of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let environment = try Environment(scope: system ? .system : .user)
        let reports = AccountSurvey(environment).reports()
        if json {
            for report in reports { try Terminal.printJSON(report) }
        } else if reports.isEmpty {
            let command = CommandError.login(MountSource.standard.account, environment.scope)
            Terminal.complain("no accounts here: run: " + command, prefix: "")
        } else {
            Terminal.print(reports.map(\.text).joined(separator: "\n\n"))
        }
    }
}

/// The accounts below a state folder.
struct AccountSurvey {
    private let environment: Environment

    /// Ignores a token or a login that the environment names, which belongs to no account here.
    init(_ environment: Environment) {
        var environment = environment
        environment.ignoreCredentials()
        self.environment = environment
    }

    func reports() -> [AccountReport] {
        AccountFolders.accounts(environment).map(report)
    }

    private func report(_ account: String) -> AccountReport {
        var report = AccountReport(
            account: account, access: .none,
            trees: AccountFolders.states(of: account, environment: environment).map(tree))
        setAccess(of: &report)
        return report
    }

    private func setAccess(of report: inout AccountReport) {
        let account = report.account
        let folders = AccountFolders(
            source: MountSource(account: account, remotePath: ""), settings: MountSettings(),
            environment: environment)
        do throws(CommandError) {
            let credentials = try Credentials.find(
                environment: environment, account: account, login: folders.login,
                tokenFile: folders.token)
            switch credentials {
            case .keyring, .credentials(.login): report.access = .login
            case .credentials(.token), .credentials(.refreshToken): report.access = .token
            }
            report.isInKeyring = credentials.isInKeyring
        } catch {
            if case .noToken(_, let command, _) = error {
                report.problem = "run: " + command
            } else {
                (report.access, report.problem) = (.unusable, error.message)
            }
        }
    }

    private func tree(_ folder: String) -> AccountReport.Tree {
        var tree = AccountReport.Tree(folder: folder)
        if let known = (try? AccountIdentity.known(in: folder)) ?? nil {
            tree.name = known.name
            tree.email = known.email
            tree.accountID = known.accountID
            tree.teamNamespace = known.team
        }
        if let holder = AccountLock.currentHolder(of: folder) {
            tree.mountpoint = holder.mountpoint
            tree.pid = holder.pid
        }
        // SQLite allows readers beside the mount, so no mount is asked, which could hang.
        if let pending = Self.pending(in: folder) {
            tree.pendingOperations = pending.operations
            tree.pendingBytes = pending.bytes
        }
        return tree
    }

    /// The queue of a state folder; nil if it cannot be read.
    static func pending(in folder: String) -> (operations: Int, bytes: Int64)? {
        let database = AccountFolders.database(in: folder)
        guard FileManager.default.fileExists(atPath: database) else { return nil }
        return try? DatabaseInspection(path: database).read { try $0.pending() }
    }
}
