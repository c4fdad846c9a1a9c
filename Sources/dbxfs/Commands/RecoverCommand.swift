// `dbxfs recover`: unverified content that was put aside. Uses the state folders only, so it works
// mounted or not; `Staging` decides what is put aside.

import ArgumentParser
import Glibc
import LocalIO
import Mounting
import Saturating
import Staging
import Sync

struct RecoverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover",
        abstract: "List content that was put aside after a power cut or damage, or bring it back.",
        discussion: """
            After a power cut, or when the database is damaged, a mount sends only what it can vouch for. \
            Other content that was not on Dropbox yet is kept aside, and is listed here with the path that \
            it had. With --json, one object per piece, each on a line of its own.
            """)

    @Argument(
        help: "An account or a mountpoint; with --to or --remove, a name as it is listed.",
        completion: .file())
    var name: String?

    @Option(help: "Copy the content to this new file.", completion: .file())
    var to: String?

    @Flag(help: "Also if some of the content is missing, with zeros for that.")
    var partial = false

    @Flag(help: "Remove it from what was put aside, after the copy if there is one.")
    var remove = false

    @Flag(help: "That of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard name != nil || (to == nil && !remove) else {
            throw ValidationError("--to and --remove need the name of what was put aside")
        }
        guard !partial || to != nil else { throw ValidationError("--partial needs --to") }
        guard !json || (to == nil && !remove) else {
            throw ValidationError("--json goes with neither --to nor --remove")
        }
    }

    func run() throws {
        let survey = LostSurvey(try Environment(leniently: system ? .system : .user))
        guard let name, to != nil || remove else { return try list(try survey.pieces(of: name)) }
        let piece = try survey.piece(name)
        if let to { try piece.copy(to: absolutePath(to), isPartWanted: partial) }
        if remove { try piece.remove() }
    }

    private func list(_ pieces: [LostPiece]) throws {
        if json {
            for piece in pieces { try Terminal.printJSON(piece.report) }
        } else if pieces.isEmpty {
            Terminal.complain("nothing was put aside", prefix: "")
        } else {
            Terminal.print(pieces.map(\.report.text).joined(separator: "\n\n"))
            Terminal.complain("\n" + LostReport.advice, prefix: "")
        }
    }

    /// The command that lists such content.
    static func name(_ scope: Environment.Scope) -> String {
        "dbxfs recover" + (scope == .system ? " --system" : "")
    }
}

/// The content that was put aside below a state folder.
struct LostSurvey {
    private let states: [(account: String, folder: String)]

    init(_ environment: Environment) {
        states = AccountFolders.accounts(environment).flatMap { account in
            AccountFolders.states(of: account, environment: environment).map { (account, $0) }
        }
    }

    /// The pieces of an account, a state folder, a mount or a listed name; all without a name.
    func pieces(of name: String?) throws(CommandError) -> [LostPiece] {
        let all = states.flatMap { pieces(of: $0.account, in: $0.folder) }
        guard let name else { return all }
        let named = states.filter { $0.account == name || Self.name(of: $0.folder) == name }
        if !named.isEmpty { return named.flatMap { pieces(of: $0.account, in: $0.folder) } }
        let listed = all.filter { $0.report.name == name }
        if !listed.isEmpty { return listed }
        let isHolder = (try? RunningMount(containing: name))?.isHolder()
        let mounts = states.filter { state in
            guard let isHolder else { return false }
            return AccountLock.currentHolder(of: state.folder).map(isHolder) ?? false
        }
        guard !mounts.isEmpty else { throw .nothingPutAside(name) }
        return mounts.flatMap { pieces(of: $0.account, in: $0.folder) }
    }

    /// The piece with this listed name, or with this number if no other account has it.
    func piece(_ name: String) throws(CommandError) -> LostPiece {
        let all = states.flatMap { pieces(of: $0.account, in: $0.folder) }
        if let piece = all.first(where: { $0.report.name == name }) { return piece }
        let numbered = all.filter { $0.entry.name == name }
        guard let piece = numbered.first else { throw .nothingPutAside(name) }
        guard numbered.count == 1 else { throw .severalPutAside(name) }
        return piece
    }

    private func pieces(of account: String, in state: String) -> [LostPiece] {
        let folder = LostAndFound(folder: AccountFolders.lostAndFound(in: state))
        return folder.entries().map { entry in
            let name = Self.name(of: state) + "/" + entry.name
            return LostPiece(
                folder: folder, entry: entry,
                report: LostReport(entry, name, account: account, file: folder.file(of: entry)))
        }
    }

    private static func name(of folder: String) -> String {
        folder.split(separator: "/").last.map(String.init) ?? folder
    }
}

/// A piece of content that was put aside.
struct LostPiece {
    let folder: LostAndFound
    let entry: LostEntry
    let report: LostReport

    /// Copies it to a new file, and reports that.
    func copy(to path: String, isPartWanted: Bool) throws(CommandError) {
        guard report.file != nil else { throw .noContent(report.name) }
        guard report.missing.isEmpty || isPartWanted else {
            throw .onlyPart(
                name: report.name, revision: report.revision, missing: report.missingText)
        }
        do throws(StagingError) {
            try folder.copy(entry, to: path)
        } catch {
            throw error.code == EEXIST
                ? .alreadyThere(path)
                : .notRecovered(path: path, reason: String(cString: strerror(error.code)))
        }
        let part =
            report.missing.isEmpty ? "" : "; zeros for what is missing: " + report.missingText
        let copied = "\(report.name) -> \(path): \(Terminal.size(report.bytes))\(part)"
        Terminal.print(Terminal.printable(copied))
    }

    /// Removes it, and reports that.
    func remove() throws(CommandError) {
        do throws(StagingError) {
            try folder.remove(entry)
        } catch {
            let reason = String(cString: strerror(error.code))
            throw .system(
                "\(report.name) could not be removed (\(reason)): look into \(folder.folder)")
        }
        Terminal.print(Terminal.printable("\(report.name): removed"))
    }
}

extension LostReport {
    init(_ entry: LostEntry, _ name: String, account: String, file: String?) {
        let content = entry.content
        self.init(
            name: name, account: account, file: file, path: content.path, bytes: content.size,
            modified: content.modified, found: content.found, reason: content.reason.rawValue,
            explanation: content.explanation,
            revision: content.missing.isEmpty ? nil : content.base,
            missing: file == nil
                ? []
                : content.missing.map {
                    Part(offset: $0.lowerBound, bytes: $0.upperBound -| $0.lowerBound)
                })
    }
}
