// `dbxfs log`: the history of mounts. Reads the state folders, so it works mounted or not; a mount
// that runs is asked to write what it has in memory.

import ArgumentParser
import Blocking
import Fuse
import Mounting
import Saturating

struct LogCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the files that were sent, fetched, or changed by others.",
        discussion: """
            The newest events come last. With --json, one object per event, each on a line of its own. Kinds: \
            \(HistoryRecord.Kind.allCases.map(\.rawValue).joined(separator: ", ")).
            """)

    @Argument(
        help:
            "A mountpoint, a file or folder on a mount, which may be deleted, or an account. Without it: all.",
        completion: .file())
    var path: String?

    @Option(
        name: [.customShort("n"), .long],
        help: "Events to show at most. 50, unless --since is given.")
    var lines: Int?

    @Option(help: "From this date and time on, such as 2026-11-22 or '2026-11-22 03:14'.")
    var since: String?

    @Option(help: "Before this date and time.")
    var before: String?

    @Option(
        help: ArgumentHelp("Only events of this kind; can be repeated.", valueName: "kind"),
        completion: .list(HistoryRecord.Kind.allCases.map(\.rawValue)))
    var kind: [String] = []

    @Flag(name: .shortAndLong, help: "Go on with events as they happen, until interrupted.")
    var follow = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Those of system mounts, such as those in /etc/fstab; for root.")
    var system = false

    private static let standardLines = 50

    func validate() throws {
        guard (lines ?? 0) >= 0 else { throw ValidationError("--lines takes a number") }
        for (name, text) in [("--since", since), ("--before", before)] {
            guard let text, Terminal.seconds(parsing: text) == nil else { continue }
            throw ValidationError(
                "\(name) takes a date and time, such as 2026-11-22 or '2026-11-22 03:14'")
        }
        guard !(follow && before != nil) else {
            throw ValidationError("--follow goes without --before")
        }
        for name in kind where HistoryRecord.Kind(rawValue: name) == nil {
            let all = HistoryRecord.Kind.allCases.map(\.rawValue)
            let guess = Suggestion.closest(to: name, of: all).map { "is \($0) meant?" }
            let rest = guess ?? "the kinds are " + all.joined(separator: ", ")
            throw ValidationError("there is no kind '\(name)'; \(rest)")
        }
    }

    func run() throws {
        let environment = try Environment(leniently: system ? .system : .user)
        let histories = try HistorySurvey(environment).histories(of: path)
        for history in histories { history.askToWrite() }
        var followers = histories.map { HistoryFollower($0.file, filter(below: $0.place)) }
        // An event that comes between the two is shown once.
        try show(histories, before: follow ? followers.map(\.offset) : [])
        guard follow else { return }
        // A second after an event it is in the file.
        while true {
            _ = Latch().wait(seconds: 0.5)
            for index in followers.indices {
                for record in followers[index].next() { try show(record, of: histories[index]) }
            }
        }
    }

    private func filter(below place: String) -> HistoryFilter {
        var filter = HistoryFilter()
        filter.path = place
        filter.since = since.flatMap(Terminal.seconds(parsing:))
        filter.before = before.flatMap(Terminal.seconds(parsing:))
        filter.kinds = Set(kind.compactMap { HistoryRecord.Kind(rawValue: $0) })
        return filter
    }

    private func show(_ histories: [MountedHistory], before ends: [Int64]) throws {
        let limit = lines ?? (since == nil ? Self.standardLines : nil)
        var found: [(history: MountedHistory, record: HistoryRecord)] = []
        for (index, history) in histories.enumerated() {
            let records = history.file.records(
                filter(below: history.place), limit: limit,
                before: ends.indices.contains(index) ? ends[index] : .max)
            found.append(contentsOf: records.map { (history: history, record: $0) })
        }
        // Of several mounts: by time, those of one in their order.
        let sorted = found.enumerated()
            .sorted { ($0.element.record.time, $0.offset) < ($1.element.record.time, $1.offset) }
            .map { $0.element }
        for (history, record) in sorted.suffix(clamping: limit ?? sorted.count) {
            try show(record, of: history)
        }
    }

    private func show(_ record: HistoryRecord, of history: MountedHistory) throws {
        if json {
            try Terminal.printJSON(HistoryLine(record, account: history.account))
        } else {
            Terminal.print(Terminal.printable(record.text(at: history.name)))
        }
    }
}

/// The history of a state folder, and the part of it that a user asks for.
private struct MountedHistory {
    let account: String
    let file: HistoryFile
    /// The mountpoint, or the state folder's name if nothing is mounted.
    var name: String
    /// The process of the mount; nil if nothing is mounted.
    let holder: AccountLock.Holder?
    /// A path on the mount; "" for all of it.
    var place = ""

    /// Has a mount that runs write what it has in memory.
    func askToWrite() {
        guard let holder, let environment = try? Environment.ofRunningMounts() else { return }
        ControlClient(folders: environment.controlFolders).writeHistory(of: holder.mountpoint)
    }
}

/// The histories below a folder of states.
private struct HistorySurvey {
    private let all: [MountedHistory]

    init(_ environment: Environment) {
        all = AccountFolders.accounts(environment).flatMap { account in
            AccountFolders.states(of: account, environment: environment).map { folder in
                let holder = AccountLock.currentHolder(of: folder)
                let name = folder.split(separator: "/").last.map(String.init) ?? folder
                return MountedHistory(
                    account: account, file: HistoryFile(folder: folder),
                    name: holder?.mountpoint ?? "\(name):", holder: holder)
            }
        }
    }

    /// Those of an account, or that of a mount with the path on it.
    func histories(of path: String?) throws(CommandError) -> [MountedHistory] {
        guard let path else { return all }
        let named = all.filter { $0.account == path }
        if !named.isEmpty, !path.utf8.contains(UInt8(ascii: "/")) { return named }
        let mount = try RunningMount(containing: path)
        let place = try mount.place()
        let isHolder = mount.isHolder()
        var found = all.filter { $0.holder.map(isHolder) ?? false }
        guard !found.isEmpty else { throw .notMounted(path) }
        for index in found.indices {
            found[index].place = place
            if mount.entry?.root == "/" { found[index].name = mount.mountpoint }
        }
        return found
    }
}

/// One event for scripts.
private struct HistoryLine: Encodable {
    var account: String
    var record: HistoryRecord

    private enum CodingKeys: CodingKey {
        case account
    }

    init(_ record: HistoryRecord, account: String) {
        self.record = record
        self.account = account
    }

    func encode(to encoder: any Encoder) throws {
        try record.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(account, forKey: .account)
    }
}
