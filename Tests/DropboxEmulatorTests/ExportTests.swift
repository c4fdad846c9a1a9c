// Exports of cloud documents.

import Foundation
import FoundationNetworking
import Testing

@testable import DropboxEmulator

@Suite("Exports")
struct ExportTests {
    private func export(
        _ client: EmulatorClient, _ argument: JSONValue
    ) async throws -> (body: String, result: JSONValue) {
        let response = try await client.send("files/export", argument: argument, body: [])
        #expect(response.status == 200)
        let header = try #require(response.headers.value(forHTTPHeaderField: "Dropbox-API-Result"))
        return (
            String(decoding: response.body, as: UTF8.self),
            try JSONParser.parse(Data(header.utf8))
        )
    }

    private func refusal(_ client: EmulatorClient, _ argument: JSONValue) async throws -> String? {
        let response = try await client.send("files/export", argument: argument, body: [])
        #expect(response.status == 409)
        return try JSONParser.parse(response.body)["error_summary"]?.string
    }

    @Test("a document is exported in its formats, with name, size and hash of the export")
    func formats() async throws {
        try await withEmulator { client in
            let stored = try await client.upload("text", to: "/Doc.paper")
            try client.emulator.makeDocument("/doc.paper", formats: ["html", "markdown"])
            let info = try await client.call("files/get_metadata", ["path": "/Doc.paper"])
            #expect(info["export_info"]?["export_as"]?.string == "html")
            #expect(
                info["export_info"]?["export_options"]?.array?.map(\.string) == ["markdown"])
            for (format, name) in [(nil, "Doc.html"), ("html", "Doc.html"), ("markdown", "Doc.md")]
                as [(String?, String)]
            {
                let argument: JSONValue = [
                    "path": "/Doc.paper", "export_format": format.map { .string($0) } ?? .null,
                ]
                let (body, result) = try await export(client, argument)
                #expect(body == "\(format ?? "html")\ntext")
                let told = result["export_metadata"]
                #expect(told?["name"]?.string == name)
                #expect(told?["size"]?.integer == Int64(body.utf8.count))
                var hasher = BlockHasher()
                Array(body.utf8).withUnsafeBytes { hasher.update($0) }
                #expect(told?["export_hash"]?.string == hasher.contentHash.hex)
                #expect(result["file_metadata"]?["rev"]?.string == stored["rev"]?.string)
            }
        }
    }

    @Test("a large document is exported whole, from several pieces")
    func large() async throws {
        try await withEmulator { client in
            let text = String(repeating: "0123456789abcdef", count: 50_000)
            _ = try await client.upload(text, to: "/large.gdoc")
            try client.emulator.makeDocument("/large.gdoc", formats: ["docx"])
            let (body, result) = try await export(client, ["path": "/large.gdoc"])
            #expect(body == "docx\n" + text)
            #expect(result["export_metadata"]?["name"]?.string == "large.docx")
        }
    }

    @Test("ordinary files, other formats and absent files are refused")
    func refused() async throws {
        try await withEmulator { client in
            _ = try await client.upload("text", to: "/plain")
            _ = try await client.upload("text", to: "/doc.paper")
            try client.emulator.makeDocument("/doc.paper", formats: ["html"])
            #expect(try await refusal(client, ["path": "/plain"]) == "non_exportable/..")
            #expect(
                try await refusal(client, ["path": "/doc.paper", "export_format": "docx"])
                    == "invalid_export_format/..")
            #expect(try await refusal(client, ["path": "/none"]) == "path/not_found/..")
            let bad = try await client.send(
                "files/export", argument: ["path": "/doc.paper", "format": "html"], body: [])
            #expect(bad.status == 400)
        }
    }
}
