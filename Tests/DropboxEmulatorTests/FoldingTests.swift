// What each rule makes of names, and that paths are compared by it.

import Testing

@testable import DropboxEmulator

@Suite("Folding")
struct FoldingTests {
    @Test(
        "each rule has its own idea of the names on which Unicode's mappings differ",
        arguments: [
            (FoldingRule.scalar, "\u{130}x", "οδοσ"), (.simple, "ix", "οδοσ"),
            (.full, "i\u{307}x", "οδοσ"), (.contextual, "i\u{307}x", "οδος"),
        ])
    func rules(rule: FoldingRule, dotted: String, greek: String) {
        #expect(PathComponent("\u{130}X", folding: rule).key == dotted)
        #expect(PathComponent("ΟΔΟΣ", folding: rule).key == greek)
        #expect(PathComponent("Tëst 1", folding: rule).key == "tëst 1")
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
