// How a client waits for changes.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#a-delta-from-the-longpoll-to-the-kernel"

    static let longpolls: [Statement] = [
        .init(
            "longpoll-pending", "A longpoll tells at once of a change that there is already.",
            .recording("list_folder_longpoll/success"), rule: place, expects: "changes"
        ) { box in
            let cursor = try await box.cursor()
            try await box.file("a")
            return try await waited(box, cursor)
        },
        .init(
            "longpoll-wakes", "A longpoll tells of a change that comes while it waits.",
            .files("list_folder/longpoll"), rule: place, expects: "changes"
        ) { box in
            let cursor = try await box.cursor()
            async let answer = waited(box, cursor)
            try await box.file("a")
            return try await answer
        },
        .init(
            "longpoll-ends",
            "A longpoll without changes ends after its time and 90 seconds at most.",
            .files("ListFolderLongpollArg"), rule: place, expects: "no changes, in time"
        ) { box in
            let cursor = try await box.cursor()
            let start = ContinuousClock.now
            let answer = try await waited(box, cursor)
            let time = start.duration(to: .now)
            return "\(answer), \(time < .seconds(30 + 90 + 30) ? "in time" : "late")"
        },
        .init(
            "longpoll-too-short", "A longpoll of less than 30 seconds is refused.",
            .files("ListFolderLongpollArg"), rule: place, expects: "400"
        ) { try await waited($0, try await $0.cursor(), timeout: 29) },
        .init(
            "longpoll-too-long", "A longpoll of more than 480 seconds is refused.",
            .files("ListFolderLongpollArg"), rule: place, expects: "400"
        ) { try await waited($0, try await $0.cursor(), timeout: 481) },
        .init(
            "longpoll-unknown-cursor",
            "A longpoll with a text that is no cursor is not understood.",
            .recording("list_folder_longpoll/reset"), rule: place, expects: "400"
        ) { try await waited($0, "I believe in the blerch") },
        .init(
            "longpoll-gone-folder", "The deletion of its folder wakes a longpoll.", .assumption,
            rule: "docs/semantics.md#conflicts", expects: "changes"
        ) { box in
            try await box.makeFolder("d")
            let cursor = try await box.cursor("d")
            try await box.given { try await $0.delete("d") }
            return try await waited(box, cursor)
        },
        .init(
            "longpoll-forgotten", "A longpoll with a forgotten cursor says so.",
            .files("ListFolderLongpollError"), rule: "docs/sync.md#listings", expects: "reset"
        ) { box in
            let cursor = try await box.cursor()
            try await box.admin(
                "cursors/reset", "{}", reason: "Dropbox forgets a cursor only after a long time")
            return try await waited(box, cursor)
        },
    ]

    private static func waited(
        _ box: ConformanceAccount, _ cursor: String, timeout: UInt64 = 30
    ) async throws -> Observation {
        let answer = try await box.files.listFolderLongpoll(cursor: cursor, timeout: timeout)
        return answer.changes ? "changes" : "no changes"
    }
}
