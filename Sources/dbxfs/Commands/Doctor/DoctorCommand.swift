// `dbxfs doctor`: checks all prerequisites of a mount, and prints what to do about problems.
// `Mounting/Diagnosis` decides what is a problem; the files beside this one collect the facts.

import ArgumentParser
import Mounting
import Saturating

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check what mounts need, and say what to do about what is wrong.",
        discussion: """
            Looks at this machine, the folders, the accounts and the mounts, with a line for each, and asks \
            Dropbox whose account it is. Changes nothing. Exits with 0 when there is no problem, else with \
            2. With --json, one object per check, each on a line of its own.
            """)

    @Option(
        help: "The account to look at. Without it: all that this machine has.",
        completion: .accounts)
    var account: String?

    @Flag(help: "Look at system mounts, such as those in /etc/fstab, and their accounts; for root.")
    var system = false

    @Flag(help: "Read all of each tree's database, and compare its rows with each other.")
    var deep = false

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        ProcessSettings.adjustLimits()
        let environment = try Environment(leniently: system ? .system : .user)
        Environment.forgetToken()
        quietLogs(environment)
        let accounts = try accounts(environment)
        var problems = 0
        func report(_ findings: [Finding]) throws {
            for finding in findings {
                if json {
                    try Terminal.printJSON(finding)
                } else {
                    Terminal.printReport(finding.line)
                }
            }
            problems +|= findings.count { $0.level == .problem }
        }
        try report(configurationFindings(environment, accounts))
        // Each part is printed as soon as it is known, because the next one may take a while.
        try report(MachineInspection.facts().findings)
        for folder in try FolderInspection.facts(environment, accounts: accounts) {
            try report(folder.findings)
        }
        // The folders are judged with the rights that a mount has when it makes them.
        try ProcessSettings.giveUpCapabilities()
        let mounts = MountInspection(environment)
        for name in accounts {
            var inspection = AccountInspection(environment: environment, account: name)
            inspection.isOneOfSeveral = account == nil && accounts.count > 1
            inspection.isDeep = deep
            inspection.mounts = mounts.answers
            try report(try inspection.facts().findings)
        }
        try report(mounts.facts(account: account).map(\.finding))
        if problems > 0 { throw CommandError.problemsFound(problems) }
    }

    /// The values in the configuration file that mounts of these accounts would refuse. Those for
    /// all accounts is reported once.
    private func configurationFindings(
        _ environment: Environment, _ accounts: [String]
    ) -> [Finding] {
        var messages: [String] = []
        if let error = environment.configurationError { messages.append(error.message) }
        for account in accounts {
            do throws(CommandError) {
                _ = try MountPlan.values(of: account, environment)
            } catch {
                if !messages.contains(error.message) { messages.append(error.message) }
            }
        }
        return messages.map { Finding("configuration", .problem, $0) }
    }

    private func accounts(_ environment: Environment) throws(CommandError) -> [String] {
        if let account {
            return [try MountSource(accountNamed: account).account]
        }
        // The environment's token or login is for one account; mounts would use it for any named
        // one.
        if environment.credentialsVariable != nil {
            return [MountSource.standard.account]
        }
        let known = AccountFolders.accounts(environment)
        return known.isEmpty ? [MountSource.standard.account] : known
    }
}
