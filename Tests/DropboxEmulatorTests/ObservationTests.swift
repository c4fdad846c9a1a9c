// Answers that an emulator is to give because they were observed elsewhere. What each of them does
// is asked by Tests/conformance.

import Foundation
import Testing

@testable import DropboxEmulator

@Suite("Observations")
struct ObservationTests {
    @Test("an answer that the emulator cannot give is refused, with those that it can")
    func refusal() {
        let error = #expect(throws: EmulatorError.self) {
            try Observations(["case-rename-file": "moved"])
        }
        #expect(
            error?.description
                == "cannot answer 'moved' for case-rename-file: only 'named A' or 'named a' or 'to/conflict/file'"
        )
    }

    @Test("observations for which there is no choice are named")
    func ignored() throws {
        let observations = try Observations([
            "name-with-nul": "stored", "case-rename-file": "named A", "account-echo": "",
        ])
        #expect(observations.ignored == ["account-echo", "name-with-nul"])
        #expect(observations.conduct.caseRename == .renames)
    }

    @Test("answers that are given anyway change nothing")
    func standard() throws {
        let observations = try Observations([
            "case-rename-file": "to/conflict/file", "property-is-told": "file a",
        ])
        #expect(observations.conduct == Conduct())
        #expect(observations.settings == [:])
    }

    @Test("some observations are settings")
    func settings() throws {
        #expect(
            try Observations(["property-is-told": "nothing"]).settings == ["tell_properties": false]
        )
    }

    @Test("a file that is not an object of texts is refused", arguments: ["", "[]", "{\"a\": 1}"])
    func file(text: String) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(throws: EmulatorError.self) { try Observations(file: file.path) }
    }

    @Test("the emulator can start by the answers that were recorded")
    func recorded() throws {
        let recorded = try Observations.recorded()
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/DropboxEmulator/observed.json").standardized.path
        #expect(try recorded.answers == Observations(file: file).answers)
    }

    @Test("a deleted file that is restored has its id and its size again")
    func revival() throws {
        var fixture = TreeFixture()
        let first = try fixture.write("one", to: "/d/f")
        try fixture.delete("/d")
        #expect(fixture.tree.space.used == 0)
        try fixture.apply(.restore(path: "/d/f", rev: first.rev, base: .root))
        let restored = try fixture.file("/d/f")
        #expect(restored.id == first.id && restored.rev != first.rev)
        #expect(fixture.tree.space.used == 3)
        #expect(fixture.paths == ["/d", "/d/f"])
    }

    @Test("a move is a modification on the server, and keeps the client's time")
    func moveTime() throws {
        var fixture = TreeFixture()
        let first = try fixture.write("one", to: "/f", modified: 9)
        try fixture.move("/f", "/g")
        let moved = try fixture.file("/g")
        #expect(moved.clientModified.seconds == 9)
        #expect(moved.serverModified.seconds == first.serverModified.seconds + 1)
    }
}
