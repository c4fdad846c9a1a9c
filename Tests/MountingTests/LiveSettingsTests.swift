// Which settings of a running mount can be changed, and to what.

import Foundation
import Testing

@testable import Mounting

@Suite struct LiveSettingsTests {
    private let settings = LiveSettings(
        uploadRate: 1024, downloadRate: 2048, cacheSize: 4096, writeDelay: 5, logLevel: .info)

    private func changed(_ texts: String...) throws(CommandError) -> LiveSettings {
        try settings.changed(by: texts.map(MountOptionSetting.init(assignment:)))
    }

    @Test("every setting is read in the form of its option")
    func values() throws {
        let changed = try changed(
            "bwlimit_up=2M", "bwlimit_down=500K", "cache_size=1G", "write_delay=1m",
            "log_level=debug")
        let wanted = LiveSettings(
            uploadRate: 2 << 20, downloadRate: 500 << 10, cacheSize: 1 << 30, writeDelay: 60,
            logLevel: .debug)
        #expect(changed == wanted)
    }

    @Test("none and 0 lift a limit; the later one of two counts")
    func none() throws {
        #expect(try changed("bwlimit_up=none", "bwlimit_down=0").uploadRate == nil)
        // A mount lifts a limit of the configuration file in the same words.
        let lifted = try MountSettings(
            parsing: ["bwlimit_up=none,bwlimit_down=0"],
            over: [.init("bwlimit_up", "2M"), .init("bwlimit_down", "1M@08:00/2M@18:00")])
        #expect(lifted.uploadRate == nil && lifted.downloadRate == nil)
        #expect(lifted.downloadSchedule == nil)
        #expect(try changed("bwlimit_up=none", "bwlimit_down=0").downloadRate == nil)
        #expect(try changed("write_delay=none").writeDelay == 0)
        #expect(try changed("bwlimit_up=1K", "bwlimit_up=2B").uploadRate == 2)
    }

    @Test(
        "a value that cannot be is an error that names the setting",
        arguments: [
            "bwlimit_up=fast", "bwlimit_down=", "bwlimit_up", "cache_size=none", "write_delay=soon",
            "log_level=loud",
        ])
    func badValue(text: String) {
        let name = String(text.prefix { $0 != "=" })
        #expect {
            try changed(text)
        } throws: { error in
            guard case .badOptionValue(name, _, _) = error as? CommandError else { return false }
            return true
        }
    }

    @Test(
        "what only a new mount can change is an error that names it",
        arguments: ["ro", "fsync", "x"])
    func notLive(name: String) {
        #expect(throws: CommandError.notChangeable(name, others: LiveSettings.names)) {
            try changed(name + "=local")
        }
    }

    @Test("scripts find every setting, no limit as null")
    func json() throws {
        let text = try Terminal.json(LiveSettings(cacheSize: 7, writeDelay: 2.5))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        // A limit by time is an option's value, and has a key of its own beside the limit of this
        // moment.
        let byTime = ["bwlimit_up_by_time", "bwlimit_down_by_time"]
        #expect(Set(object.keys) == Set(LiveSettings.names).union(byTime))
        for name in ["bwlimit_up"] + byTime { #expect(object[name] is NSNull) }
        #expect(object["write_delay"] as? Double == 2.5)
    }

    @Test("people see limits that there are")
    func text() {
        #expect(settings.text == "1.0 KiB/s up, 2.0 KiB/s down")
        #expect(LiveSettings().text == nil)
        let copy = ConflictReport(
            path: "/a (x).b", original: nil, maker: "host", day: "2026-11-22", isMadeHere: true,
            bytes: 3)
        #expect(
            copy.shown { "/mnt\($0)" }?.text
                == "/mnt/a (x).b\n  made       2026-11-22, by host (this machine), 3 B\n"
                + "  original   gone")
        #expect(copy.shown { _ in nil } == nil, "a bind mount of another folder")
    }
}
