// Exports of cloud documents: their formats, and bytes that are the announced ones or an error.

import ContentHashing
import Core
import DropboxAPI
import DropboxEmulator
import RemoteStore
import RemoteStoreTesting
import Synchronization
import Testing

@testable import RemoteStore

@Suite struct ExportTests {
    /// A store with the document `/d.paper` and the ordinary file `/plain`.
    private func withStore(_ body: (DropboxStore, EmulatedAccount) async throws -> Void)
        async throws
    {
        try await EmulatedAccount.withAccount { account in
            let store = DropboxStore(client: account.client, log: silent)
            for path in ["/d.paper", "/plain"] as [RemotePath] {
                _ = try await store.upload(
                    MemorySource(Array("text".utf8)),
                    commit: RemoteCommit(
                        path: path, expectation: .absent(strict: false),
                        clientModified: WallTime(seconds: 5), hash: nil))
            }
            try account.server.makeDocument("/d.paper", formats: ["html", "markdown"])
            try await body(store, account)
        }
    }

    /// What a file gets, by the offsets of the pieces.
    private final class Sink: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        let starts = Mutex(0)

        func write(_ piece: [UInt8], at offset: Int64) -> Int32? {
            if offset == 0 { starts.withLock { $0 += 1 } }
            bytes.withLock { bytes in
                bytes.removeSubrange(min(bytes.count, Int(offset))...)
                bytes += piece
            }
            return nil
        }

        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    }

    private func export(
        _ store: DropboxStore, as format: String? = nil, limit: Int64 = 1 << 20
    ) async throws -> (RemoteExport, Sink) {
        let sink = Sink()
        let document = try await store.document(at: "/d.paper")
        let export = try await store.export(document.id, as: format, limit: limit) {
            sink.write($0, at: $1)
        }
        return (export, sink)
    }

    @Test("a document tells its formats, and an ordinary file that it is one")
    func documents() async throws {
        try await withStore { store, _ in
            let document = try await store.document(at: "/d.paper")
            #expect(!document.isDownloadable)
            #expect(document.name == "d.paper")
            #expect(document.formats == ["html", "markdown"])
            #expect(try await store.document(at: "/plain").isDownloadable)
            _ = try await store.makeFolder(at: "/f")
            for path in ["/f", ""] as [RemotePath] {
                await #expect(throws: RemoteError.notAFile) {
                    _ = try await store.document(at: path)
                }
            }
            await #expect(throws: RemoteError.notFound) {
                _ = try await store.document(at: "/none")
            }
        }
    }

    @Test("an export has the bytes of the format, their size and the document's revision")
    func formats() async throws {
        try await withStore { store, _ in
            for (format, text, end) in [
                (nil, "html\ntext", "html"), ("markdown", "markdown\ntext", "md"),
            ]
                as [(String?, String, String)]
            {
                let (export, sink) = try await export(store, as: format)
                #expect(sink.text == text)
                #expect(export.size == Int64(text.utf8.count))
                #expect(export.fileExtension == end)
                guard case .file(let file) = try await store.entry(at: "/d.paper")?.kind else {
                    Issue.record("no file")
                    return
                }
                #expect(export.revision == file.revision)
            }
        }
    }

    @Test(
        "a file that is no document, another format, and an export that is yet to be made are errors of their own"
    )
    func refused() async throws {
        try await withStore { store, account in
            await #expect(throws: ExportFailure.remote(.notDownloadable)) {
                _ = try await export(store, as: "docx")
            }
            let plain = try await store.document(at: "/plain")
            await #expect(throws: RemoteError.notDownloadable) {
                _ = try await store.openExport(of: plain.id, as: nil)
            }
            await #expect(throws: RemoteError.notFound) {
                _ = try await store.openExport(of: FileID("id:none"), as: nil)
            }
            await #expect(throws: ExportFailure.remote(.tooLarge)) {
                _ = try await export(store, limit: 4)
            }
            try account.server.addFault([
                "route": "files/export", "kind": "route_error", "error": [".tag": "retry_error"],
            ])
            await #expect(throws: ExportFailure.remote(.busy)) { _ = try await export(store) }
        }
    }

    @Test(
        "a broken connection begins the export anew, and bytes that are not the announced ones are none"
    )
    func broken() async throws {
        try await withStore { store, account in
            try account.server.addFault([
                "route": "files/export", "kind": "cut_body", "at": 6, "count": 2,
            ])
            let (_, sink) = try await export(store)
            #expect(sink.text == "html\ntext")
            account.server.removeFaults()
            for (fault, value) in [
                ("size", "8"), ("size", "10"), ("export_hash", "\(ContentHasher.hash([]))"),
                ("size", "99999999999999999"), ("rev", ""), ("id", "id:other"),
            ] {
                try account.server.addFault([
                    "route": "files/export", "kind": "replace_field", "field": .string(fault),
                    "value": Int64(value).map { .integer($0) } ?? .string(value),
                ])
                let error = await #expect(throws: ExportFailure.self, "\(fault) \(value)") {
                    _ = try await export(store)
                }
                guard case .remote(.malformed) = error else {
                    Issue.record("\(fault) \(value): \(String(describing: error))")
                    continue
                }
                account.server.removeFaults()
            }
        }
    }

    @Test("the name of an export gives no more than a plain extension")
    func extensions() {
        for (name, expected) in [
            ("a.md", "md"), ("a.tar.GZ", "GZ"), ("a", nil), ("a.", nil), ("a./b", nil),
            ("a.b/../../c", nil), ("a.m d", nil), ("a.\u{e9}", nil), ("", nil),
            ("a.12345678901234567", nil),
        ] as [(String, String?)] {
            let export = RemoteExport(name: name, size: 0, hash: nil, revision: Revision("r"))
            #expect(export.fileExtension == expected, "\(name)")
        }
    }
}
