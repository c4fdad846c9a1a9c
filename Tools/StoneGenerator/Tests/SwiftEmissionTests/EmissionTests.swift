// What the generator writes, for a small specification.

import Stone
import Testing

@testable import SwiftEmission

struct EmissionTests {
    private func emitter(
        _ lines: String, plan: EmissionPlan = .dropbox
    ) throws -> Emitter {
        let files = lines.split(separator: "---\n").enumerated().map {
            (name: "\($0.offset).stone", text: String($0.element))
        }
        return Emitter(try Specification(files: files), plan: plan)
    }

    private func text(_ lines: String) throws -> String {
        try emitter(lines).files().map(\.text).joined()
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

    @Test("a struct reads and writes its fields, and omits absent and default values")
    func structure() throws {
        let text = try text(
            """
            namespace files
            struct ListArg
                limit UInt32 = 5
                shared_folder_id String(min_length=1, pattern="[-_0-9a-zA-Z:]+")
                in String?
            """)
        #expect(
            contains(
                text,
                """
                /// The field `shared_folder_id`: at least 1 character, pattern `[-_0-9a-zA-Z:]+`.
                public var sharedFolderID: String
                """))
        #expect(
            contains(
                text,
                "public init(sharedFolderID: String, limit: UInt32 = 5, `in`: String? = nil) {"))
        #expect(
            contains(
                text,
                """
                limit = try reader.value("limit", default: 5)
                sharedFolderID = try reader.value("shared_folder_id")
                `in` = try reader.valueIfPresent("in")
                """))
        #expect(
            contains(
                text,
                """
                try writer.write("limit", limit, unless: 5)
                try writer.write("shared_folder_id", sharedFolderID)
                try writer.writeIfPresent("in", `in`)
                """))
    }

    @Test(
        "a union has a case for each tag and one for others; payloads stand where the wire has them"
    )
    func union() throws {
        let text = try text(
            """
            namespace files
            struct Flat
                a String
            union Mode
                default
                unknown
                flat Flat
                rev String?
            union Plain
                one
            """)
        #expect(contains(text, "case `default`\ncase unknownValue\ncase flat(Flat)"))
        #expect(contains(text, "case \"flat\": self = .flat(try union.fields())"))
        #expect(contains(text, "case \"rev\": self = .rev(try union.valueIfPresent())"))
        #expect(
            contains(text, "case .flat(let payload): try union.write(\"flat\", fields: payload)"))
        #expect(contains(text, "case .unknownValue: try union.write(\"unknown\")"))
        #expect(contains(text, "public enum Plain: VoidUnion {"))
        #expect(contains(text, "= [\"one\": .one]"))
    }

    @Test("a struct that stands for several is an enum that has the common fields")
    func subtypes() throws {
        let text = try text(
            """
            namespace files
            struct Metadata
                union_closed
                    file FileMetadata
                name String
            struct FileMetadata extends Metadata
                size UInt64
            """)
        #expect(
            contains(
                text,
                "case file(FileMetadata)\n/// A kind that this version does not know.\ncase unknown(String, MetadataBase)"
            ))
        #expect(contains(text, "case .file(let value): value.name"))
        #expect(contains(text, "public struct MetadataBase: StructValue {"))
    }

    @Test("a union that holds itself is indirect, one that holds a list of itself is not")
    func cycles() throws {
        let text = try text(
            """
            namespace a
            struct Pair
                left Tree?
            union Tree
                pair Pair
            union Rose
                branches List(Rose)
            """)
        #expect(text.contains("public indirect enum Tree: TaggedUnion {"))
        #expect(text.contains("public enum Rose: TaggedUnion {"))
    }

    @Test("a route is a value and a method that takes the fields of its argument")
    func route() throws {
        let text = try text(
            """
            namespace files
            import async
            struct Arg
                path String
                options String = ""
            union WriteError
                too_many_write_operations
            struct Failed
                reason WriteError
            union UploadError
                path Failed
                content_hash_mismatch
            route upload:2 (Arg, Void, UploadError)
                attrs
                    host = "content"
                    style = "upload"
                    scope = "files.content.write"
            route list (Arg, Arg, Void)
                attrs
                    scope = "files.metadata.read"
            route limits/set_quota (Arg, Void, Void)
                attrs
                    scope = "members.read"
            route copy/check (async.PollArg, Void, Void) deprecated
                attrs
                    auth = "app, user"
                    scope = "files.content.write"
            ---
            namespace async
            struct PollArg
                async_job_id String
            """)
        #expect(
            contains(
                text,
                """
                public static var uploadV2: Route<Arg, NoValue, UploadError> {
                .init("files/upload_v2", host: .content, style: .upload, \
                scope: "files.content.write", isSafeToRepeat: false)
                """))
        #expect(
            text.contains(
                #".init("files/list", scope: "files.metadata.read", isSafeToRepeat: true)"#))
        #expect(
            text.contains(
                #"authentication: .userOrApp, scope: "files.content.write", isSafeToRepeat: true)"#)
        )
        #expect(
            contains(
                text,
                #".init("files/limits/set_quota", scope: "members.read", isSafeToRepeat: false)"#))
        #expect(
            contains(
                text,
                """
                public func uploadV2(path: String, options: String = "", body: any BodySource, \
                callOptions: CallOptions = .init()) async throws(CallError<UploadError>) {
                _ = try await client.upload(Files.uploadV2, Arg(path: path, options: options), \
                body: body, options: callOptions)
                """))
        #expect(
            contains(
                text,
                "case .path(let payload): payload.reason.remedy\ncase .contentHashMismatch: .resendBody"
            ))
        #expect(text.contains("@available(*, deprecated, message: \"Deprecated by Dropbox\")"))
        #expect(text.contains("documentation#files-upload>"))
    }

    @Test("texts of the specification are taken along only if wanted, with references as code")
    func documentation() throws {
        let files = [
            (
                name: "files.stone",
                text: """
                namespace files
                struct Arg
                    "What to
                    delete; see :type:`Arg`.

                    A second paragraph."
                    path String
                        "Where it is, as in :route:`delete`."
                union E
                    gone
                        "It is not there: :link:`the guide https://example.com/g`."
                route delete (Arg, Void, E)
                    "Deletes :field:`Arg.path`."
                """
            )
        ]
        let plain = try Emitter(try Specification(files: files)).files().map(\.text).joined()
        #expect(!plain.contains("paragraph") && !plain.contains("Where it is"))
        let whole = try Emitter(try Specification(files: files, keepingDocumentation: true))
            .files().map(\.text).joined()
        #expect(
            contains(
                whole,
                """
                /// The struct `files.Arg`.
                ///
                /// What to delete; see `Arg`.
                ///
                /// A second paragraph.
                public struct Arg
                """))
        #expect(whole.contains("/// Where it is, as in `delete`."))
        #expect(whole.contains("/// It is not there: [the guide](https://example.com/g)."))
        #expect(contains(whole, "/// Deletes `Arg.path`.\npublic func delete"))
    }

    @Test("each file names the specification that it is of")
    func origin() throws {
        let files = [(name: "files.stone", text: "namespace files\nalias Rev = String\n")]
        let emitter = Emitter(
            try Specification(files: files), origin: "commit 0d994eb of 2026-08-05")
        let written = try emitter.files().map(\.text) + [emitter.testTables()]
        #expect(written.count == 2)
        #expect(written.allSatisfy { $0.contains(", commit 0d994eb of 2026-08-05;\n") })
    }

    @Test(
        "a method's help has words of ours, scope, limits and errors; an old version names the newest"
    )
    func help() throws {
        let text = try text(
            """
            namespace files
            struct Arg
                limit UInt32(min_value=1, max_value=9)
            union E
                gone
            route delete (Arg, Void, E) deprecated
                attrs
                    scope = "s"
            route delete:2 (Arg, Void, E)
                attrs
                    scope = "s"
            """)
        let prose = text.split(separator: "\n").map { line in
            line.drop { " /".contains($0) }
        }.joined(separator: " ")
        #expect(
            prose.contains(
                "With `parentRev` a file is deleted only in that revision. Calls ``Files/deleteV2`` with the "
                    + "fields of its argument, with the scope `s`. Errors: ``E``.  - Parameters: - limit: The field "
                    + "`limit`: 1 to 9. - options: "))
        #expect(
            prose.contains(
                "Calls ``Files/delete`` with the fields of its argument, with the scope `s`. Limits of `limit`: 1 to 9."
            ))
        #expect(text.contains("message: \"Deprecated by Dropbox in favour of `files/delete_v2`\""))
    }

    @Test("content that may have been kept is not sent again because of busy writers")
    func keptContent() throws {
        let text = try text(
            """
            namespace files
            union WriteError
                too_many_write_operations
            union FinishError
                path WriteError
                too_many_write_operations
                content_hash_mismatch
            route finish (Void, Void, FinishError)
                attrs
                    host = "content"
                    style = "upload"
            """)
        #expect(contains(text, "case .tooManyWriteOperations: .waitForWriters\ndefault"))
        #expect(
            contains(
                text,
                """
                case .path(let payload): payload.remedy.unlessBody
                case .tooManyWriteOperations: .waitForWritersUnlessBody
                case .contentHashMismatch: .resendBody
                """))
    }

    @Test("a route that changes something is sent again only where that is known to do no harm")
    func harmless() throws {
        let text = try text(
            """
            namespace files
            route upload_session/start (Void, Void, Void)
                attrs
                    scope = "files.content.write"
            route upload_session/finish (Void, Void, Void)
                attrs
                    scope = "files.content.write"
            """)
        #expect(
            text.contains(
                #".init("files/upload_session/start", scope: "files.content.write", isSafeToRepeat: true)"#
            ))
        let prose = text.replacing("\n    /// ", with: " ")
        #expect(prose.contains("Sending it twice leaves a session that nobody uses"))
        #expect(
            text.contains(
                #".init("files/upload_session/finish", scope: "files.content.write", isSafeToRepeat: false)"#
            ))
    }

    @Test("an alias that the library has a type for is that type")
    func libraryTypes() throws {
        let text = try text(
            """
            namespace files
            alias Sha256HexHash = String(max_length=64, min_length=64)
            struct A
                content_hash Sha256HexHash?
                created Timestamp("%Y-%m-%dT%H:%M:%SZ")
            """)
        #expect(contains(text, "public import ContentHashing\n\n/// The namespace"))
        #expect(text.contains("public typealias Sha256HexHash = ContentHash\n"))
        #expect(text.contains("public var contentHash: Sha256HexHash?\n"))
        #expect(text.contains(#"contentHash = try reader.parsedIfPresent("content_hash")"#))
        #expect(text.contains(#"created = try reader.parsed("created")"#))
    }

    @Test("a type that has the name of a namespace does not hide it")
    func shadowing() throws {
        let text = try text(
            """
            namespace users
            import team
            struct Team
                id team.Id
            ---
            namespace team
            alias Id = String
            """)
        #expect(text.contains("public var id: DropboxAPI.Team.ID"))
    }

    @Test("each namespace goes to the first target that takes it")
    func targets() throws {
        let plan = EmissionPlan(targets: [
            .init(module: "DropboxAPI", namespaces: ["files"]), .init(module: "Rest"),
        ])
        let emitter = try emitter(
            """
            namespace files
            alias A = Timestamp("%H")
            ---
            namespace team
            alias B = Timestamp("%H")
            """, plan: plan)
        let files = try emitter.files()
        #expect(
            files.map { "\($0.module)/\($0.path)" }
                == ["DropboxAPI/Files/Files.swift", "Rest/Team/Team.swift"])
        #expect(files.map { $0.text.contains("import DropboxAPI\n") } == [false, true])
    }

    @Test("single routes take the types that they need along; the rest extends those")
    func singleRoutes() throws {
        let plan = EmissionPlan(targets: [
            .init(module: "DropboxAPI", namespaces: [], routes: ["a/one"]), .init(module: "Rest"),
        ])
        let emitter = try emitter(
            """
            namespace a
            import b
            alias Text = String
            struct One
                inner Inner?
            struct Inner
                choices List(b.Choice)
            struct Two
                one One
            route one (One, Void, Void)
            route two (Two, Void, Void)
            ---
            namespace b
            union Choice
                leaf
            union Other
                choice Choice
            """, plan: plan)
        let files = try emitter.files()
        #expect(
            files.map { "\($0.module)/\($0.path)" } == [
                "DropboxAPI/A/A.swift", "DropboxAPI/A/A+Types.swift", "DropboxAPI/A/A+Routes.swift",
                "DropboxAPI/A/A+Calls.swift", "DropboxAPI/B/B.swift", "DropboxAPI/B/B+Types.swift",
                "Rest/A/A.swift", "Rest/A/A+Types.swift", "Rest/A/A+Routes.swift",
                "Rest/A/A+Calls.swift", "Rest/B/B+Types.swift",
            ])
        func text(_ path: String) -> String {
            files.first { "\($0.module)/\($0.path)" == path }?.text ?? ""
        }
        #expect(text("DropboxAPI/A/A.swift").contains("public enum A {}"))
        #expect(text("DropboxAPI/A/A+Types.swift").contains("struct Inner"))
        #expect(!text("DropboxAPI/A/A+Types.swift").contains("struct Two"))
        #expect(text("DropboxAPI/A/A+Calls.swift").contains("public struct Calls: Sendable {"))
        #expect(
            contains(
                text("Rest/A/A.swift"),
                "public import DropboxAPI\n\nextension A {\n/// The alias `a.Text`."))
        #expect(text("Rest/A/A+Calls.swift").contains("extension A.Calls {"))
        #expect(text("Rest/A/A+Calls.swift").contains("_ argument: A.Two,"))
        #expect(text("Rest/B/B+Types.swift").contains("enum Other"))
        #expect(!text("Rest/B/B+Types.swift").contains("enum Choice"))
    }

    @Test(
        "names that are one in Swift, or taken by the library, are refused",
        arguments: [
            (
                "struct A\n    a_b String\n    aB String\n",
                "a.A: 'a_b' and 'aB' are both 'aB' in Swift"
            ),
            ("struct Route\n    a String\n", "a: a type cannot be called 'Route'"),
            ("struct A\n    reader String\n", "a.A: a field cannot be called 'reader'"),
            ("union A\n    a_b\n    aB String\n", "a.A: 'a_b' and 'aB' are both 'aB' in Swift"),
        ])
    func clashes(lines: String, message: String) {
        #expect {
            try text("namespace a\n" + lines)
        } throws: { error in
            "\(error)" == message
        }
    }

    @Test(
        "names are spelled as in the rest of the project",
        arguments: [
            ("account_id", "accountID"), ("id", "id"), ("w64h64", "w64h64"), ("urls", "urls"),
            ("list_folder/get_latest_cursor", "listFolderGetLatestCursor"),
            ("30_days", "value30Days"),
            ("shared_link_urls", "sharedLinkURLs"),
        ])
    func members(name: String, swift: String) {
        #expect(SwiftNames.member(name) == swift)
    }

    @Test("the same specification gives the same files")
    func determinism() throws {
        let lines = "namespace a\nstruct B\n    c String\nunion D\n    e\n    f B\n"
        #expect(try emitter(lines).files() == emitter(lines).files())
    }
}
