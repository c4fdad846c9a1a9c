// SHA-256 and HMAC against the examples of their standards, and against sizes around a block's end.

import Foundation
import Testing

@testable import ContentHashing

@Suite struct SHA256Tests {
    /// FIPS 180-4, and the vectors of NIST's SHA-256 examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            String(repeating: "a", count: 1_000_000),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        ),
    ])
    func standardVectors(_ text: String, _ digest: String) {
        #expect(hex(SHA256.hash(Array(text.utf8))) == digest)
    }

    @Test func piecesOfAnySizeGiveTheSameDigest() {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = SHA256.hash(bytes)
        for size in [1, 3, 55, 56, 63, 64, 65, 127, 999] {
            var hash = SHA256()
            for start in stride(from: 0, to: bytes.count, by: size) {
                hash.update(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(hash.finalized() == whole, "pieces of \(size)")
        }
    }

    @Test func aCopyGoesItsOwnWay() {
        var first = SHA256()
        first.update(Array("ab".utf8))
        var second = first
        second.update(Array("x".utf8))
        first.update(Array("c".utf8))
        #expect(first.finalized() == SHA256.hash(Array("abc".utf8)))
        #expect(second.finalized() == SHA256.hash(Array("abx".utf8)))
    }

    /// RFC 4231, test cases 1, 2 and 6: a short key, a text as key, and a key longer than a block.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131),
            "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ])
    func authenticationCodes(_ key: [UInt8], _ text: String, _ code: String) {
        #expect(hex(SHA256.authenticationCode(of: Array(text.utf8), key: key)) == code)
    }

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
