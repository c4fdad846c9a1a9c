// Which blocks of a staged file are there, also where a number is of no block.

import Testing

@testable import Staging

@Suite struct BlockBitmapTests {
    @Test("the blocks that were noted are there, lowest bit of the first byte first")
    func members() {
        var bitmap = BlockBitmap()
        for block in [9, 0, 7, 9] { bitmap.insert(block) }
        #expect(bitmap.bytes == [0b1000_0001, 0b10])
        #expect(bitmap.members == [0, 7, 9])
        #expect(bitmap[7] && !bitmap[8] && !bitmap[.max])
    }

    @Test("there is no block of a negative number", arguments: [-1, -8, -9, Int.min])
    func negative(block: Int) {
        var bitmap = BlockBitmap(bytes: [0xFF])
        bitmap.insert(block)
        #expect(!bitmap[block] && bitmap.bytes == [0xFF])
    }
}
