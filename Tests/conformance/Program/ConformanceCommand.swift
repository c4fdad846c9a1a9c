// The command line: which server, which statements, where the report goes.

import ArgumentParser
import DropboxAPIComplete
import Foundation

/// The command line of `dropbox-conformance`.
@main
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dropbox-conformance",
        abstract: "Asks a server whether what dbxfs relies on is true.",
        discussion: """
            Without --endpoint the server is Dropbox itself, which is asked only with --real. The \
            token of the account is read from DBXFS_CONFORMANCE_TOKEN. All that is made is in one \
            new folder, which is deleted in the end.
            """)

    @Flag(help: "Print the table of all statements and end.")
    var list = false

    @Option(help: "Base URL of an emulator.")
    var endpoint: String?

    @Flag(help: "Ask the real Dropbox. Takes some twenty minutes.")
    var real = false

    @Option(help: "Milliseconds between requests to the real Dropbox.")
    var pause = 400

    @Option(help: "Ask only statements whose id contains this text.")
    var only = ""

    @Option(help: "Write a report in Markdown to this file.")
    var report: String?

    @Option(help: "Write the answers that were not expected to this file, for the emulator.")
    var observations: String?

    @Option(help: "A file of observations: expect exactly these answers to differ.")
    var expect: String?

    func validate() throws {
        guard list || real != (endpoint != nil) else {
            throw ValidationError("one of --list, --endpoint and --real is needed")
        }
    }

    func run() async throws {
        if list {
            print(Report.table, terminator: "")
            return
        }
        let account = try makeAccount()
        let statements = Chapter.all.flatMap(\.statements).filter {
            only.isEmpty || $0.id.contains(only)
        }
        let findings = await Run(account: account).ask(statements) { print(Self.line($0)) }
        do {
            _ = try await account.files.deleteV2(path: account.folder)
        } catch {
            print("\(account.folder) could not be deleted: \(error.summary)")
        }
        try write(findings)
        try judge(findings)
    }

    private func makeAccount() throws -> ConformanceAccount {
        guard let secret = ProcessInfo.processInfo.environment["DBXFS_CONFORMANCE_TOKEN"],
            !secret.isEmpty
        else { throw ValidationError("DBXFS_CONFORMANCE_TOKEN has no token") }
        let token = AccessToken(secret)
        let hosts = try endpoint.map { try DropboxHosts(endpoint: $0) } ?? .dropbox
        let transport = PacedTransport(
            base: try CurlTransport(configuration: .init()),
            pause: real ? .milliseconds(pause) : .zero)
        return ConformanceAccount(
            client: DropboxClient(
                configuration: .init(hosts: hosts), tokens: FixedAccessToken(token),
                transport: transport),
            transport: transport, token: token, emulator: endpoint,
            folder: "/dbxfs-conformance-\(UInt32.random(in: 0...UInt32.max))")
    }

    private static func line(_ finding: Finding) -> String {
        let statement = finding.statement
        return switch finding.outcome {
        case .holds: "holds      \(statement.id)"
        case .differs(let answer):
            """
            DIFFERS    \(statement.id): \(statement.sentence)
                       expected \(statement.expected), answered \(answer); \(statement.rule) stands on it
            """
        case .unasked(let reason): "not asked  \(statement.id): \(reason)"
        }
    }

    private func write(_ findings: [Finding]) throws {
        if let report {
            let text = Report.markdown(findings, server: endpoint ?? "Dropbox")
            try Data(text.utf8).write(to: URL(filePath: report))
        }
        if let observations {
            try Report.json(Report.observations(findings)).write(to: URL(filePath: observations))
        }
    }

    /// On an emulator every statement has to be answered, as it says or as `--expect` says.
    private func judge(_ findings: [Finding]) throws {
        let unasked = findings.filter { if case .unasked = $0.outcome { true } else { false } }
        let answers = Report.observations(findings)
        print("\(findings.count) statements, \(answers.count) differ, \(unasked.count) not asked")
        var expected: [String: Observation] = [:]
        if let expect {
            let data = try Data(contentsOf: URL(filePath: expect))
            expected = try JSONDecoder().decode([String: Observation].self, from: data)
        }
        if answers != expected {
            let ids = Set(answers.keys).union(expected.keys).filter { answers[$0] != expected[$0] }
            for id in ids.sorted() {
                print(
                    "\(id): \(expected[id] ?? "as stated") was to be answered, not "
                        + (answers[id] ?? "as stated"))
            }
            throw ExitCode(1)
        }
        if endpoint != nil, !unasked.isEmpty { throw ExitCode(1) }
    }
}
