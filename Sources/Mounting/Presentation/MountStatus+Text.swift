// A mount's status in words.

import Saturating

extension MountStatus {
    /// The status for people.
    package var text: String {
        StatusRows.text(
            mountpoint,
            [("account", accountText), ("state", stateText), ("queue", queueText)]
                + uploads.map { ("sending", $0.text) }
                + trouble + localRows + [("tree", treeText), ("cache", cacheText)]
                + pins.rows + (limits.text.map { [("limits", $0)] } ?? []) + [
                    ("traffic", trafficText + (rateText.map { "; now \($0)" } ?? "")),
                    ("process", processText),
                ])
    }

    /// Rows that need the user's attention.
    var trouble: [(String, String)] {
        var rows = problems.map { ("problem", $0.text) }
        if !problems.isEmpty {
            rows.append(
                (
                    "to do",
                    "put right what is named above; it stays queued, and is tried again by itself"
                ))
        }
        if conflicts > 0 {
            let copies = Terminal.count(conflicts, "conflicted copy", "conflicted copies")
            rows.append(("conflicts", "\(copies) made: see `dbxfs conflicts`"))
        }
        var summary = LostSummary()
        (summary.count, summary.paths) = (lost, lostPaths)
        if let text = summary.text(command: "dbxfs recover") { rows.append(("problem", text)) }
        // For a refused token it is in the state.
        if state != .authRequired, let advice { rows.append(("problem", advice)) }
        return rows
    }

    /// A path for people; of one that is longer than those that Linux opens, the first and the last
    /// name.
    package static func shortPath(of names: [String]) -> String {
        let path = names.map { "/" + $0 }.joined()
        guard path.utf8.count > longestPath, let first = names.first, let last = names.last else {
            return path
        }
        return "/\(first)/…/\(last)"
    }

    /// Bytes of a path, `PATH_MAX` without its final null byte.
    private static let longestPath = 4095

    var accountText: String { remotePath.isEmpty ? account : "\(account):\(remotePath)" }

    var stateText: String {
        switch state {
        case .connecting: "connecting"
        case .online: "online" + (pauseText ?? waitingText ?? listingText ?? "")
        case .offline:
            "offline: what is cached can be read, changes are queued"
                + (connectionProblem.map { " (\($0))" } ?? "")
        case .authRequired: "no access: " + (advice ?? "the access token is refused")
        case .finishing: "unmounted, sending what is queued"
        }
    }

    private var pauseText: String? {
        guard isPaused == true else { return nil }
        let end = pauseSecondsLeft.map { "for \(Terminal.duration($0))" } ?? "until `dbxfs resume`"
        return ", paused: nothing is sent and no pinned content fetched \(end)"
    }

    private var waitingText: String? {
        waitingSeconds.map { seconds in
            ": Dropbox asked to wait \(Int64(clamping: seconds.rounded(.up))) s (too many requests), "
                + "changes are queued"
        }
    }

    /// The first listing; a later one changes nothing that users see.
    private var listingText: String? {
        guard isTreeComplete == false else { return nil }
        let duration = listingSeconds.map { " for \(Int64(clamping: $0)) s" } ?? ""
        let progress = listing?.text ?? "listing the account\(duration)"
        return ": \(progress); folders that are not known yet take longer"
    }

    var queueText: String {
        pendingOperations == 0
            ? "empty: everything is on Dropbox"
            : Terminal.queue(
                pendingOperations, missingBytes, rate: secondsLeft == nil ? nil : sendingRate,
                secondsLeft: secondsLeft)
    }

    /// Bytes that are still to be sent.
    private var missingBytes: Int64 {
        max(0, pendingBytes -| uploads.reduce(0) { $0 +| ($1.isGrowing == true ? 0 : $1.sent) })
    }

    /// The present rates; nil if nothing moves.
    var rateText: String? {
        let rates = [(receivingRate, "down"), (sendingRate, "up")].compactMap { rate, direction in
            rate.map { "\(Terminal.size($0))/s \(direction)" }
        }
        return rates.isEmpty ? nil : rates.joined(separator: ", ")
    }

