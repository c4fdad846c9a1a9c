// Content on its way down: ranges, old revisions, links and archives.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/semantics.md#reads"

    static let downloads: [Statement] = [
        .init(
            "download", "A download has the content.", .recording("download/success"), rule: place,
            expects: "0123456789"
        ) { box in
            try await box.file("a", "0123456789")
            return try await box.text("a")
        },
        .init(
            "download-missing", "There is nothing to download where there is no file.",
            .recording("download/not_found"), rule: place, expects: "path/not_found"
        ) { try await $0.text("a") },
        .init(
            "download-folder", "A folder is not downloaded as a file.", .files("LookupError"),
            rule: place, expects: "path/not_file"
        ) { box in
            try await box.makeFolder("a")
            return try await box.text("a")
        },
        ranged("range", "A range is sent exactly, with status 206.", "bytes=2-4", "206 234"),
        ranged("range-from", "A range without an end is the rest.", "bytes=7-", "206 789"),
        ranged("range-of-end", "A range of the last bytes is sent.", "bytes=-2", "206 89"),
        ranged("range-clipped", "A range ends with the file.", "bytes=8-20", "206 89"),
        .init(
            "range-behind-end", "A range behind the end has status 416.", .assumption, rule: place,
            expects: "416"
        ) { box in
            try await box.file("a", "0123456789")
            let reply = try await box.content(
                "files/download", #"{"path":"\#(box.path("a"))"}"#,
                headers: ["Range": "bytes=20-29"])
            return "\(reply.status)"
        },
        .init(
            "range-of-nothing", "Any range of an empty file has status 416.", .assumption,
            rule: place, expects: "416"
        ) { box in
            try await box.file("a", "")
            let reply = try await box.content(
                "files/download", #"{"path":"\#(box.path("a"))"}"#, headers: ["Range": "bytes=0-"])
            return "\(reply.status)"
        },
        .init(
            "content-range", "Content-Range tells the range and the size.", .reference, rule: place,
            expects: "bytes 2-4/10"
        ) { box in
            try await box.file("a", "0123456789")
            let reply = try await box.content(
                "files/download", #"{"path":"\#(box.path("a"))"}"#, headers: ["Range": "bytes=2-4"])
            return reply.headers["Content-Range"] ?? "none"
        },
        .init(
            "download-by-get", "A download may be a GET with its argument in the URL.", .reference,
            rule: "Sources/DropboxAPI/Client", expects: "200 text"
        ) { box in
            let file = try await box.file("a")
            let id = file.id.replacing(":", with: "%3A")
            let reply = try await box.send(
                .init(
                    method: .get,
                    url: "\(box.emulator ?? "https://content.dropboxapi.com")/2/files/download"
                        + "?arg=%7B%22path%22%3A%22\(id)%22%7D",
                    headers: ["Authorization": "Bearer \(box.token.secret)"], purpose: .download))
            return "\(reply.status) \(reply.body)"
        },
        .init(
            "download-unless-changed", "Content that the client has by its ETag is not sent again.",
            .reference, rule: place, expects: "304"
        ) { box in
            let file = try await box.file("a")
            let argument = #"{"path":"\#(file.id)"}"#
            let first = try await box.content("files/download", argument)
            guard let tag = first.headers["ETag"] else { return "no ETag" }
            let second = try await box.content(
                "files/download", argument, headers: ["If-None-Match": tag])
            return "\(second.status)"
        },
        .init(
            "download-by-rev", "An old revision is downloaded by its rev.", .files("ReadPath"),
            rule: place, expects: "one"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.file("a", "two")
            return try await box.text("rev:\(old.rev)")
        },
        .init(
            "download-deleted-by-rev", "A deleted file is downloaded by its rev.", .assumption,
            rule: place, expects: "one"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            return try await box.text("rev:\(old.rev)")
        },
        .init(
            "download-moved-by-rev", "The rev from before a move still gives the content.",
            .assumption, rule: place, expects: "one"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.move("a", "b") }
            return try await box.text("rev:\(old.rev)")
        },
        .init(
            "download-by-id", "A file is downloaded by its id.", .files("ReadPath"), rule: place,
            expects: "one"
        ) { box in try await box.text(try await box.file("a", "one").id) },
        .init(
            "download-link", "A temporary link gives the content without a token.",
            .files("get_temporary_link"), rule: "docs/operations.md#everyday", expects: "200 one"
        ) { box in
            try await box.file("a", "one")
            let link = try await box.files.getTemporaryLink(path: box.path("a")).link
            let reply = try await box.send(.init(method: .get, url: link, purpose: .download))
            return "\(reply.status) \(reply.body)"
        },
        .init(
            "download-link-missing", "There is no link to nothing.",
            .recording("get_temporary_link/not_found"), rule: "docs/operations.md#everyday",
            expects: "path/not_found"
        ) { box in try await box.files.getTemporaryLink(path: box.path("a")).link },
        .init(
            "zip", "An archive has the folder's name before each path.", .files("download_zip"),
            rule: "Sources/DropboxAPI/Archive", expects: "d/a, d/e/b"
        ) { box in
            try await box.file("d/a", "one")
            try await box.file("d/e/b", "two")
            let bytes = try await box.files.downloadZip(path: box.path("d")).body
                .collect(upTo: 1 << 20)
            var reader = ZipReader(limit: 1 << 20)
            var names = try reader.take(bytes).map(\.name)
            while reader.hasMore { names += try reader.take([]).map(\.name) }
            return ConformanceAccount.list(names.filter { !$0.hasSuffix("/") }.sorted())
        },
        .init(
            "zip-of-file", "There is no archive of a file.", .files("DownloadZipError"),
            rule: "Sources/DropboxAPI/Archive", expects: "path/not_folder"
        ) { box in
            try await box.file("a")
            return try await box.files.downloadZip(path: box.path("a")).result.metadata.name
        },
        .init(
            "thumbnail-of-text", "A file that is no picture has a failure of its own in a batch.",
            .files("get_thumbnail_batch"), rule: "Sources/RemoteStore/Dropbox/Documents",
            expects: "unsupported_extension"
        ) { box in
            let file = try await box.file("a.txt", "text")
            let entries = try await box.files.getThumbnailBatch(
                entries: [.init(path: "rev:\(file.rev)", format: .png)]
            ).entries
            guard case .failure(let error)? = entries.first, case .unsupportedExtension = error
            else { return "\(entries)" }
            return "unsupported_extension"
        },
        .init(
            "thumbnail-batch-of-26", "A batch is of 25 thumbnails at most.",
            .files("GetThumbnailBatchError"), rule: "Sources/RemoteStore/Dropbox/Documents",
            expects: "too_many_files"
        ) { box in
            let file = try await box.file("a.jpg", "one")
            let entry = Files.ThumbnailArg(path: file.id)
            let result = try await box.files.getThumbnailBatch(
                entries: Array(repeating: entry, count: 26))
            return "\(result.entries.count)"
        },
    ]

    /// A statement about a range of ten digits.
    private static func ranged(
        _ id: String, _ sentence: String, _ range: String, _ expected: Observation
    ) -> Statement {
        .init(id, sentence, .reference, rule: place, expects: expected) { box in
            try await box.file("a", "0123456789")
            let reply = try await box.content(
                "files/download", #"{"path":"\#(box.path("a"))"}"#, headers: ["Range": range])
            return "\(reply.status) \(reply.body)"
        }
    }
}
