// `dbxfs status`: what the mounts say of themselves, for people or as JSON.

import ArgumentParser
import Foundation
import Mounting

struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show mounts, and what is still to be sent.",
        discussion: "With --json, one object per mount, each on a line of its own.")

    @Argument(help: "A mountpoint or anything below it. Without it: all mounts.")
    var mountpoint: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() throws {
        let environment = try Environment()
        let statuses = try statuses(environment)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            for status in statuses {
                Terminal.print(String(decoding: try encoder.encode(status), as: UTF8.self))
            }
        } else if statuses.isEmpty {
            Terminal.complain("nothing is mounted", prefix: "")
        } else {
            Terminal.print(statuses.map(\.text).joined(separator: "\n\n"))
        }
    }

    private func statuses(_ environment: Environment) throws(CommandError) -> [MountStatus] {
        guard let mountpoint else {
            return ControlClient(folders: environment.controlFolders).allMounts()
        }
        var mount = RunningMount(at: mountpoint)
        if mount.entry == nil, try mount.connect(environment) == nil {
            mount = try RunningMount(containing: mountpoint)
        }
        let reply = try mount.connectOrFail(environment)
            .ask(ControlRequest(.status), about: mount.mountpoint)
        return [reply.status].compactMap { $0 }
    }
}

extension MountStatus {
    /// The status for people.
    var text: String {
        var rows: [(String, String)] = [
            ("account", account + (remotePath.isEmpty ? "" : ":" + remotePath)),
            ("state", stateText), ("queue", queueText),
        ]
        for upload in uploads {
            let percent = upload.bytes > 0 ? upload.sent * 100 / upload.bytes : 0
            rows.append(
                ("sending", "\(upload.path)  \(percent) % of \(Terminal.size(upload.bytes))"))
        }
        for problem in problems {
            rows.append(
                (
                    "problem",
                    problem.path.isEmpty ? problem.reason : "\(problem.path): \(problem.reason)"
                ))
        }
        if conflicts > 0 {
            rows.append(
                (
                    "conflicts",
                    "\(Terminal.count(conflicts, "conflicted copy", "conflicted copies")) made"
                ))
        }
        rows += [
            ("tree", "\(Terminal.count(entries, "entry", "entries")) known\(heardText)"),
            ("cache", Terminal.size(cachedBytes)),
        ]
        rows += pins.rows
        rows += [
            (
                "traffic",
                "\(Terminal.count(requests.values.reduce(0, +), "request")), "
                    + "\(Terminal.size(bytesDown)) down, \(Terminal.size(bytesUp)) up"
            ),
            ("process", "\(pid), \(Terminal.size(rssBytes)) of memory, dbxfs \(version)"),
        ]
        return
            ([mountpoint]
            + rows.map { "  " + $0.0.padding(toLength: 11, withPad: " ", startingAt: 0) + $0.1 })
            .joined(separator: "\n")
    }

    private var stateText: String {
        switch state {
        case .connecting: "connecting"
        case .online: "online" + waitingText
        case .offline: "offline: what is cached can be read, changes are queued"
        case .authRequired: "no access: " + (advice ?? "the access token is refused")
        case .finishing: "unmounted, sending what is queued"
        }
    }

    private var waitingText: String {
        waitingSeconds.map { seconds in
            ": Dropbox asked to wait \(Int(seconds.rounded(.up))) s (too many requests), "
                + "changes are queued"
        } ?? ""
    }

    private var queueText: String {
        pendingOperations == 0
            ? "empty: everything is on Dropbox"
            : "\(Terminal.count(pendingOperations, "change")), \(Terminal.size(pendingBytes)) to send"
    }

    private var heardText: String {
        cursorAgeSeconds.map { ", up to date \(Int($0)) s ago" } ?? ""
    }
}

extension MountStatus.Pins {
    /// Rows for people; none without pins.
    fileprivate var rows: [(String, String)] {
        guard files > 0 else { return [] }
        var parts = presentFiles == files ? ["all here"] : ["\(presentFiles) here"]
        if missingFiles > 0 {
            parts.append("\(missingFiles) (\(Terminal.size(missingBytes))) to fetch")
        }
        if unavailableFiles > 0 { parts.append("\(unavailableFiles) cannot be downloaded") }
        let text =
            "\(Terminal.count(files, "file")), \(Terminal.size(bytes)): "
            + parts.joined(separator: ", ")
        var rows = [("pinned", text)]
        for fetch in fetches {
            let percent = fetch.bytes > 0 ? fetch.fetched * 100 / fetch.bytes : 0
            rows.append(
                ("fetching", "\(fetch.path)  \(percent) % of \(Terminal.size(fetch.bytes))"))
        }
        if let excess { rows.append(("note", excess)) }
        if let problem { rows.append(("problem", "pinned content: \(problem)")) }
        return rows
    }
}