    private var treeText: String {
        let known = "\(Terminal.count(entries, "entry", "entries")) known"
        guard isTreeComplete != false else { return known + " so far" }
        return known + (cursorAgeSeconds.map { ", confirmed \(Int64(clamping: $0)) s ago" } ?? "")
            + (listing.map { "; \($0.text)" } ?? "")
    }

    private var localRows: [(String, String)] {
        guard localEntries > 0 else { return [] }
        let entries = Terminal.count(localEntries, "entry", "entries")
        return [("local", "\(entries), \(Terminal.size(localBytes)) on this machine only")]
    }

    private var cacheText: String {
        "\(Terminal.size(cachedBytes)) of \(Terminal.size(limits.cacheSize))"
    }

    private var trafficText: String {
        "\(Terminal.count(requests.values.reduce(0) { $0 +| $1 }, "request")), "
            + "\(Terminal.size(bytesDown)) down, \(Terminal.size(bytesUp)) up"
    }

    private var processText: String {
        "\(pid), \(Terminal.size(rssBytes)) of memory, dbxfs \(version)"
    }
}

extension MountStatus.Upload {
    fileprivate var text: String {
        isGrowing == true
            ? "\(path)  \(Terminal.size(sent)) of \(Terminal.size(bytes)) so far, it is still being written"
            : "\(path)  \(MountStatus.percent(sent, of: bytes)) % of \(Terminal.size(bytes))"
    }
}

extension MountStatus.Problem {
    fileprivate var text: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

extension MountStatus.Pins {
    /// Rows for people; none without pins.
    fileprivate var rows: [(String, String)] {
        guard files > 0 else { return [] }
        var rows = [("pinned", summary)]
        for fetch in fetches {
            let percent = MountStatus.percent(fetch.fetched, of: fetch.bytes)
            let size = Terminal.size(fetch.bytes)
            rows.append(("fetching", "\(fetch.path)  \(percent) % of \(size)"))
        }
        rows.append(contentsOf: trouble)
        return rows
    }

    /// How much is pinned, and how much of it is cached.
    var summary: String {
        var parts = presentFiles == files ? ["all here"] : ["\(presentFiles) here"]
        if missingFiles > 0 {
            let left = secondsLeft.map { ", \(Terminal.duration($0)) left" } ?? ""
            parts.append("\(missingFiles) (\(Terminal.size(missingBytes))) to fetch\(left)")
        }
        if unavailableFiles > 0 { parts.append("\(unavailableFiles) cannot be downloaded") }
        return "\(Terminal.count(files, "file")), \(Terminal.size(bytes)): "
            + parts.joined(separator: ", ")
    }

    /// A sentence for users whose pins exceed the cache limit.
    package var excess: String? {
        guard exceedsCache else { return nil }
        return "pinned content takes more than the cache's size of \(Terminal.size(cacheSize)) "
            + "(cache_size): it is kept all the same, and little else is"
    }

    /// Rows that need the user's attention.
    var trouble: [(String, String)] {
        (excess.map { [("note", $0)] } ?? [])
            + (problem.map { [("problem", "pinned content: \($0)")] } ?? [])
    }
}

extension MountStatus {
    /// Whole percents; 0 for an empty file.
    static func percent(_ part: Int64, of whole: Int64) -> Int64 {
        guard whole > 0 else { return 0 }
        let (hundredfold, overflow) = part.multipliedReportingOverflow(by: 100)
        return overflow ? part.divided(by: max(whole / 100, 1)) : hundredfold.divided(by: whole)
    }
}

extension UnansweredMount {
    /// The mount in the form of a status.
    package var text: String { StatusRows.text(mountpoint, rows) }

    /// The rows below its mountpoint.
    var rows: [(String, String)] { [("state", stateText)] }
}
