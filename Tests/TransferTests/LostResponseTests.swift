// Which refusals can follow a lost response, and which files can be the commit's result.

import ContentHashing
import DropboxAPI
import Foundation
import Testing

@Suite struct LostResponseTests {
    private let hash = ContentHasher.hash([1])

    private func file(
        _ hash: ContentHash?, modified: Int64 = 0
    ) throws -> Files.FileMetadata {
        let time = Timestamp(secondsSince1970: modified)
        let text = hash.map { ", \"content_hash\": \"\($0)\"" } ?? ""
        let json = """
            {"name": "a", "id": "id:a", "client_modified": "\(time)", "server_modified": "\(time)",
            "rev": "0123456789", "size": 1\(text)}
            """
        return try JSONDecoder().decode(Files.FileMetadata.self, from: Data(json.utf8))
    }

    @Test("equal content is the result of the commit; with a strict commit the time counts, too")
    func files() throws {
        var commit = Files.CommitInfo(
            path: "/a", clientModified: Timestamp(secondsSince1970: 7))
        #expect(commit.isStored(as: try file(hash), hash))
        #expect(!commit.isStored(as: try file(ContentHasher.hash([2])), hash))
        #expect(!commit.isStored(as: try file(nil), hash))
        commit.strictConflict = true
        #expect(!commit.isStored(as: try file(hash), hash))
        #expect(commit.isStored(as: try file(hash, modified: 7), hash))
    }

    @Test("a stored file is compared as far as both sides know it")
    func stored() throws {
        #expect(try file(hash).holds(hash, size: 1))
        #expect(try file(nil).holds(hash, size: 1))
        #expect(try file(hash).holds(nil, size: 1))
        #expect(try !file(hash).holds(hash, size: 2))
        #expect(try !file(hash).holds(ContentHasher.hash([2]), size: 1))
    }

    @Test("only a taken path and a used session leave it open")
    func refusals() {
        #expect(Files.UploadSessionFinishError.lookupFailed(.notFound).mayFollowLostResponse)
        #expect(Files.UploadSessionFinishError.lookupFailed(.closed).mayFollowLostResponse)
        #expect(!Files.UploadSessionFinishError.lookupFailed(.notClosed).mayFollowLostResponse)
        #expect(Files.UploadSessionFinishError.path(.conflict(.file)).mayFollowLostResponse)
        #expect(Files.UploadSessionFinishError.path(.conflict(.unknown("x"))).mayFollowLostResponse)
        #expect(!Files.UploadSessionFinishError.path(.conflict(.folder)).mayFollowLostResponse)
        #expect(!Files.UploadSessionFinishError.path(.insufficientSpace).mayFollowLostResponse)
        #expect(!Files.UploadError.contentHashMismatch.mayFollowLostResponse)
    }
}
