// Rates, times left, and the line that shows them.

import Testing

@testable import Mounting

@Suite struct ProgressTests {
    @Test("a rate is the bytes of the last ten seconds, and at first of the time since they began")
    func rates() {
        var rate = TransferRate()
        #expect(rate.perSecond(at: 5) == nil)
        rate.add(1000, at: 100)
        // Not more than the bytes: a second counts as the least time.
        #expect(rate.perSecond(at: 100.1) == 1000)
        rate.add(1000, at: 102)
        #expect(rate.perSecond(at: 104) == 500)
        for second in 103..<130 { rate.add(2000, at: Double(second)) }
        let steady = rate.perSecond(at: 130) ?? 0
        #expect((1900...2100).contains(steady))
        // An idle link has no rate, and begins anew.
        #expect(rate.perSecond(at: 141) == nil)
        rate.add(500, at: 1000)
        #expect(rate.perSecond(at: 1001) == 500)
    }

    @Test(
        "no time and no number of bytes traps", arguments: [-1e300, -1, 0, 1e18, .infinity, .nan])
    func extremes(time: Double) {
        var rate = TransferRate()
        for bytes in [.min, -1, 0, .max, .max] as [Int64] { rate.add(bytes, at: time) }
        _ = rate.perSecond(at: time)
        _ = rate.perSecond(at: -time)
        _ = Terminal.duration(time)
        _ = TimeLeft.seconds(for: .max, at: 1)
    }

    @Test("a time left needs bytes and a rate")
    func left() {
        #expect(TimeLeft.seconds(for: 100, at: 10) == 10)
        #expect(TimeLeft.seconds(for: 100, at: nil) == nil)
        #expect(TimeLeft.seconds(for: 100, at: 0) == nil)
        #expect(TimeLeft.seconds(for: -5, at: 10) == nil)
    }

    @Test(
        "durations have their two largest units",
        arguments: [
            (0, "0 s"), (0.2, "1 s"), (59, "59 s"), (60, "1 min"), (185, "3 min 5 s"),
            (7500, "2 h 5 min"), (7200, "2 h"), (273_600, "3 d 4 h"), (-3, "0 s"),
        ] as [(Double, String)])
    func durations(seconds: Double, text: String) {
        #expect(Terminal.duration(seconds) == text)
    }

    private func backlog(_ bytes: Int64, sent: Int64 = 0, rate: Int64? = nil) -> Backlog {
        var backlog = Backlog(operations: 2, bytes: bytes, state: .online)
        (backlog.sentBytes, backlog.rate) = (sent, rate)
        return backlog
    }

