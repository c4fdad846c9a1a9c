// The sentences about types, fields and cases: how they are found, and whether they fit the
// specification.

import Foundation
import Stone
import Testing

@testable import SwiftEmission

struct FieldWordsTests {
    private static let small = """
        namespace files
        struct Base
            path String
            rev String
        struct Arg extends Base
            size UInt64
            limit UInt32(max_value=9) = 5
        union BaseError
            gone
            path
        union ArgError extends BaseError
            full
        """

    private func emitted(_ lines: String) throws -> String {
        let files = [(name: "files.stone", text: lines)]
        return try Emitter(try Specification(files: files)).files().map(\.text).joined()
    }

    @Test("a sentence of a type goes before one that it inherits, and that before one of all types")
    func precedence() throws {
        let specification = try Specification(files: [(name: "files.stone", text: Self.small)])
        let words = FieldWords([
            (
                "files",
                """
                fields:
                    path: Of all structs.
                    size: Of all structs: also this.
                cases:
                    path: Of all unions.
                Base: A base.
                    path: Of the base.
                    rev: Of the base.
                Arg:
                    rev: Its own.
                BaseError:
                    gone: Of the base.
                """
            ),
            ("*", "cases:\n    full: Of all namespaces."),
        ])
        #expect(words.mistakes.isEmpty)
        let namespace = try #require(specification.namespaces.first)
        let structure = try #require(namespace.structures.first { $0.name.name == "Arg" })
        let union = try #require(namespace.unions.first { $0.name.name == "ArgError" })
        func sentences(_ members: [Field], of type: TypeName) -> [String?] {
            members.map { words.about($0, of: type, in: specification) }
        }
        #expect(
            sentences(structure.fields, of: structure.name)
                == ["Of the base.", "Its own.", "Of all structs: also this.", nil])
        #expect(
            sentences(union.tags, of: union.name)
                == ["Of the base.", "Of all unions.", "Of all namespaces."])
        #expect(words.about(structure.name) == nil)
        #expect(try words.about(#require(structure.parent)) == "A base.")
    }

    @Test("what comes twice in the tables, or is no line of one, is a mistake")
    func mistakes() {
        let words = FieldWords([
            ("files", "Arg: One.\n    path: One.\nno colon"), ("files", "Arg:\n    path: Two."),
        ])
        #expect(words.mistakes == ["no colon", "files.Arg.path"])
    }

    @Test("a field's help is its sentence, its limits and its default; a parameter's is the same")
    func help() throws {
        let text = try emitted(
            """
            namespace files
            struct ListFolderLongpollArg
                timeout UInt64(max_value=480, min_value=30) = 30
                unheard String
            union ListFolderLongpollError
                reset
            route list_folder/longpoll (ListFolderLongpollArg, Void, ListFolderLongpollError)
                attrs
                    scope = "s"
            """)
        let prose = text.split(separator: "\n").map { line in
            String(line.drop { $0 == " " || $0 == "/" })
        }.joined(separator: " ")
        #expect(prose.contains("at random. Limits: 30 to 480. Default: `30`. public var timeout"))
        #expect(prose.contains("The field `unheard`. public var unheard"))
        #expect(prose.contains("begin anew. case reset A tag that this version does not know."))
        #expect(text.contains("/// - Parameters:\n"))
        #expect(text.contains("///   - unheard: The field `unheard`.\n"))
        #expect(prose.contains("- timeout: Seconds until an answer without a change;"))
        #expect(prose.contains("- options: Deadline, attempts, progress and more of this call."))
    }

    @Test("the tables have no mistakes, and sentences in them")
    func tables() {
        #expect(FieldWords.own.mistakes.isEmpty)
        for (key, sentence) in FieldWords.own.sentences {
            #expect(sentence.hasSuffix("."), "\(key)")
            #expect(sentence.first.map { !$0.isLowercase } == true, "\(key)")
        }
    }
}

/// Compares the tables with the specification, where that is.
@Suite(.enabled(if: PublishedSpecification.folder != nil))
struct PublishedWordsTests {
    private let specification: Specification
    private let texts: String

    init() throws {
        let folder = try #require(PublishedSpecification.folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".stone") }.sorted().map { name in
                (
                    name: name,
                    text: try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                )
            }
        specification = try Specification(files: files)
        texts = files.map(\.text).joined(separator: "\n")
    }

    private var worded: [Route] {
        specification.namespaces.flatMap(\.routes).filter { $0.words != nil }
    }

    @Test("every name in the tables is one of the specification")
    func known() {
        var known: Set<String> = []
        func add(_ type: TypeName, _ members: [Field], all: String) {
            known.insert("\(type)")
            for member in members {
                known.formUnion([
                    "\(type).\(member.name)", "\(type.namespace).\(all).\(member.name)",
                    "*.\(all).\(member.name)",
                ])
            }
        }
        for namespace in specification.namespaces {
            for type in namespace.structures { add(type.name, type.fields, all: "fields") }
            for type in namespace.unions { add(type.name, type.tags, all: "cases") }
        }
        #expect(FieldWords.own.sentences.keys.filter { !known.contains($0) }.sorted() == [])
        #expect(worded.count == Route.words.count)
    }

    @Test(
        "every type that a worded route uses has a sentence, and so has each of its fields and cases"
    )
    func complete() {
        var wordless: [String] = []
        for name in specification.closure(of: worded.flatMap(\.typeNames)).sorted()
        where specification.alias(name) == nil {
            let structure = specification.structure(name)
            let members = structure?.fields ?? specification.union(.union(name))?.tags ?? []
            if FieldWords.own.about(name) == nil { wordless.append("\(name)") }
            wordless += members.filter {
                FieldWords.own.about($0, of: name, in: specification) == nil
            }.map { "\(name).\($0.name)" }
        }
        #expect(wordless == [])
    }

    @Test("no parameter of a worded route says only that it is a field")
    func parameters() throws {
        let calls = try Emitter(specification).files().filter { $0.path.hasSuffix("+Calls.swift") }
        #expect(calls.contains { $0.text.contains("/// - Parameters:") })
        for file in calls {
            #expect(!file.text.contains(": The field `"), "\(file.path)")
        }
    }

    @Test("no sentence has eight words in a row that the specification has")
    func own() {
        let length = 8
        func runs(_ text: String) -> Set<[Substring]> {
            let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
            guard words.count >= length else { return [] }
            return Set((0...(words.count - length)).map { Array(words[$0..<$0 + length]) })
        }
        let published = runs(texts)
        let copies = FieldWords.own.sentences.filter { !runs($0.value).isDisjoint(with: published) }
        #expect(copies.keys.sorted() == [])
    }
}

/// The specification that Dropbox publishes.
private enum PublishedSpecification {
    /// Its folder: what `DROPBOX_API_SPEC` names, or a folder beside the repository; nil where
    /// there is none.
    static let folder: URL? = {
        let root = (1...5).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let beside = ["dropbox-api-spec", "shared/dropbox-api-spec"].map {
            root.deletingLastPathComponent().appending(path: $0)
        }
        let named = ProcessInfo.processInfo.environment["DROPBOX_API_SPEC"].map {
            URL(filePath: $0)
        }
        return ([named].compactMap(\.self) + beside).first {
            FileManager.default.fileExists(atPath: $0.appending(path: "files.stone").path)
        }
    }()
}
