// FNV-1a against values of its authors. Names on disks are made of such values, and later versions
// must find these names.

import ContentHashing
import Testing

@Suite struct FNV1aTests {
    @Test(
        "the values are those of the authors' test vectors for 64 bits",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c),
            ("b", 0xaf63_df4c_8601_f1a5), ("fo", 0x0898_5907_b541_d342),
            ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func vectors(text: String, value: UInt64) {
        #expect(FNV1a.hash(text.utf8) == value)
        #expect(FNV1a.hash(Array(text.utf8)) == value)
    }

    @Test("a hash that begins with another one's value continues it")
    func parts() {
        #expect(FNV1a.hash("bar".utf8, from: FNV1a.hash("foo".utf8)) == 0x8594_4171_f739_67e8)
        #expect(FNV1a.hash([], from: 17) == 17)
    }
}