    @Test("the line of a wait moves within files, and its total grows with new changes")
    func line() {
        var line = DrainLine()
        #expect(
            line.text(backlog(1000), "/mnt")
                == "[........................] 0 %  2 changes, 1000 B to send  /mnt")
        #expect(
            line.text(backlog(1000, sent: 500, rate: 100), "/mnt")
                == "[############............] 50 %  "
                + "2 changes, 500 B to send at 100 B/s, 5 s left  /mnt")
        // The first file is stored, and a third one was written.
        #expect(line.text(backlog(1500, sent: 500), "/mnt").contains(" 33 %  2 changes, 1000 B"))
        #expect(line.text(backlog(0), "/mnt").hasPrefix("[########################] 100 %"))
        var names = DrainLine()
        #expect(names.text(backlog(0), "/mnt") == "2 changes, 0 B to send  /mnt")
    }

    @Test("a status says how fast and how long, and which file is still being written")
    func status() {
        var status = MountStatus(mountpoint: "/mnt", account: "default", state: .online)
        (status.pendingOperations, status.pendingBytes) = (1, 60_000_000)
        status.uploads = [.init(path: "/big", bytes: 60_000_000, sent: 15_000_000)]
        (status.sendingRate, status.secondsLeft) = (1_000_000, 45)
        #expect(
            status.text.contains(
                "queue      1 change, 42.9 MiB to send at 976.6 KiB/s, 45 s left\n"))
        #expect(status.text.contains("sending    /big  25 % of 57.2 MiB\n"))
        var full = status
        full.secondsLeft = nil
        #expect(
            full.text.contains("queue      1 change, 42.9 MiB to send\n"),
            "what was sent before says nothing about a queue that stands still")
        status.uploads[0].isGrowing = true
        #expect(
            status.text.contains("/big  14.3 MiB of 57.2 MiB so far, it is still being written\n"))
        status.isPaused = true
        #expect(status.text.contains("until `dbxfs resume`\n"))
        status.pauseSecondsLeft = 90
        #expect(status.text.contains("fetched for 1 min 30 s\n"))
        (status.state, status.connectionProblem) = (.offline, "no connection")
        #expect(status.text.contains("changes are queued (no connection)\n"))
    }

    @Test("a paused queue is not waited for")
    func paused() {
        var paused = backlog(10)
        paused.isPaused = true
        let outcome = Drain(limit: nil).outcome(of: paused, after: 0)
        #expect(outcome?.remaining == 2)
        #expect(outcome?.reason?.contains("dbxfs resume") == true)
        #expect(Drain(limit: nil).outcome(of: backlog(10), after: 0) == nil)
    }

    @Test("limits by time hold from their minute to the next one, over midnight too")
    func schedule() throws {
        let schedule = try #require(RateSchedule(parsing: "500K@08:00/none@18:30/2M@12:00"))
        #expect(schedule.rate(atMinute: 0) == nil)
        #expect(schedule.rate(atMinute: 479) == nil)
        #expect(schedule.rate(atMinute: 480) == 500 << 10)
        #expect(schedule.rate(atMinute: 720) == 2 << 20)
        #expect(schedule.rate(atMinute: 1109) == 2 << 20)
        #expect(schedule.rate(atMinute: 1110) == nil)
        #expect((0..<1440).contains(RateSchedule.presentMinute))
    }

    @Test(
        "nonsense is no limit by time",
        arguments: [
            "500K@08:00", "500K@8/none@9:00", "500@08:00/none@9:00", "500K@24:00/none@9:00",
            "500K@08:60/none@9:00", "500K@08:00/none@8:00", "@08:00/none@9:00", "x@08:00/1M@9:00",
            "500K@08:00/", "500K@08:00/none@-1:00", "0@08:00/none@9:00", "1M@08:00@9:00/none@1:00",
            "1M@٠٨:٠٠/none@9:00",
        ])
    func noSchedule(text: String) {
        #expect(RateSchedule(parsing: text) == nil)
    }

    @Test("limits by time are options, and can be set and lifted while it is mounted")
    func options() throws {
        let settings = try MountSettings(parsing: ["bwlimit_up=1M@08:00/none@18:00"])
        #expect(settings.uploadRate == nil)
        #expect(settings.uploadSchedule?.rate(atMinute: 600) == 1 << 20)
        #expect(
            try MountSettings(parsing: ["bwlimit_up=1M@08:00/none@18:00,bwlimit_up=2M"])
                .uploadSchedule == nil)
        let live = try LiveSettings(uploadRate: 7).changed(by: [
            .init("bwlimit_down", "1M@08:00/2M@18:00")
        ])
        #expect(live.followsTime)
        #expect(live.at(minute: 500).downloadRate == 1 << 20)
        #expect(live.at(minute: 1200).downloadRate == 2 << 20)
        #expect(live.at(minute: 500).uploadRate == 7)
        #expect(live.at(minute: 500).text == "7 B/s up, 1.0 MiB/s down (1M@08:00/2M@18:00)")
        let lifted = try live.changed(by: [.init("bwlimit_down", "none")])
        #expect(!lifted.followsTime && lifted.downloadRate == nil)
    }
}
