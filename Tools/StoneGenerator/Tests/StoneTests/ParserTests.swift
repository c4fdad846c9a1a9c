// What the parser takes and refuses, line by line.

import Testing

@testable import Stone

struct ParserTests {
    private func definitions(_ lines: String) throws -> [Definition] {
        try Parser.parse("namespace files\n\n" + lines, file: "files.stone").definitions
    }

    private func structure(_ lines: String) throws -> StructDefinition {
        guard case .structure(let definition)? = try definitions(lines).first else {
            throw StoneError(SourcePosition(file: "test", line: 0), "no struct")
        }
        return definition
    }

    @Test("a struct has its parent, fields, nullable types, defaults and annotations")
    func fields() throws {
        let definition = try structure(
            """
            struct FileMetadata extends Metadata
                "What it is."
                id Id
                    "Over two
                    lines, with \\"quotes\\"."
                size UInt64(max_value=5) = 3
                mode WriteMode = add
                link common.Url?
                    @common.Deprecated
                    "Old."
            """)
        #expect(definition.parent?.name == "Metadata")
        #expect(definition.fields.map(\.name) == ["id", "size", "mode", "link"])
        #expect(definition.fields[1].defaultValue == .integer("3"))
        #expect(definition.fields[1].type?.arguments == [.named("max_value", .integer("5"))])
        #expect(definition.fields[2].defaultValue == .name("add"))
        #expect(definition.fields[3].type?.isNullable == true)
        #expect(definition.fields[3].type?.reference.namespace == "common")
        #expect(definition.fields[3].annotations.map(\.name) == ["Deprecated"])
    }

    @Test("a struct can stand for several, told apart by tags")
    func subtypes() throws {
        let definition = try structure(
            """
            struct Metadata
                union_closed
                    file FileMetadata
                        "A file."
                    folder FolderMetadata
                name String
            """)
        #expect(definition.subtypes?.isClosed == true)
        #expect(definition.subtypes?.subtypes.map(\.name) == ["file", "folder"])
        #expect(definition.fields.map(\.name) == ["name"])
    }

    @Test("a field may be called union, and its type may be defined below it")
    func inlineUnion() throws {
        let definition = try structure(
            """
            struct Member
                union String
                kind MemberKind
                    union_closed
                        "Which."
                        user
                        group
            """)
        #expect(definition.fields.map(\.name) == ["union", "kind"])
        #expect(definition.fields[1].inlineUnion?.name == "MemberKind")
        #expect(definition.fields[1].inlineUnion?.tags.map(\.name) == ["user", "group"])
    }

    @Test("a union has tags with and without payload, and one for all others")
    func union() throws {
        guard
            case .union(let definition)? = try definitions(
                """
                union WriteMode extends Mode
                    add
                    update Rev?
                    other*
                """
            ).first
        else { return #expect(Bool(false), "no union") }
        #expect(definition.parent?.name == "Mode")
        #expect(definition.tags.map { $0.type == nil } == [true, false, true])
        #expect(definition.tags.map(\.isCatchAll) == [false, false, true])
        #expect(!definition.isClosed)
    }

    @Test("types have types and values as arguments")
    func types() throws {
        guard
            case .alias(let alias)? = try definitions(
                #"alias Names = Map(String(pattern="a\/b\\."), List(Int32, min_items=1)?)"#
            ).first
        else { return #expect(Bool(false), "no alias") }
        guard case .type(let key) = alias.type.arguments[0],
            case .type(let value) = alias.type.arguments[1]
        else { return #expect(Bool(false), "no arguments") }
        #expect(key.arguments == [.named("pattern", .string(#"a\/b\."#))])
        #expect(value.isNullable)
        #expect(value.arguments.last == .named("min_items", .integer("1")))
    }

    @Test("a route has its version, its successor and its attributes")
    func route() throws {
        guard
            case .route(let route)? = try definitions(
                """
                route upload_session/append:2 (Arg, List(Result), Void) deprecated by upload:3
                    "What it does."

                    attrs
                        host = "content"
                        is_preview = true
                """
            ).first
        else { return #expect(Bool(false), "no route") }
        #expect(route.name == "upload_session/append")
        #expect(route.version == 2)
        #expect(route.isDeprecated)
        #expect(route.successor == RouteName(name: "upload", version: 3))
        #expect(route.attributes == ["host": .string("content"), "is_preview": .boolean(true)])
    }

    @Test("examples have values of every kind")
    func examples() throws {
        let definition = try structure(
            """
            struct A
                b String

                example default
                    "What it shows."
                    text = "x"
                    number = -1
                    part = 2.5
                    none = null
                    label = other
                    list = [one,
                        "two"]
                    map = {"k": 1}
            """)
        let values = definition.examples[0].values
        #expect(definition.examples[0].label == "default")
        #expect(
            values.map(\.value) == [
                .string("x"), .integer("-1"), .decimal("2.5"), .null, .name("other"),
                .list([.name("one"), .string("two")]),
                .map([.init(key: .string("k"), value: .integer("1"))]),
            ])
    }

    @Test("comments and blank lines mean nothing, at any depth")
    func comments() throws {
        let definition = try structure(
            """
            # Above.
            struct A # Beside.

                    # Deeper than anything.
                b String

            # Between.
                c String
            """)
        #expect(definition.fields.map(\.name) == ["b", "c"])
    }

    @Test("patches, annotations and their kinds are definitions")
    func others() throws {
        let kinds = try definitions(
            """
            annotation Hidden = Omitted("internal")
            annotation_type Kind
                "What it is for."
                level Int32 = 1
            patch struct A
                b String
            patch union B
                c
            """
        ).map { definition in
            switch definition {
            case .annotation(let annotation): "annotation \(annotation.kind.name)"
            case .annotationType(let name): "kind \(name)"
            case .structPatch(let patch): "struct \(patch.fields.count)"
            case .unionPatch(let patch): "union \(patch.tags.count)"
            default: "?"
            }
        }
        #expect(kinds == ["annotation Omitted", "kind Kind", "struct 1", "union 1"])
    }

    @Test(
        "an error names file and line",
        arguments: [
            (
                "struct A\n    b\n",
                "files.stone:4: error: expected a name, found the end of the line"
            ),
            ("struct A\n  b String\n c String\n", "files.stone:5: error: an indentation"),
            ("alias A = \"x", "files.stone:3: error: a string without an end"),
            ("class A\n", "files.stone:3: error: 'class' does not begin a definition"),
            ("alias A = $\n", "files.stone:3: error: unexpected character '$'"),
            ("route a (B, C)\n", "files.stone:3: error: expected ',', found ')'"),
            ("patch alias A\n", "files.stone:3: error: 'alias' cannot be patched"),
        ])
    func errors(lines: String, message: String) {
        #expect {
            try definitions(lines)
        } throws: { error in
            "\(error)".hasPrefix(message)
        }
    }
}
