// What definitions mean together: names, inheritance, patches, annotations.

import Testing

@testable import Stone

struct ResolverTests {
    private func read(_ files: String...) throws -> Specification {
        try Specification(
            files: files.enumerated().map { (name: "\($0.offset).stone", text: $0.element) })
    }

    @Test("fields and tags are inherited, first the oldest")
    func inheritance() throws {
        let model = try read(
            """
            namespace a
            struct C extends B
                z String
            struct B extends A
                y String
            struct A
                x String
            union E extends D
                two
            union D
                one
            """)
        #expect(model.structure(TypeName("a", "C"))?.fields.map(\.name) == ["x", "y", "z"])
        #expect(model.union(.union(TypeName("a", "E")))?.tags.map(\.name) == ["one", "two"])
    }

    @Test("names of other namespaces are found where they are imported")
    func imports() throws {
        let common = "namespace common\nalias Id = String(min_length=1)\nalias OptionalId = Id?\n"
        let model = try read(
            "namespace a\nimport common\nstruct A\n    b common.OptionalId\n", common)
        let field = model.structure(TypeName("a", "A"))?.fields.first
        #expect(field?.type == .alias(TypeName("common", "OptionalId")))
        #expect(field.flatMap { model.nullablePayload($0.type) } != nil)
        #expect(throws: StoneError.self) {
            try read("namespace a\nstruct A\n    b common.Id\n", common)
        }
    }

    @Test("fields omitted for clients are not there, deprecated ones say so")
    func annotations() throws {
        let model = try read(
            """
            namespace a
            annotation Hidden = Omitted("internal")
            annotation Old = Deprecated()
            struct A
                b String
                    @Hidden
                c String
                    @Old
            union B
                one
                    @Hidden
                two
            """)
        let fields = model.structure(TypeName("a", "A"))?.fields
        #expect(fields?.map(\.name) == ["c"])
        #expect(fields?.first?.isDeprecated == true)
        #expect(model.union(.union(TypeName("a", "B")))?.tags.map(\.name) == ["two"])
    }

    @Test("patches add fields, tags and examples")
    func patches() throws {
        let model = try read(
            """
            namespace a
            struct A
                b String
                example default
                    b = "x"
            """,
            """
            namespace a
            patch struct A
                c String
                example default
                    b = "x"
                    c = "y"
            """)
        #expect(model.structure(TypeName("a", "A"))?.fields.map(\.name) == ["b", "c"])
        #expect(
            try model.exampleDocuments().map(\.value.description) == [#"{"b":"x","c":"y"}"#])
    }

    @Test("routes have the addresses and attributes that the API has")
    func routes() throws {
        let model = try read(
            """
            namespace files
            route move (Void, Void, Void) deprecated by move:2
                attrs
                    auth = "app, user"
            route move:2 (Void, Void, Void)
                attrs
                    scope = "files.content.write"
                    host = "content"
                    style = "upload"
            """)
        let routes = model.namespaces[0].routes
        #expect(routes.map(\.path) == ["files/move", "files/move_v2"])
        #expect(routes[0].successor == "move_v2")
        #expect(routes[0].attributes.authentication == ["app", "user"])
        #expect(routes[1].attributes.authentication == ["user"])
        #expect(routes[1].attributes.style == "upload")
    }

    @Test(
        "what leads nowhere or comes twice is refused, with its place",
        arguments: [
            ("struct A\n    b B\n", "0.stone:3: error: there is no type 'a.B'"),
            ("struct A\n    b String\nunion A\n", "0.stone:4: error: 'A' is defined already"),
            ("struct A\n    b String\n    b Int32\n", "0.stone:4: error: 'b' is defined already"),
            ("struct A extends B\n", "0.stone:2: error: there is no struct 'a.B'"),
            ("struct A extends A\n", "0.stone:2: error: 'a.A' inherits from itself"),
            ("import b\n", "0.stone:2: error: there is no namespace 'b'"),
            ("patch struct A\n", "0.stone:2: error: there is no struct 'A' to patch"),
            ("struct A\n    b Bytes\n", "0.stone:3: error: no route of the API has bytes"),
            (
                "route a (Void, Void, Void)\n    attrs\n        auth = \"me\"\n",
                "0.stone:2: error: 'me' is not a kind of authentication"
            ),
        ])
    func errors(lines: String, message: String) {
        #expect {
            try read("namespace a\n" + lines)
        } throws: { error in
            "\(error)".hasPrefix(message)
        }
    }
}
