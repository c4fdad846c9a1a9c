// A status as Prometheus metrics: text exposition format 0.0.4. `MountStatus` defines their
// meaning. Names are an interface for dashboards and alerts: metrics are added, never renamed.

import Saturating

/// The status of mounts as metrics.
package enum StatusMetrics {
    /// All metrics of all mounts, each with its HELP and TYPE, ending with a line feed.
    package static func text(_ mounts: [MountStatus]) -> String {
        var text = head("dbxfs_mounts", .gauge, "Mounts that answer.")
        text += "dbxfs_mounts \(mounts.count)\n"
        for metric in metrics {
            let lines = mounts.flatMap { mount in
                metric.samples(mount).map { sample in
                    let labels =
                        [("mountpoint", mount.mountpoint), ("account", mount.account)]
                        + sample.labels
                    return "\(metric.name){\(list(labels))} \(sample.value)\n"
                }
            }
            // A metric without samples is left out, including its head.
            guard !lines.isEmpty else { continue }
            text.append(head(metric.name, metric.kind, metric.help))
            text.append(lines.joined())
        }
        return text
    }

    // MARK: Form

    private static func head(_ name: String, _ kind: Metric.Kind, _ help: String) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    private static func list(_ labels: [(String, String)]) -> String {
        labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
    }

    /// Escapes the three characters that the format has escapes for.
    private static func escaped(_ value: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\"": text.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// One metric and its samples.
    private struct Metric {
        enum Kind: String {
            case gauge, counter
        }

        struct Sample {
            var labels: [(String, String)] = []
            var value: String
        }

        let name: String
        let kind: Kind
        let help: String
        let samples: (MountStatus) -> [Sample]

        /// A gauge with one sample per mount; none if the value is nil.
        static func gauge<Number: Numeric>(
            _ name: String, _ help: String, _ value: @escaping (MountStatus) -> Number?
        ) -> Metric {
            Metric(name: "dbxfs_" + name, kind: .gauge, help: help) { mount in
                value(mount).map { [Sample(value: "\($0)")] } ?? []
            }
        }

        /// A counter with one sample per mount, which grows until the mount ends.
        static func counter<Number: Numeric>(
            _ name: String, _ help: String, _ value: @escaping (MountStatus) -> Number
        ) -> Metric {
            Metric(name: "dbxfs_" + name, kind: .counter, help: help) { mount in
                [Sample(value: "\(value(mount))")]
            }
        }

        /// A counter with one sample per value of a label.
        static func counters(
            _ name: String, _ help: String, by label: String,
            _ values: @escaping (MountStatus) -> [String: Int]
        ) -> Metric {
            Metric(name: "dbxfs_" + name, kind: .counter, help: help) { mount in
                values(mount).sorted { $0.key < $1.key }
                    .map { Sample(labels: [(label, $0.key)], value: "\($0.value)") }
            }
        }
    }

    // MARK: The metrics

    /// All numbers of a status; the pid is no number but a name.
    private static var metrics: [Metric] {
        [info, state] + queue + cache + pins + tree + traffic
    }

    private static var info: Metric {
        Metric(
            name: "dbxfs_info", kind: .gauge,
            help: "What is mounted, and by which version: always 1."
        ) { mount in
            let labels = [("remote_path", mount.remotePath), ("version", mount.version)]
            return [.init(labels: labels, value: "1")]
        }
    }

    private static var state: Metric {
        Metric(
            name: "dbxfs_state", kind: .gauge,
            help: "How the mount stands with the server: 1 for the state that it is in."
        ) { mount in
            MountStatus.State.allCases.map { state in
                .init(
                    labels: [("state", state.rawValue)], value: state == mount.state ? "1" : "0")
            }
        }
    }

    private static var queue: [Metric] {
        [
            .gauge("pending_operations", "Changes that are not on Dropbox yet.") {
                $0.pendingOperations
            },
            .gauge("pending_bytes", "Bytes of content that wait with them.") { $0.pendingBytes },
            .gauge("uploads", "Files that are being sent.") { $0.uploads.count },
            .gauge("uploads_bytes", "Bytes of the files that are being sent.") {
                $0.uploads.reduce(Int64(0)) { $0 +| $1.bytes }
            },
            .gauge("uploads_sent_bytes", "Bytes of those that the network has taken.") {
                $0.uploads.reduce(Int64(0)) { $0 +| $1.sent }
            },
            .gauge("sending_rate", "Bytes per second that are being sent.") {
                $0.sendingRate ?? 0
            },
            .gauge("seconds_left", "Seconds until the queue is sent, if known.") {
                $0.secondsLeft
            },
            .gauge("paused", "Whether a user has paused the mount: 0 or 1.") {
                $0.isPaused == true ? 1 : 0
            },
            .gauge("pause_seconds_left", "Seconds until a pause ends by itself.") {
                $0.pauseSecondsLeft
            },
            .gauge("problems", "Changes that the server refused, as far as status lists them.") {
                $0.problems.count
            },
            .gauge("lost", "Pieces of content that were put aside, and are not sent.") { $0.lost },
            .counter("conflicts_total", "Conflicted copies made since the mount began.") {
                $0.conflicts
            },
        ]
    }

    private static var cache: [Metric] {
        [
            .gauge("cached_bytes", "Bytes of content in the cache.") { $0.cachedBytes },
            .gauge("pinned_bytes", "Bytes in the cache that are kept whatever happens.") {
                $0.pinnedBytes
            },
            .gauge("cache_size_bytes", "Bytes that the cache may hold.") { $0.pins.cacheSize },
            .gauge("upload_limit_bytes", "Bytes per second that may be sent; 0: no limit.") {
                $0.limits.uploadRate ?? 0
            },
            .gauge("download_limit_bytes", "Bytes per second that may be fetched; 0: no limit.") {
                $0.limits.downloadRate ?? 0
            },
            .gauge("write_delay_seconds", "Seconds for which a change waits for others at most.") {
                $0.limits.writeDelay
            },
        ]
    }

    private static var pins: [Metric] {
        [
            .gauge("pins_files", "Pinned files, those in pinned folders too.") { $0.pins.files },
            .gauge("pins_bytes", "Bytes of pinned files.") { $0.pins.bytes },
            .gauge("pins_present_files", "Pinned files that are here.") { $0.pins.presentFiles },
            .gauge("pins_present_bytes", "Bytes of pinned files that are here.") {
                $0.pins.presentBytes
            },
            .gauge("pins_missing_files", "Pinned files that are still to be fetched.") {
                $0.pins.missingFiles
            },
            .gauge("pins_missing_bytes", "Bytes of pinned files that are still to be fetched.") {
                $0.pins.missingBytes
            },
            .gauge("pins_unavailable_files", "Pinned files that cannot be downloaded.") {
                $0.pins.unavailableFiles
            },
            .gauge("pins_exceed_cache", "Whether pins take more than the cache may hold: 0 or 1.") {
                $0.pins.exceedsCache ? 1 : 0
            },
            .gauge("pins_seconds_left", "Seconds until all pinned files are here, if known.") {
                $0.pins.secondsLeft
            },
            .gauge("fetches", "Pinned files that are being fetched.") { $0.pins.fetches.count },
            .gauge("fetches_bytes", "Bytes of the pinned files that are being fetched.") {
                $0.pins.fetches.reduce(Int64(0)) { $0 +| $1.bytes }
            },
            .gauge("fetches_fetched_bytes", "Bytes of those that are here.") {
                $0.pins.fetches.reduce(Int64(0)) { $0 +| $1.fetched }
            },
        ]
    }

    private static var tree: [Metric] {
        [
            .gauge("entries", "Files and folders that are known.") { $0.entries },
            .gauge("local_entries", "Files, folders and links that never leave this machine.") {
                $0.localEntries
            },
            .gauge("local_bytes", "Bytes of these files.") { $0.localBytes },
            .gauge("tree_complete", "Whether all of the account is known: 0 or 1.") { mount in
                mount.isTreeComplete.map { $0 ? 1 : 0 }
            },
            .gauge("listing_seconds", "Seconds for which all of the account has been listed.") {
                $0.listingSeconds
            },
            .gauge("listing_entries", "Entries that this listing has seen.") {
                $0.listing?.entries
            },
            .gauge("listing_bytes", "Bytes of these files.") { $0.listing?.bytes },
            .gauge("listing_expected_entries", "Entries that were known before this listing.") {
                $0.listing?.expectedEntries
            },
            .gauge(
                "listing_expected_bytes", "Bytes of the account's files, as Dropbox counts them."
            ) {
                $0.listing?.expectedBytes
            },
            .gauge("cursor_age_seconds", "Seconds since the tree was last known to be up to date.")
            {
                $0.cursorAgeSeconds
            },
            .gauge("waiting_seconds", "Seconds that the server still asks to wait.") {
                $0.waitingSeconds ?? 0
            },
        ]
    }

    private static var traffic: [Metric] {
        [
            .counters("requests_total", "Requests to the server.", by: "route") { $0.requests },
            .counters("calls_total", "Requests of the kernel.", by: "call") { $0.calls },
            .counter("received_bytes_total", "Bytes received from the server.") { $0.bytesDown },
            .gauge("receiving_rate", "Bytes per second that are being received.") {
                $0.receivingRate ?? 0
            },
            .counter("sent_bytes_total", "Bytes sent to the server.") { $0.bytesUp },
            .gauge("resident_memory_bytes", "Memory that the process occupies.") { $0.rssBytes },
        ]
    }
}
