// The screen of `dbxfs status --watch`. Pure: two samples of the mounts and the screen's size in,
// lines out. The terminal is in `LiveScreen.swift`.

import Saturating

/// The mounts on a screen that is redrawn.
package enum StatusScreen {
    /// One sample of the mounts.
    package struct Look: Sendable {
        /// The mounts that answered.
        package var mounts: [MountStatus]
        /// The mounts that did not.
        package var unanswered: [UnansweredMount]
        /// Why mounts are missing from the sample.
        package var notice: String?
        /// Its time, by a monotonic clock.
        package var time: ContinuousClock.Instant

        /// Memberwise; by default a sample of this moment.
        package init(
            mounts: [MountStatus], unanswered: [UnansweredMount] = [], notice: String? = nil,
            time: ContinuousClock.Instant = .now
        ) {
            self.mounts = mounts
            self.unanswered = unanswered
            self.notice = notice
            self.time = time
        }
    }

    /// The size of a screen.
    package struct Size: Hashable, Sendable {
        /// Characters of normal width per line.
        package var columns: Int
        /// Number of lines on the screen.
        package var rows: Int

        /// Memberwise and without defaults.
        package init(columns: Int, rows: Int) {
            self.columns = columns
            self.rows = rows
        }
    }

    /// The lines of a screen, cut to its size. `before` is the previous sample.
    package static func lines(_ look: Look, since before: Look?, size: Size) -> [String] {
        var lines = [Terminal.printable(heading(look))]
        for mount in look.mounts {
            let rates = rates(of: mount, look, since: before)
            lines += [""] + StatusRows.lines(mount.mountpoint, rows(mount, rates))
        }
        for mount in look.unanswered {
            lines += [""] + StatusRows.lines(mount.mountpoint, mount.rows)
        }
        if lines.count > size.rows, size.rows > 0 {
            let hidden = lines.count -| size.rows +| 1
            lines =
                lines.prefix(clamping: size.rows -| 1) + [
                    "… \(Terminal.count(hidden, "more line"))"
                ]
        }
        return lines.prefix(max(size.rows, 0)).map { Terminal.cut($0, to: size.columns) }
    }

    private static func heading(_ look: Look) -> String {
        let count = look.mounts.count +| look.unanswered.count
        let mounts = count == 0 ? "nothing is mounted" : Terminal.count(count, "mount")
        return "dbxfs: " + (look.notice ?? mounts) + "  (Ctrl-C ends)"
    }

    private static func rows(
        _ mount: MountStatus, _ rates: Rates?
    ) -> [(String, String)] {
        var rows = [("account", mount.accountText), ("state", mount.stateText)]
        rows += [("queue", mount.queueText), ("network", rates?.text ?? "")]
        for upload in mount.uploads {
            rows.append(("sending", transfer(upload.path, upload.sent, of: upload.bytes)))
        }
        for fetch in mount.pins.fetches {
            rows.append(("fetching", transfer(fetch.path, fetch.fetched, of: fetch.bytes)))
        }
        rows.append(("cache", cache(mount)))
        if mount.pins.files > 0 { rows.append(("pinned", mount.pins.summary)) }
        return [rows, mount.trouble, mount.pins.trouble].flatMap(\.self)
    }

    /// The path comes last, because the end of a line may be cut off.
    private static func transfer(_ path: String, _ part: Int64, of whole: Int64) -> String {
        "\(Terminal.bar(part, of: whole)) \(MountStatus.percent(part, of: whole)) % of "
            + "\(Terminal.size(whole))  \(path)"
    }

    private static func cache(_ mount: MountStatus) -> String {
        let limit = mount.pins.cacheSize > 0 ? " of \(Terminal.size(mount.pins.cacheSize))" : ""
        return "\(Terminal.size(mount.cachedBytes))\(limit)"
    }

    // MARK: Rates

    /// Transfer rates in bytes per second.
    struct Rates: Hashable {
        var down: Int64
        var up: Int64

        var text: String { "\(Terminal.size(down))/s down, \(Terminal.size(up))/s up" }
    }

    /// The rates between two samples; nil unless both are of the same process.
    static func rates(of mount: MountStatus, _ look: Look, since before: Look?) -> Rates? {
        guard let before,
            let earlier = before.mounts.first(where: { $0.mountpoint == mount.mountpoint }),
            earlier.pid == mount.pid
        else { return nil }
        let seconds = before.time.duration(to: look.time) / .seconds(1)
        guard seconds > 0 else { return nil }
        func rate(_ now: Int64, _ then: Int64) -> Int64 {
            Int64(clamping: (Double(max(now -| then, 0)) / seconds).rounded())
        }
        return Rates(
            down: rate(mount.bytesDown, earlier.bytesDown),
            up: rate(mount.bytesUp, earlier.bytesUp))
    }
}
