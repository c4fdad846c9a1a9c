// Random documents for every type: a decoder may refuse them, it must not crash, and what it takes
// has to be stable. FUZZED_DOCUMENTS says how many (a million takes a minute), FUZZ_SEED repeats a
// run.

import DropboxAPIComplete
import Foundation
import TestSupport
import Testing

struct FuzzTests {
    @Test("mutated documents are refused or read, and nothing crashes", .timeLimit(.minutes(60)))
    func mutations() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["FUZZED_DOCUMENTS"].flatMap { Int($0) } ?? 20_000
        let seed = environment["FUZZ_SEED"].flatMap { UInt64($0) } ?? 20_260
        var mutator = Mutator(seed: seed)
        let documents = try ExampleDocument.all("examples") + ExampleDocument.all("samples")
        var taken = 0
        for _ in 0..<count {
            let document = documents[mutator.index(below: documents.count)]
            let coder = try #require(ValueCoder.byType[document.type])
            let json = mutator.mutated(document.json)
            do {
                _ = try coder.rewritten(json)
                taken += 1
            } catch let error as ValueCoder.Unstable {
                Issue.record("seed \(seed): \(document.type) is not stable: \(error.json)")
            } catch {
                // Refusing is what most of these deserve.
                continue
            }
        }
        // Neither all nor none: otherwise the mutations are too tame or too wild to find anything.
        #expect(taken > count / 20 && taken < count * 19 / 20, "\(taken) of \(count)")
    }
}

/// Changes documents, the same way for the same seed.
struct Mutator {
    private var random: SeededRandom
    private static let fragments: [String] = [
        "null", "true", "0", "-1", "1e400", "18446744073709551616", "-9223372036854775809", "1.5",
        "\"\"", "\"other\"", "[]", "{}", "[[]]", "{\".tag\":\"other\"}", "{\".tag\":null}",
        "{\".tag\":{}}",
        "\"\\ud800\"", "\"2015-13-40T99:99:99Z\"", "\"9999-12-31T23:59:60Z\"",
    ]

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func index(below count: Int) -> Int { random.below(count) }

    /// One to three changes: to bytes, or to a value of the document.
    mutating func mutated(_ json: Data) -> Data {
        var bytes = [UInt8](json)
        for _ in 0...index(below: 3) {
            if bytes.isEmpty { break }
            switch index(below: 6) {
            case 0: bytes[index(below: bytes.count)] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.removeLast(index(below: bytes.count))
            case 2: duplicate(in: &bytes)
            case 3: nest(&bytes)
            default: replaceValue(in: &bytes)
            }
        }
        return Data(bytes)
    }

    private mutating func duplicate(in bytes: inout [UInt8]) {
        let start = index(below: bytes.count)
        let end = start + index(below: bytes.count - start + 1)
        bytes.insert(contentsOf: bytes[start..<end], at: index(below: bytes.count + 1))
    }

    /// Deeper than any decoder goes.
    private mutating func nest(_ bytes: inout [UInt8]) {
        let depth = 1 + index(below: index(below: 50) == 0 ? 2_000 : 3)
        bytes =
            Array(repeating: UInt8(ascii: "["), count: depth) + bytes
            + Array(repeating: UInt8(ascii: "]"), count: depth)
    }

    /// Puts something else in the place of a value: what stands between a colon and the next comma
    /// or brace.
    private mutating func replaceValue(in bytes: inout [UInt8]) {
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard !colons.isEmpty else { return }
        let start = colons[index(below: colons.count)] + 1
        let end =
            bytes[start...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
            ?? bytes.endIndex
        let fragment = Self.fragments[index(below: Self.fragments.count)]
        bytes.replaceSubrange(start..<end, with: Array(fragment.utf8))
    }
}
