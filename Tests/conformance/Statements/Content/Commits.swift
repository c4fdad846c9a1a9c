// The effects of storing content: ids, revs, hashes, parents.

import DropboxAPIComplete

extension Statement {
    private static let place = "docs/architecture.md#uploads"

    static let commits: [Statement] = [
        .init(
            "content-hash", "content_hash is the hash of the hashes of blocks of 4 MiB.",
            .contentHash, rule: "Sources/ContentHashing",
            expects: "16dff8700700b9aa627e24bbf832940c084b41ade5c5d6fe5417963a547ed9c2"
        ) { try await $0.put("a", "Hello Dropbox!").contentHash?.text ?? "none" },
        .init(
            "content-hash-of-nothing", "The hash of an empty file is that of no bytes.",
            .contentHash, rule: "Sources/ContentHashing",
            expects: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ) { try await $0.put("a", "").contentHash?.text ?? "none" },
        .init(
            "content-hash-is-compared", "Content that has not the hash of its argument is refused.",
            .sdkTest("test_upload_auto_content_hash"), rule: place,
            expects: "content_hash_mismatch"
        ) { box in
            _ = try await box.files.upload(
                path: box.path("a"),
                contentHash: ContentHash(hex: String(repeating: "0", count: 64)),
                body: BytesBody([1]))
            return "stored"
        },
        .init(
            "rev-form", "A rev has at least nine digits from 0 to f.", .files("Rev"),
            rule: "Sources/RemoteStore/Conversion", expects: "as said"
        ) { box in
            let rev = try await box.put("a", "text").rev
            let isForm = rev.count >= 9 && rev.allSatisfy { $0.isHexDigit && !$0.isUppercase }
            return isForm ? "as said" : rev
        },
        .init(
            "id-form", "An id begins with `id:`.", .files("FileId"),
            rule: "Sources/RemoteStore/Conversion", expects: "id:"
        ) { box in String(try await box.put("a", "text").id.prefix(3)) },
        .init(
            "size-of-content", "size is the number of bytes.", .files("FileMetadata"),
            rule: "docs/semantics.md#reads", expects: "5"
        ) { box in "\(try await box.put("a", "\u{1F388}!").size)" },
        .init(
            "overwrite-keeps-id", "Other content under a name is another rev of the same id.",
            .recording("upload/success_overwrite"), rule: "docs/sync.md#order",
            expects: "another rev, the same id"
        ) { box in
            let old = try await box.file("a", "one")
            return compared(old, try await box.put("a", "two", .overwrite))
        },
        .init(
            "update-keeps-id", "An update of the current rev is another rev of the same id.",
            .recording("upload/success_update"), rule: "docs/semantics.md#conflicts",
            expects: "another rev, the same id"
        ) { box in
            let old = try await box.file("a", "one")
            return compared(old, try await box.put("a", "two", .update(old.rev)))
        },
        .init(
            "parents-are-made", "The missing parent folders of a file are made.",
            .recording("upload_session_finish/success"), rule: "docs/sync.md#order",
            expects: "folder d"
        ) { box in
            try await box.put("d/e/a", "text")
            return box.line(try await box.metadata("d"))
        },
        .init(
            "new-file-has-new-id", "A file in the place of a deleted one has another id.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "another rev, another id"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            return compared(old, try await box.put("a", "two"))
        },
        .init(
            "upload-by-id", "A file can be written by its id.", .files("WritePathOrId"),
            rule: "docs/architecture.md#uploads", expects: "another rev, the same id"
        ) { box in
            let old = try await box.file("a", "one")
            return compared(old, try await box.put(old.id, "two", .overwrite))
        },
        .init(
            "upload-by-id-after-move", "Written by its id, a file stays where it was moved.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "b"
        ) { box in
            let old = try await box.file("a", "one")
            let moved = try await box.given { try await $0.moved("a", "b") }
            return try await box.put(old.id, "two", .update(moved.rev)).name
        },
        .init(
            "upload-by-deleted-id", "A write by the id of a deleted file is malformed.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "path/malformed_path"
        ) { box in
            let old = try await box.file("a", "one")
            try await box.given { try await $0.delete("a") }
            return compared(old, try await box.put(old.id, "two", .overwrite))
        },
        .init(
            "upload-by-unknown-id", "A write by an id that there never was is malformed.",
            .assumption, rule: "docs/semantics.md#conflicts", expects: "path/malformed_path"
        ) { box in
            try await box.put("id:a4ayc_80_OEAAAAAAAAAXw", "two", .overwrite)
            return "stored"
        },
        .init(
            "refused-upload-is-kept",
            "Content that was refused at a path can be stored at another.",
            .files("UploadWriteFailed"), rule: "docs/architecture.md#uploads", expects: "two"
        ) { box in
            try await box.file("a", "one")
            let session: String
            do {
                try await box.put("a", "two")
                return "stored"
            } catch let error as CallError<Files.UploadError> {
                guard case .path(let failed) = error.routeError else { throw error }
                session = failed.uploadSessionID
            }
            _ = try await box.files.uploadSessionFinish(
                cursor: .init(sessionID: session, offset: 3), commit: .init(path: box.path("b")),
                body: BytesBody([]))
            return try await box.text("b")
        },
    ]

    /// Which of rev and id two states of a file share.
    static func compared(_ old: Files.FileMetadata, _ new: Files.FileMetadata) -> Observation {
        (old.rev == new.rev ? "the same rev" : "another rev")
            + (old.id == new.id ? ", the same id" : ", another id")
    }
}
