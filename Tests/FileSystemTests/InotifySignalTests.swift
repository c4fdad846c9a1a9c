// The form in which the process that raises inotify events gets its work.

import FileSystem
import Testing

struct InotifySignalTests {
    private let signals = [
        InotifySignal(.content, at: Array("a folder/new\nfile".utf8)),
        InotifySignal(.attributes, at: [0xff, 0x2f, 0x43]),
        InotifySignal(.names, at: []),
    ]

    @Test("encoded signals are decoded, also with other bytes than letters in names")
    func bothWays() {
        #expect(InotifySignal.decode(InotifySignal.encode(signals)) == signals)
        #expect(InotifySignal.encode([]).isEmpty)
        #expect(InotifySignal.decode([]).isEmpty)
    }

    @Test("a path that was cut is left out, and so is an unknown letter")
    func damaged() {
        var bytes = InotifySignal.encode(signals)
        bytes.removeLast()
        #expect(InotifySignal.decode(bytes) == Array(signals.dropLast()))
        #expect(InotifySignal.decode(Array("Cnew".utf8)).isEmpty)
        #expect(InotifySignal.decode(Array("?new\0\0Nfolder\0".utf8)).map(\.change) == [.names])
    }
}
