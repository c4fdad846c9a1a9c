// The text in which modes, times and attributes travel: one form for equal facts, and no text of a
// stranger does harm.

import Core
import TestSupport
import Testing

@Suite struct PosixFactsTests {
    private let time = WallTime(seconds: 1_700_000_000, nanoseconds: 123_456_789)

    @Test("facts come back from their text")
    func roundTrip() throws {
        let facts = PosixFacts(
            permissions: 0o755, modified: .init(time, stored: 1_700_000_000),
            attributes: ["origin": Array("web: 100 %".utf8), "ü ": [0, 255], "empty": []],
            others: ["k=later"])
        #expect(PosixFacts(text: facts.text) == facts)
        #expect(
            facts.text == "1 m=755 t=1700000000:123456789 a=empty: a=origin:web%3A%20100%20%25 "
                + "a=%C3%BC%20:%00%FF k=later")
        let earlier = PosixFacts(modified: .init(time, stored: -5))
        #expect(PosixFacts(text: earlier.text) == earlier)
    }

    @Test("a link's target comes back from its text, with any bytes")
    func links() throws {
        let paths = ["../lib/libz.so.1", "/", "a b%=:\n", "é"]
        for bytes in paths.map({ Array($0.utf8) }) + [[0xFF, 1, 0x7F]] {
            let target = try #require(LinkTarget(bytes))
            let facts = PosixFacts(link: target)
            #expect(PosixFacts(text: facts.text) == facts, "\(facts.text)")
        }
        #expect(PosixFacts(link: LinkTarget("../a b%")).text == "1 l=../a%20b%25")
        let all = PosixFacts(
            permissions: 0o700, modified: .init(time, stored: 1), link: LinkTarget("x"),
            others: ["k"])
        #expect(all.text == "1 m=700 t=1700000000:123456789:1 l=x k")
        #expect(PosixFacts(text: all.text) == all)
    }

    @Test("a file is a link as long as it has the link's text, which never changes")
    func linkContent() throws {
        let target = try #require(LinkTarget("../a"))
        #expect(
            String(decoding: target.content, as: UTF8.self)
                == "This file is a symbolic link (dbxfs). Its target is the next line:\n../a\n")
        let facts = PosixFacts(link: target)
        #expect(facts.link(ofContent: target.contentHash) == target)
        #expect(facts.link(ofContent: LinkTarget("../b")?.contentHash) == nil)
        #expect(facts.link(ofContent: nil) == nil)
        #expect(PosixFacts().link(ofContent: target.contentHash) == nil)
    }

    @Test("no link has an empty target, a null byte, or more bytes than Linux reads")
    func noTargets() {
        #expect(LinkTarget("") == nil)
        #expect(LinkTarget("a\u{0}") == nil)
        #expect(LinkTarget(String(repeating: "x", count: 4096)) == nil)
        #expect(LinkTarget(String(repeating: "x", count: 4095)) != nil)
    }

    @Test("no facts are a text, too, which takes earlier ones back")
    func empty() {
        #expect(PosixFacts().text == "1")
        #expect(PosixFacts(text: "1") == PosixFacts())
        #expect(PosixFacts().isEmpty)
    }

    @Test(
        "what makes no sense is left out",
        arguments: [
            ("1 m=1777", "1"), ("1 m=-1", "1"), ("1 m=888 m=700", "1 m=700"), ("1 m=", "1"),
            ("1 t=1:1000000000", "1"), ("1 t=1:-1", "1"), ("1 t=9223372036854775808:0", "1"),
            ("1 t=1:2:3:4", "1"), ("1 t=1:2:1", "1 t=1:2"),
            ("1 a=:x", "1"), ("1 a=x", "1"), ("1 a=x:%", "1"), ("1 a=x:%G0", "1"),
            ("1 a=%00:x", "1"), ("1 a=%FF:x", "1"), ("1 a=dropbox.id:x", "1"),
            ("1 l=", "1"), ("1 l=%00", "1"), ("1 l=a%0", "1"), ("1 l=é", "1"), ("1 l", "1 l"),
            ("1 l=a l=b", "1 l=b"), ("1 l=%2F", "1 l=/"),
            ("1  a=x:y ", "1 a=x:y"),
            ("1 z m=700", "1 m=700 z"),
        ])
    func hostile(_ text: String, _ understood: String) {
        #expect(PosixFacts(text: text)?.text == understood)
    }

    @Test("texts of another version and longer ones are none")
    func unreadable() {
        for text in ["", " ", "2 m=755", "m=755", "1m=755"] {
            #expect(PosixFacts(text: text) == nil, "\(text)")
        }
        #expect(PosixFacts(text: "1 " + String(repeating: "z", count: 1023)) == nil)
    }

    @Test("any text of bytes is read without harm, and its facts fit into a field")
    func random() {
        var random = SeededRandom(seed: 20)
        let letters = Array("1 mtalz=:%0F7-é\u{0}".unicodeScalars)
        for _ in 0..<20_000 {
            var text = "1 "
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                text.unicodeScalars.append(letters.randomElement(using: &random) ?? "1")
            }
            guard let facts = PosixFacts(text: text) else { continue }
            #expect(PosixFacts(text: facts.text) == facts, "\(text)")
            #expect(facts.text.utf8.count <= PosixFacts.longestText)
        }
    }

    @Test("the largest attributes are left out where not all fit")
    func fitting() {
        let facts = PosixFacts(
            permissions: 0o700,
            attributes: ["big": [UInt8](repeating: 0, count: 900), "small": [1]])
        #expect(
            facts.fitting(beside: nil) == PosixFacts(permissions: 0o700, attributes: ["small": [1]])
        )
        let path = LinkTarget(String(repeating: "/", count: 1015))
        let link = PosixFacts(modified: .init(time, stored: 1), link: path, others: ["key=x"])
        #expect(link.fitting(beside: nil) == PosixFacts(link: path))
        let many = PosixFacts(others: (0..<500).map { "key\($0)=x" })
        #expect(many.fitting(beside: nil).text.utf8.count <= PosixFacts.longestText)
    }

    @Test("what another machine shares has its room before the exact time and new attributes")
    func fittingBesideTold() {
        let shared = [UInt8](repeating: UInt8(ascii: "x"), count: 990)
        let told = PosixFacts(attributes: ["shared": shared])
        let facts = PosixFacts(
            permissions: 0o755, modified: .init(time, stored: 1),
            attributes: ["shared": shared, "new": [UInt8](repeating: 0, count: 20)])
        #expect(
            facts.fitting(beside: told)
                == PosixFacts(permissions: 0o755, attributes: ["shared": shared]))
        #expect(facts.fitting(beside: nil).attributes.keys.contains("new"))
    }

    @Test("an exact time is that of one revision only")
    func exactTime() {
        let facts = PosixFacts(modified: .init(time, stored: 1_700_000_000))
        #expect(facts.exactTime(stored: WallTime(seconds: 1_700_000_000)) == time)
        #expect(facts.exactTime(stored: WallTime(seconds: 1_700_000_001)) == nil)
        #expect(facts.exactTime(stored: nil) == nil)
    }
}
