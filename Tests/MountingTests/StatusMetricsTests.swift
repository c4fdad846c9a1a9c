// The numbers of a status as Prometheus reads them. That its own parser takes the whole of it is
// tested by the scenario `seeing`.

import Foundation
import Mounting
import Testing

@Suite struct StatusMetricsTests {
    private func mount(_ path: String = "/mnt/a") -> MountStatus {
        var status = MountStatus(mountpoint: path, account: "work", state: .offline)
        status.version = "1.2"
        return status
    }

    private func lines(_ mounts: MountStatus...) -> [String] {
        StatusMetrics.text(mounts).split(separator: "\n").map(String.init)
    }

    @Test("every number has a name, a unit, a kind and labels")
    func samples() {
        var status = mount()
        status.pendingOperations = 3
        status.pendingBytes = 4096
        (status.sendingRate, status.secondsLeft) = (2048, 2)
        (status.isPaused, status.pauseSecondsLeft) = (true, 30)
        status.conflicts = 2
        status.lost = 4
        status.requests = ["files/upload": 5, "files/list_folder": 1]
        status.calls = ["lookup": 9]
        status.cursorAgeSeconds = 1.5
        status.uploads = [
            .init(path: "/a", bytes: 7, sent: 3), .init(path: "/b", bytes: 1, sent: 0),
        ]
        let labels = #"mountpoint="/mnt/a",account="work""#
        let lines = lines(status)
        for line in [
            "# TYPE dbxfs_pending_bytes gauge", "dbxfs_pending_bytes{\(labels)} 4096",
            "dbxfs_sending_rate{\(labels)} 2048", "dbxfs_seconds_left{\(labels)} 2.0",
            "dbxfs_paused{\(labels)} 1", "dbxfs_pause_seconds_left{\(labels)} 30.0",
            "dbxfs_receiving_rate{\(labels)} 0",
            "dbxfs_pending_operations{\(labels)} 3", "# TYPE dbxfs_conflicts_total counter",
            "dbxfs_conflicts_total{\(labels)} 2", "dbxfs_lost{\(labels)} 4",
            #"dbxfs_requests_total{\#(labels),route="files/upload"} 5"#,
            #"dbxfs_calls_total{\#(labels),call="lookup"} 9"#,
            "dbxfs_cursor_age_seconds{\(labels)} 1.5", "dbxfs_uploads_bytes{\(labels)} 8",
            "dbxfs_uploads_sent_bytes{\(labels)} 3", "dbxfs_waiting_seconds{\(labels)} 0.0",
            #"dbxfs_info{\#(labels),remote_path="",version="1.2"} 1"#, "dbxfs_mounts 1",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
    }

    @Test("one of the states is 1")
    func state() {
        let states = lines(mount()).filter { $0.hasPrefix("dbxfs_state{") }
        #expect(states.count == MountStatus.State.allCases.count)
        #expect(states.filter { $0.hasSuffix(" 1") }.count == 1)
        #expect(states.contains { $0.contains(#"state="offline""#) && $0.hasSuffix(" 1") })
    }

    @Test("a metric has one head before all its samples, and none without samples")
    func heads() {
        let lines = lines(mount(), mount("/mnt/b"))
        let heads = lines.filter { $0.hasPrefix("# TYPE ") }
        #expect(Set(heads).count == heads.count)
        #expect(!lines.contains { $0.contains("dbxfs_cursor_age_seconds") })
        var current = ""
        for line in lines {
            if line.hasPrefix("# ") {
                current = String(line.split(separator: " ")[2])
            } else {
                #expect(line.prefix { $0 != "{" && $0 != " " } == current)
            }
        }
    }

    @Test("labels may hold anything")
    func escaping() {
        let text = StatusMetrics.text([mount("/a\\b\"c\nd é")])
        #expect(text.contains(#"dbxfs_entries{mountpoint="/a\\b\"c\nd é",account="work"} 0"#))
        #expect(text.hasSuffix("\n"))
    }

    @Test("how far a listing is, is a metric while it runs")
    func listing() {
        var status = mount()
        #expect(!StatusMetrics.text([status]).contains("listing_entries{"))
        var listing = ListingStatus(seconds: 1, isFirst: true, entries: 7, bytes: 8)
        listing.expectedBytes = 9
        status.listing = listing
        let text = StatusMetrics.text([status])
        #expect(text.contains(/dbxfs_listing_entries\{.*\} 7/))
        #expect(text.contains(/dbxfs_listing_bytes\{.*\} 8/))
        #expect(text.contains(/dbxfs_listing_expected_bytes\{.*\} 9/))
        #expect(!text.contains("listing_expected_entries{"))
    }

    @Test("every number of the JSON is a metric")
    func completeness() throws {
        var status = mount()
        (status.cursorAgeSeconds, status.waitingSeconds) = (1, 1)
        (status.requests, status.calls) = (["x": 1], ["x": 1])
        let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(status))
        let fields = try #require(object as? [String: Any])
        // A name, and sentences. What the others are called is not guessed.
        let names = fields.keys.filter {
            ![
                "pid", "advice", "remote_path", "version", "lost_paths", "connection_problem",
                "metrics_address", "device", "posix",
            ].contains($0)
        }
        let known: Set = [
            "mountpoint", "account", "state", "uploads", "problems", "conflicts", "lost", "entries",
            "requests", "calls", "pins", "limits", "local_entries", "local_bytes",
            "pending_operations", "pending_bytes", "cached_bytes", "pinned_bytes",
            "cursor_age_seconds", "tree_complete", "listing_seconds", "listing", "waiting_seconds",
            "bytes_down", "bytes_up", "sending_rate", "receiving_rate", "seconds_left", "paused",
            "pause_seconds_left",
            "rss_bytes",
        ]
        #expect(Set(names) == known, "a new field needs a metric, if it is a number")
    }
}
