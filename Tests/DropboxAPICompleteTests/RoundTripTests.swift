// Every type against the examples of the specification, and against documents with every field and
// every tag.

import DropboxAPIComplete
import Foundation
import Testing

struct RoundTripTests {
    @Test(
        "a read document is written again, but for nulls and defaults",
        arguments: ["examples", "samples"])
    func roundTrips(file: String) throws {
        let documents = try ExampleDocument.all(file)
        #expect(documents.count > 1_500)
        for document in documents {
            let name = "\(document.type) (\(document.label))"
            let coder = try #require(
                ValueCoder.byType[document.type], "\(name) is not in the table")
            do {
                let written = try coder.rewritten(document.json)
                #expect(
                    try isEqual(written, document.written),
                    "\(name): \(String(decoding: written, as: UTF8.self))")
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }

    @Test("every type has a document")
    func everyType() throws {
        let documented = Set(try ExampleDocument.all("samples").map(\.type))
        // Unions without any known tag have nothing to show.
        let missing = Set(allTypes.map(\.0)).subtracting(documented)
        for name in missing {
            let coder = try #require(ValueCoder.byType[name])
            let json = Data(#"{".tag":"other"}"#.utf8)
            #expect(try isEqual(coder.rewritten(json), json), "\(name)")
        }
        #expect(allTypes.count > 2_300)
    }

    @Test(
        "tags that are not known survive, as do kinds of structs with the fields that all kinds have"
    )
    func unknownTags() throws {
        let json = Data(#"{".tag":"hologram","name":"a","path_lower":"/a"}"#.utf8)
        let metadata = try JSONDecoder().decode(Files.Metadata.self, from: json)
        #expect(metadata.name == "a")
        #expect(try isEqual(JSONEncoder().encode(metadata), json))

        let mode = try JSONDecoder().decode(Files.WriteMode.self, from: Data(#""merge""#.utf8))
        #expect(mode == .unknown("merge"))
        #expect(
            try isEqual(JSONEncoder().encode(mode), Data(#"{".tag":"merge"}"#.utf8)))
    }

    @Test("fields that are not known are ignored, a bare tag is a union, null is an absent default")
    func leniency() throws {
        let json = Data(
            #"{"path":"/a","mode":"overwrite","autorename":null,"colour":{"red":1}}"#.utf8)
        let commit = try JSONDecoder().decode(Files.CommitInfo.self, from: json)
        #expect(commit == Files.CommitInfo(path: "/a", mode: .overwrite))
    }

    @Test("a payload that may be absent is, when only its tag is there")
    func absentPayloads() throws {
        let bare = try JSONDecoder().decode(
            Files.LookupError.self, from: Data(#"{".tag":"malformed_path"}"#.utf8))
        #expect(bare == .malformedPath(nil))
        let told = try JSONDecoder().decode(
            Files.LookupError.self,
            from: Data(#"{".tag":"malformed_path","malformed_path":"no"}"#.utf8))
        #expect(told == .malformedPath("no"))
    }

    @Test(
        "days are read and written as the API has them",
        arguments: ["2015-05-12", "2024-02-29", "0001-01-01", "9999-12-31"])
    func days(text: String) throws {
        #expect(CalendarDate(text)?.description == text)
        let json = Data("\"\(text)\"".utf8)
        let day = try JSONDecoder().decode(CalendarDate.self, from: json)
        #expect(try JSONEncoder().encode(day) == json)
    }

    @Test(
        "a text that is no day is refused",
        arguments: ["2015-13-01", "2023-02-29", "2015-5-12", "2015-05-12Z", "", "0000-01-01"])
    func noDays(text: String) {
        #expect(CalendarDate(text) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CalendarDate.self, from: Data("\"\(text)\"".utf8))
        }
    }

    @Test("days are in order")
    func order() throws {
        let days = ["2014-12-31", "2015-01-30", "2015-02-01"].compactMap { CalendarDate($0) }
        #expect(days.count == 3 && days == days.shuffled().sorted())
    }
}
