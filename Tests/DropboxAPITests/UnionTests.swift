// Unions in both forms, with payloads of all kinds, with unknown tags, and damaged.

import TestSupport
import Testing

@testable import DropboxAPI

struct UnionTests {
    private func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
        try JSON.decode(Value.self, from: Array(json.utf8))
    }

    @Test("a tag may be a string or an object")
    func forms() throws {
        #expect(try read(Files.LookupError.self, #""not_found""#) == .notFound)
        #expect(try read(Files.LookupError.self, #"{".tag":"not_found"}"#) == .notFound)
        #expect(try read(Files.UploadSessionType.self, #""concurrent""#) == .concurrent)
    }

    @Test("a payload that may be missing may be missing, null or there")
    func nullablePayload() throws {
        #expect(try read(Files.LookupError.self, #""malformed_path""#) == .malformedPath(nil))
        #expect(
            try read(Files.WriteError.self, #"{".tag":"malformed_path","malformed_path":null}"#)
                == .malformedPath(nil))
        #expect(
            try read(Files.WriteError.self, #"{".tag":"malformed_path","malformed_path":"x"}"#)
                == .malformedPath("x"))
    }

    @Test("a struct payload stands beside the tag, others under the tag's name")
    func payloads() throws {
        #expect(
            try read(
                Files.UploadError.self,
                #"{".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"folder"}},"#
                    + #""upload_session_id":"s"}"#)
                == .path(.init(reason: .conflict(.folder), uploadSessionID: "s")))
        #expect(
            try read(
                Files.UploadSessionFinishError.self,
                #"{".tag":"lookup_failed","lookup_failed":{".tag":"incorrect_offset","#
                    + #""correct_offset":17}}"#)
                == .lookupFailed(.incorrectOffset(.init(correctOffset: 17))))
    }

    @Test("unknown tags are kept, at every depth, and written again")
    func unknown() throws {
        let json = #"{".tag":"path","path":{".tag":"gone_to_mars","planet":{"x":[1]}}}"#
        let error = try read(Files.DownloadError.self, json)
        #expect(error == .path(.unknown("gone_to_mars")))
        #expect(
            try read(Files.DownloadError.self, String(decoding: JSON.encode(error), as: UTF8.self))
                == error)
        #expect(
            try read(Files.Metadata.self, #"{".tag":"wormhole","name":"w"}"#)
                == .unknown("wormhole", .init(name: "w")))
        #expect(
            try read(Files.UploadSessionType.self, #""sideways""#) == .unknown("sideways"))
        #expect(
            try read(Files.DeleteBatchLaunch.self, #""other""#) == .unknown("other"))
        #expect(
            try read(Files.DeleteBatchJobStatus.self, #"{".tag":"x"}"#) == .unknown("x"))
    }

    @Test(
        "what cannot be a union is an error",
        arguments: ["17", "null", "[]", "{}", #"{".tag":null}"#, #"{".tag":{}}"#, #"{"tag":"x"}"#])
    func damaged(json: String) {
        #expect(throws: SerializationError.self) { try read(Files.LookupError.self, json) }
        #expect(throws: SerializationError.self) { try read(Files.WriteConflictError.self, json) }
    }

    @Test("a payload that has to be there and is not is an error")
    func missingPayload() {
        for json in [#""path""#, #"{".tag":"path"}"#, #"{".tag":"path","path":5}"#] {
            #expect(throws: SerializationError.self) { try read(Files.DownloadError.self, json) }
        }
        #expect(throws: SerializationError.self) {
            try read(Files.UploadSessionAppendError.self, #"{".tag":"incorrect_offset"}"#)
        }
    }

    @Test("a document that is cut off at any depth is an error", arguments: ["[", #"{"a":"#])
    func cutOff(opening: String) {
        for depth in 500...530 {
            let json = String(repeating: opening, count: depth)
            #expect(throws: SerializationError.self) { try read(Files.DeleteArg.self, json) }
        }
    }

    @Test("mutated documents never crash a decoder")
    func mutations() throws {
        var random = SeededRandom(seed: 7)
        let page =
            Array(
                #"{"entries":[\#(Examples.taggedFile),\#(Examples.taggedFolder),\#(Examples.deleted)],"#
                    .utf8)
            + Array(#""cursor":"c","has_more":false}"#.utf8)
        var accepted = 0
        for _ in 0..<3_000 {
            var bytes = page
            for _ in 0...random.below(3) {
                let index = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[index] = UInt8(random.below(256))
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(contentsOf: bytes[..<random.below(64)], at: index)
                default: bytes.removeSubrange(index..<min(index + 9, bytes.count))
                }
            }
            if (try? JSON.decode(Files.ListFolderResult.self, from: bytes)) != nil { accepted += 1 }
        }
        #expect(accepted > 0 && accepted < 3_000)
    }
}
