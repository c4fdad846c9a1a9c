// Which dates files have, and in which form.

import DropboxAPIComplete
import Foundation

extension Statement {
    private static let place = "docs/semantics.md#posix-on-dropbox"

    static let dates: [Statement] = [
        .init(
            "modified-is-stored", "client_modified is stored as it was sent.",
            .recording("upload/success_client_modified"), rule: place,
            expects: "2016-12-25T12:00:00Z"
        ) { try await modified($0, "2016-12-25T12:00:00Z") },
        .init(
            "modified-long-ago", "client_modified may be decades ago.",
            .recording("get_metadata/success_file"), rule: place, expects: "1988-12-08T01:01:00Z"
        ) { try await modified($0, "1988-12-08T01:01:00Z") },
        .init(
            "modified-before-1970", "client_modified may be before 1970.", .assumption,
            rule: place, expects: "1960-01-02T03:04:05Z"
        ) { try await modified($0, "1960-01-02T03:04:05Z") },
        .init(
            "modified-in-future", "client_modified is not verified: it may be in the future.",
            .files("FileMetadata"), rule: place, expects: "2099-01-02T03:04:05Z"
        ) { try await modified($0, "2099-01-02T03:04:05Z") },
        .init(
            "modified-unless-sent", "Without client_modified it is the time of the upload.",
            .recording("upload/success"), rule: place, expects: "the same within 10 seconds"
        ) { box in
            let file = try await box.put("a", "text")
            return near(file.clientModified, file.serverModified, "the same")
        },
        .init(
            "modified-in-fractions", "Fractions of seconds are not understood.",
            .issue("dropbox/dropbox-sdk-go-unofficial", 6), rule: place, expects: "400"
        ) { try await sent($0, "2016-12-25T12:00:00.5Z") },
        .init(
            "modified-in-other-form", "Another form of a time is not understood.",
            .issue("dropbox/dropbox-sdk-obj-c", 29), rule: place, expects: "400"
        ) { try await sent($0, "2016-09-08T8:38:19 PMZ") },
        .init(
            "modified-alone-is-not-stored",
            "client_modified of the same content is not stored: a change of times alone is none.",
            .issue("dropbox/dropbox-sdk-python", 67), rule: place, expects: "2001-02-03T04:05:06Z"
        ) { box in
            _ = try await modified(box, "2001-02-03T04:05:06Z")
            return try await modified(box, "2011-02-03T04:05:06Z")
        },
        .init(
            "server-modified", "server_modified is the time of the upload.", .files("FileMetadata"),
            rule: place, expects: "now within 10 minutes"
        ) { box in
            let file = try await box.put("a", "text", modified: "2001-02-03T04:05:06Z")
            let now = Int64(Date().timeIntervalSince1970)
            let distance = (file.serverModified.secondsSince1970 - now).magnitude
            return distance < 600 ? "now within 10 minutes" : file.serverModified.description
        },
        .init(
            "move-keeps-modified", "A moved file keeps client_modified.",
            .recording("move/success_file"), rule: place, expects: "2001-02-03T04:05:06Z"
        ) { box in
            _ = try await modified(box, "2001-02-03T04:05:06Z")
            return try await box.moved("a", "b").clientModified.description
        },
        .init(
            "copy-keeps-modified", "A copied file has the client_modified of the original.",
            .recording("copy/success"), rule: place, expects: "2001-02-03T04:05:06Z"
        ) { box in
            _ = try await modified(box, "2001-02-03T04:05:06Z")
            try await box.copy("a", "b")
            return try await box.fileMetadata("b").clientModified.description
        },
        .init(
            "restore-keeps-modified", "A restored file has the client_modified of its revision.",
            .recording("restore/success"), rule: place, expects: "2001-02-03T04:05:06Z"
        ) { box in
            let old = try await box.given {
                try await $0.put("a", "one", modified: "2001-02-03T04:05:06Z")
            }
            try await box.file("a", "two")
            return try await box.files.restore(path: box.path("a"), rev: old.rev).clientModified
                .description
        },
    ]

    private static func modified(
        _ box: ConformanceAccount, _ time: String
    ) async throws -> Observation {
        try await box.put("a", "text", .overwrite, modified: time).clientModified.description
    }

    /// Sends a time as it is.
    private static func sent(_ box: ConformanceAccount, _ time: String) async throws -> Observation
    {
        let reply = try await box.content(
            "files/upload", #"{"path":"\#(box.path("a"))","client_modified":"\#(time)"}"#,
            text: "text")
        return "\(reply.status)"
    }

    private static func near(_ one: Timestamp, _ other: Timestamp, _ word: String) -> Observation {
        (one.secondsSince1970 - other.secondsSince1970).magnitude <= 10
            ? "\(word) within 10 seconds" : "\(one) and \(other)"
    }
}
