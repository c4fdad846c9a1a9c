// Examples as the documents that they stand for.

import Testing

@testable import Stone

struct ExampleTests {
    private static let text = """
        namespace a
        struct Node
            union
                leaf Leaf
            name String

            example default
                leaf = default
        struct Leaf extends Node
            size Int32 = 7
            next Node?

            example default
                name = "n"
                next = null
            example sized
                name = "s"
                size = 7
                next = default
        union Choice
            none
            flat Leaf
            tree Node
            number Int32
            maybe String?

            example flat
                flat = default
            example tree
                tree = default
            example number
                number = 3
            example maybe
                maybe = null
        struct Holder
            choices List(Choice)

            example default
                choices = [none, flat, tree, number, maybe, other]
        """

    private func model(_ text: String = text) throws -> Specification {
        try Specification(files: [(name: "a.stone", text: text)])
    }

    @Test("labels are replaced by what they name, in the wire's form")
    func documents() throws {
        let documents = try model().exampleDocuments()
        let holder = documents.first { $0.type.name == "Holder" }
        #expect(
            holder?.value.description == #"{"choices":[{".tag":"none"},"#
                + #"{".tag":"flat","name":"n","next":null},"#
                + #"{".tag":"tree","tree":{".tag":"leaf","name":"n","next":null}},"#
                + #"{".tag":"number","number":3},{".tag":"maybe"},{".tag":"other"}]}"#)
    }

    @Test("a written document lacks nulls and defaults")
    func canonical() throws {
        let model = try model()
        let sized = try model.exampleDocuments().first { $0.label == "sized" }
        let value = try #require(sized?.value)
        #expect(
            value.description
                == #"{"name":"s","next":{".tag":"leaf","name":"n","next":null},"size":7}"#)
        let leaf = model.type(TypeName("a", "Leaf"))
        #expect(
            model.canonical(value, as: leaf).description
                == #"{"name":"s","next":{".tag":"leaf","name":"n"}}"#)
    }

    @Test("samples reach every field and every tag, also of types that hold themselves")
    func samples() throws {
        let samples = try model().sampleDocuments()
        #expect(
            samples.filter { $0.type.name == "Choice" }.map(\.label)
                == ["tag flat", "tag maybe", "tag none", "tag number", "tag tree"])
        let leaf = samples.first { $0.type.name == "Leaf" }
        #expect(
            leaf?.value.description
                == #"{"name":"text","next":{".tag":"leaf","name":"text","size":7},"size":7}"#)
    }

    @Test(
        "samples of strings fit their limits",
        arguments: [
            ("min_length=40", 40), ("pattern=\"[0-9a-f]+\", min_length=9", 12), ("max_length=2", 2),
        ])
    func strings(arguments: String, count: Int) throws {
        let model = try model("namespace a\nalias A = String(\(arguments))\n")
        guard case .string(let text) = model.sampleDocument(of: .alias(TypeName("a", "A"))) else {
            return #expect(Bool(false), "no string")
        }
        #expect(text.count == count)
    }

    @Test("samples of one length could be hashes")
    func hashes() throws {
        let model = try model("namespace a\nalias A = String(min_length=64, max_length=64)\n")
        #expect(
            model.sampleDocument(of: .alias(TypeName("a", "A")))
                == .string(String(repeating: "0", count: 64)))
    }

    @Test(
        "an example that does not fit is refused, with its place",
        arguments: [
            ("b = 1", "a.stone:5: error: the example does not fit its type"),
            ("c = 1", "a.stone:5: error: 'a.A' has no field 'c'"),
            ("\"nothing\"", "a.stone:4: error: the example lacks 'b'"),
        ])
    func errors(line: String, message: String) {
        #expect {
            try model("namespace a\nstruct A\n    b String\n    example e\n        \(line)\n")
                .exampleDocuments()
        } throws: { error in
            "\(error)".hasPrefix(message)
        }
    }

    @Test("JSON is quoted as it has to be, with keys in order")
    func quotation() {
        let value = JSONValue.object([
            "b": .string("\"\\\n\u{1}é"), "a": .array([.number("1"), .null]),
        ])
        #expect(value.description == #"{"a":[1,null],"b":"\"\\\n\u0001é"}"#)
    }
}
