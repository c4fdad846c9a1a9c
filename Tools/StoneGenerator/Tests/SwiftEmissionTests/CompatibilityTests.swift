// The generated part of SwiftyDropbox, for a small specification.

import Stone
import Testing

@testable import SwiftEmission

struct CompatibilityTests {
    private func text(_ lines: String) throws -> String {
        let files = lines.split(separator: "---\n").enumerated().map {
            (name: "\($0.offset).stone", text: String($0.element))
        }
        return try CompatibilityEmitter(Specification(files: files)).files().map(\.text).joined()
    }

    /// Lines without their indentation, which is the formatter's.
    private func contains(_ text: String, _ part: String) -> Bool {
        func bare(_ text: String) -> String {
            text.split(separator: "\n").map { line in
                String(line.drop { $0 == " " })
            }.joined(separator: "\n")
        }
        return bare(text).contains(bare(part))
    }

    @Test(
        "names are cut as Stone's own generator cuts them",
        arguments: [
            ("OAuth1Arg", "OAuth1Arg"), ("SharedLinkURL", "SharedLinkUrl"),
            ("file_requests", "FileRequests"),
            ("openid", "Openid"), ("PDFFile", "PdfFile"), ("a1b_c", "A1bC"), ("V2Arg", "V2Arg"),
        ])
    func types(_ name: String, _ spelling: String) {
        #expect(CompatibilityNames.type(name) == spelling)
    }

    @Test(
        "words that are taken have an underscore behind them, but not in a later version of a route",
        arguments: [
            ("description", "description_"), ("team_id", "teamId"), ("public", "public_"),
            ("list", "list_"),
        ])
    func members(_ name: String, _ spelling: String) {
        #expect(CompatibilityNames.member(name) == spelling)
        #expect(CompatibilityNames.route("list", version: 2) == "listV2")
        #expect(
            CompatibilityNames.route("list_folder/continue", version: 1) == "listFolderContinue")
    }

    @Test(
        "a struct is a class that inherits, takes its fields with their defaults, and knows its subclasses"
    )
    func classes() throws {
        let text = try text(
            """
            namespace files
            struct Metadata
                union
                    file FileMetadata
                name String
                day Timestamp("%Y-%m-%d")?
            struct FileMetadata extends Metadata
                size UInt64 = 5
                id String
            struct Empty
            """)
        #expect(contains(text, "public class Metadata: StoneStruct, @unchecked Sendable {"))
        #expect(contains(text, "public init(name: String, day: Date? = nil) {"))
        #expect(contains(text, "day = try stoneFields.day(\"day\")"))
        #expect(contains(text, "[\"file\": Files.FileMetadata.self]"))
        #expect(
            contains(
                text,
                """
                public final class FileMetadata: Files.Metadata, @unchecked Sendable {
                """))
        #expect(contains(text, "public let size: UInt64"))
        #expect(
            contains(
                text, "public init(name: String, id: String, day: Date? = nil, size: UInt64 = 5) {")
        )
        #expect(contains(text, "size = try stoneFields.value(\"size\", default: 5)"))
        #expect(contains(text, "super.init(name: name, day: day)"))
        #expect(
            contains(
                text, "public typealias FileMetadataSerializer = ValueSerializer<FileMetadata>"))
        #expect(contains(text, "public final class Empty: StoneStruct, Sendable {"))
    }

    @Test("an open union has other, a closed one refuses; without payloads the tags are raw values")
    func unions() throws {
        let text = try text(
            """
            namespace files
            struct Flat
                a String
            union Open
                flat Flat
                value String?
            union_closed Closed
                flat Flat?
            union Plain
                default
                one_two
            """)
        #expect(contains(text, "case flat(Files.Flat)\ncase value(String?)\ncase other\n"))
        #expect(
            contains(
                text, "case \"value\": self = .value(try union.value())\ndefault: self = .other"))
        #expect(
            contains(
                text,
                "case \"flat\": self = .flat(try union.fieldsIfPresent())\ndefault: throw union.unknownTag(Self.self)"
            ))
        #expect(contains(text, "case .flat(let payload): StoneTag.json(\"flat\", fields: payload)"))
        #expect(
            contains(
                text,
                """
                public enum Plain: String, VoidStoneUnion {
                case default_ = "default"
                case oneTwo = "one_two"
                case other
                """))
    }

    @Test("routes are methods with the types of their requests, and deprecated ones can be called")
    func routes() throws {
        let text = try text(
            """
            namespace stone_cfg
            struct Route
                auth String = "user"
                host String = "api"
                style String = "rpc"
            ---
            namespace files
            struct Arg
                path String
                limit UInt32 = 5
            struct Answer
                name String
            union Problem
                bad
            route list_folder/continue:2 (Arg, Answer, Problem)
            route get (Arg, Answer, Void) deprecated
                attrs
                    host = "content"
                    style = "download"
            route put (Arg, List(Answer), Problem)
                attrs
                    host = "content"
                    style = "upload"
            route ask (Problem, Void, Void)
                attrs
                    auth = "app"
            """)
        let results = "<Files.AnswerSerializer, Files.ProblemSerializer>"
        #expect(
            contains(
                text,
                "public func listFolderContinueV2(path: String, limit: UInt32 = 5) -> RpcRequest\(results) {"
            ))
        #expect(
            contains(
                text,
                "client.request(Files.listFolderContinueV2, serverArgs: Files.Arg(path: path, limit: limit))"
            ))
        #expect(contains(text, ".init(\"list_folder/continue_v2\", in: \"files\", version: 2)"))
        #expect(contains(text, "@available(*, deprecated, message: \"get is deprecated.\")"))
        #expect(
            contains(
                text,
                "overwrite: Bool = false, destination: URL) -> DownloadRequestFile<Files.AnswerSerializer, VoidSerializer>"
            ))
        #expect(contains(text, "-> DownloadRequestMemory<Files.AnswerSerializer, VoidSerializer>"))
        for type in ["Data", "URL", "InputStream"] {
            #expect(
                contains(
                    text,
                    "input: \(type)) -> UploadRequest<ArraySerializer<Files.AnswerSerializer>, Files.ProblemSerializer>"
                ))
        }
        #expect(
            contains(
                text,
                "public final class FilesAppAuthRoutes: DropboxTransportClientOwning, Sendable {"))
        #expect(
            contains(
                text, "ask(problem: Files.Problem) -> RpcRequest<VoidSerializer, VoidSerializer>"))
        #expect(
            contains(
                text, "case files_get(DownloadRequestFile<Files.AnswerSerializer, VoidSerializer>)")
        )
    }

    @Test("two names that become one are an error")
    func clashes() {
        #expect(throws: (any Error).self) {
            try text(
                "namespace files\nstruct AbC\n    a String\nstruct AbcX\n    a String\n    A String\n"
            )
        }
        #expect(throws: EmissionError.self) { try text("namespace files\nunion_closed None\n") }
    }
}
