// The names that each rule folds to, and that paths are compared by it.

import Testing

@testable import DropboxEmulator

@Suite("Folding")
struct FoldingTests {
    @Test(
        "each rule has its own idea of the names on which Unicode's mappings differ",
        arguments: [
            (FoldingRule.scalar, "\u{130}x", "οδοσ"), (.simple, "ix", "οδοσ"),
            (.full, "i\u{307}x", "οδοσ"), (.contextual, "i\u{307}x", "οδος"),
            (.unicode4, "ix", "οδοσ"),
        ])
    func rules(rule: FoldingRule, dotted: String, greek: String) {
        #expect(PathComponent("\u{130}X", folding: rule).key == dotted)
        #expect(PathComponent("ΟΔΟΣ", folding: rule).key == greek)
        #expect(PathComponent("Tëst 1", folding: rule).key == "tëst 1")
    }

    @Test(
        "by the rule of Unicode 4.1 later letters stay, and those whose lower case came later",
        arguments: [
            ("\u{A64A}", "\u{A64A}"), ("\u{1E9E}", "\u{1E9E}"), ("\u{23A}", "\u{23A}"),
            ("\u{13A0}", "\u{13A0}"), ("\u{1C90}", "\u{1C90}"), ("\u{416}", "\u{436}"),
            ("\u{10A0}", "\u{2D00}"), ("\u{10400}", "\u{10428}"),
        ])
    func unicode4(name: String, key: String) {
        #expect(PathComponent(name, folding: .unicode4).key == key)
    }

    @Test(
        "a sigma is a final one after a letter and before none, signs not counted",
        arguments: [
            ("ΟΔΟΣ.TXT", "οδοσ.txt"), ("ΟΔΟΣ TXT", "οδος txt"), ("Σ", "σ"), ("1Σ", "1σ"),
            ("ΑΣ1", "ας1"), ("Α'Σ", "α'ς"), ("ΑΣ'", "ας'"), ("ΑΣ'Α", "ασ'α"), ("ΣΑΣ", "σας"),
        ])
    func finalSigma(name: String, key: String) {
        #expect(PathComponent(name, folding: .contextual).key == key)
    }

    @Test("a server compares names by its rule", arguments: FoldingRule.allCases)
    func server(rule: FoldingRule) async throws {
        try await withEmulator(folding: rule) { client in
            let file = try await client.upload("x", to: "/ΟΔΟΣ/f")
            let isContextual = rule == .contextual
            #expect(file["path_lower"]?.string == (isContextual ? "/οδος/f" : "/οδοσ/f"))
            let other = try await client.send(
                "files/get_metadata", argument: ["path": .string("/οδος/F")])
            #expect(other.status == (isContextual ? 200 : 409))
        }
    }
}
