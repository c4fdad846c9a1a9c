// Lines in the bytes of a socket, however they arrive.

import Testing

@testable import Mounting

@Suite struct ReceivedLinesTests {
    private func text(_ line: [UInt8]?) -> String? {
        line.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("lines are taken one after the other, in pieces of any size", arguments: 1...9)
    func pieces(_ size: Int) {
        let bytes = Array("one\n\nthree\nfo".utf8)
        let received = Received()
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            #expect(received.append(bytes[start..<min(start + size, bytes.count)]))
            while let line = text(received.takeLine()) { lines.append(line) }
        }
        #expect(lines == ["one", "", "three"])
        #expect(received.append(Array("ur\n".utf8)[...]))
        #expect(text(received.takeLine()) == "four")
        #expect(received.takeLine() == nil)
    }

    @Test("a mebibyte without an end of a line is one too many")
    func endless() {
        let received = Received()
        let piece = [UInt8](repeating: 0x20, count: 1 << 16)
        for _ in 0..<16 {
            #expect(received.append(piece[...]))
            #expect(received.takeLine() == nil)
        }
        #expect(!received.append(piece[...]))
    }
}
