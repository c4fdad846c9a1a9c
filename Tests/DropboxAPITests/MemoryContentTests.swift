// Content in memory as a request's body: the right bytes of any slice, from where they are.

import ContentHashing
import Foundation
import Testing

@testable import DropboxAPI

struct MemoryContentTests {
    private func read(_ body: any BodySource, at offset: UInt64, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try bytes.withUnsafeMutableBytes { try body.read(at: offset, into: $0) }
        return Array(bytes[..<filled])
    }

    @Test("a slice of data is a body from its own first byte to its own last")
    func slices() throws {
        let slice = Data(0..<100)[10..<50]
        let body = DataBody(slice)
        #expect(body.length == 40)
        #expect(try read(body, at: 0, 100) == Array(10..<50))
        #expect(try read(body, at: 39, 100) == [49])
        #expect(try read(body, at: 5, 3) == [15, 16, 17])
        #expect(try read(body, at: 40, 3).isEmpty)
        #expect(try read(body, at: .max, 3).isEmpty)
        #expect(try read(DataBody(Data()), at: 0, 3).isEmpty)
    }

    @Test("sources in memory give their own bytes as the body, with their hash")
    func sources() throws {
        let bytes = (0..<5 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let data = DataSource(Data([7] + bytes)[1...])
        #expect(data.contentHash == ContentHasher.hash(bytes))
        #expect(data.body is DataBody)
        #expect(try read(data.body, at: 0, bytes.count) == bytes)
        let array = BytesSource(bytes)
        #expect(array.contentHash == ContentHasher.hash(bytes))
        #expect(array.body is BytesBody)
    }

    @Test("data of one piece is sent in one request, with its hash and its settings")
    func oneRequest() async throws {
        let file = Examples.file
        let server = try ScriptedServer(answers: [.json(file)])
        defer { server.stop() }
        let client = try DropboxClient.testing(server)
        let data = Data(0..<200)[20..<120]
        // The scripted file is another one, which the hashes show.
        await #expect(throws: FileTransferError.self) {
            try await client.files.upload(data, to: "/a", mode: .overwrite)
        }
        let request = try #require(server.requests.first)
        #expect(request.bodyLength == 100)
        #expect(request.bodyHash == ContentHasher.hash(Array(data)))
        #expect(
            request.headers["dropbox-api-arg"]?.contains(ContentHasher.hash(data).hex) == true)
        await client.shutDown()
    }
}
