// The screen of `dbxfs status --watch`.

import Testing

@testable import Mounting

@Suite struct StatusScreenTests {
    private let start = ContinuousClock.now
    private let size = StatusScreen.Size(columns: 160, rows: 24)

    private func mount(_ path: String = "/mnt/a", down: Int64 = 0, up: Int64 = 0) -> MountStatus {
        var status = MountStatus(mountpoint: path, account: "default", state: .online)
        status.pid = 7
        status.bytesDown = down
        status.bytesUp = up
        return status
    }

    private func look(_ mounts: [MountStatus], after seconds: Double = 0) -> StatusScreen.Look {
        .init(mounts: mounts, time: start + .seconds(seconds))
    }

    @Test("rates are what moved between two statuses, by the time between them")
    func rates() {
        let before = look([mount(down: 1000, up: 10)])
        let now = mount(down: 5000, up: 10)
        let rates = StatusScreen.rates(of: now, look([now], after: 2), since: before)
        #expect(rates == .init(down: 2000, up: 0))
        let lines = StatusScreen.lines(look([now], after: 2), since: before, size: size)
        #expect(lines.contains("  network    2.0 KiB/s down, 0 B/s up"))
    }

    @Test("another process at the same place, and a first status, have no rates")
    func noRates() {
        let now = mount(down: 10)
        var earlier = mount(down: 5000)
        earlier.pid = 6
        #expect(StatusScreen.rates(of: now, look([now], after: 1), since: look([earlier])) == nil)
        #expect(StatusScreen.rates(of: now, look([now], after: 1), since: nil) == nil)
        #expect(StatusScreen.rates(of: now, look([now]), since: look([now])) == nil)
        #expect(
            StatusScreen.rates(of: now, look([now], after: 1), since: look([mount("/mnt/b")]))
                == nil
        )
    }

    @Test("a first listing is not called up to date")
    func listing() {
        var status = mount()
        (status.isTreeComplete, status.listingSeconds, status.entries) = (false, 12.7, 303)
        status.cursorAgeSeconds = nil
        let text = status.text
        #expect(text.contains("state      online: listing the account for 12 s"))
        #expect(text.contains("tree       303 entries known so far"))
        var listing = ListingStatus(seconds: 12.7, isFirst: true, entries: 303, bytes: 3 << 20)
        status.listing = listing
        #expect(
            status.text.contains("listing the account for 12 s: 303 entries with 3.0 MiB so far;"))
        listing.expectedBytes = 57 << 20
        status.listing = listing
        #expect(status.text.contains(": 303 entries with 3.0 MiB of about 57.0 MiB; folders"))
        // The space was another one, or is counted in another way.
        listing.expectedBytes = 2 << 20
        status.listing = listing
        #expect(status.text.contains(": 303 entries with 3.0 MiB so far;"))
        status.listing = nil
        (status.isTreeComplete, status.listingSeconds, status.cursorAgeSeconds) = (true, nil, 3)
        #expect(status.text.contains("state      online\n"))
        #expect(status.text.contains("tree       303 entries known, confirmed 3 s ago"))
        // A later listing changes nothing that users see but this.
        listing = ListingStatus(seconds: 2, isFirst: false, entries: 120, bytes: 0)
        listing.expectedEntries = 303
        status.listing = listing
        #expect(status.text.contains("state      online\n"))
        #expect(
            status.text.contains(
                "confirmed 3 s ago; comparing the account for 2 s: 120 of about 303 entries"))
        status.listing = nil
        // A mount of an earlier version says nothing of it.
        status.isTreeComplete = nil
        #expect(status.text.contains("state      online\n"))
    }

    @Test("each transfer has a bar, and each trouble what to do about it")
    func contents() {
        var status = mount()
        status.state = .authRequired
        status.advice = "the login has ended; run: dbxfs login"
        status.uploads = [.init(path: "/up", bytes: 100, sent: 50)]
        status.pins.files = 2
        status.pins.fetches = [.init(path: "/down", bytes: 100, fetched: 25)]
        status.problems = [.init(path: "/bad", reason: "the account is full")]
        status.conflicts = 2
        (status.lost, status.lostPaths) = (5, ["/x", "/y"])
        let text = StatusScreen.lines(look([status]), since: nil, size: size)
            .joined(separator: "\n")
        for part in [
            "run: dbxfs login", "[############............] 50 % of 100 B  /up",
            "[######..................] 25 % of 100 B  /down", "/bad: the account is full",
            "tried again", "2 conflicted copies", "1 mount ",
            "5 pieces of content were put aside, and are not sent (/x, /y, …)", "`dbxfs recover`",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test("the screen is never larger than the terminal", arguments: [0, 1, 2, 5, 10, 40])
    func fitting(rows: Int) {
        var status = mount()
        status.uploads = (0..<30).map { .init(path: "/日本語 \($0)", bytes: 10, sent: 1) }
        let look = look([status, mount("/mnt/b")])
        for columns in [0, 1, 17, 40, 200] {
            let lines = StatusScreen.lines(
                look, since: nil, size: .init(columns: columns, rows: rows))
            #expect(lines.count <= rows)
            #expect(lines.allSatisfy { Terminal.width(of: $0) <= columns })
        }
    }

    @Test("what does not fit is counted")
    func hidden() {
        let whole = StatusScreen.lines(look([mount(), mount("/mnt/b")]), since: nil, size: size)
        let few = StatusScreen.lines(
            look([mount(), mount("/mnt/b")]), since: nil, size: .init(columns: 80, rows: 5))
        #expect(few.count == 5)
        #expect(few.last == "… \(whole.count - 4) more lines")
    }

    @Test("of a path that is longer than Linux opens, only the ends are shown")
    func longPath() {
        let name = String(repeating: "n", count: 63)
        let names = [String](repeating: name, count: 63) + ["last" + name.dropFirst(5)]
        #expect(MountStatus.shortPath(of: names).utf8.count == 4095)
        #expect(MountStatus.shortPath(of: ["top"] + names + ["end"]) == "/top/…/end")
        #expect(MountStatus.shortPath(of: []) == "")
    }

    @Test("nothing in a name gets out of its line, on the screen and in the plain status")
    func hostileNames() {
        var status = mount("/mnt/\u{1b}]0;x\u{7}\n")
        status.uploads = [.init(path: "/\u{1b}[2J\nx", bytes: 1, sent: 0)]
        status.problems = [.init(path: "/\u{9b}1m", reason: "a\u{8}b")]
        status.pins.files = 1
        status.pins.fetches = [.init(path: "/\r\n", bytes: 1, fetched: 0)]
        status.pins.problem = "/\u{202e}"
        (status.lost, status.lostPaths) = (1, ["/\u{1b}[2J\n"])
        let lines = StatusScreen.lines(look([status]), since: nil, size: size)
        for line in lines + status.text.split(separator: "\n").map(String.init) {
            #expect(Terminal.printable(line) == line)
        }
        // A heading, an empty line, the mountpoint, twelve rows.
        #expect(lines.count == 15)
    }

    @Test("without mounts the screen says so, or why")
    func empty() {
        let lines = StatusScreen.lines(look([]), since: nil, size: size)
        #expect(lines == ["dbxfs: nothing is mounted  (Ctrl-C ends)"])
        let failed = StatusScreen.Look(mounts: [], notice: "it does not answer\u{1b}")
        let told = StatusScreen.lines(failed, since: nil, size: size)
        #expect(told == ["dbxfs: it does not answer\\u{1b}  (Ctrl-C ends)"])
    }
}
