// Errors of routes: read to the leaf, and which of them are worth another attempt.

import DropboxAPIComplete
import Foundation
import Testing

struct ErrorTests {
    private func error<Failure: RouteError>(
        _ json: String, as type: Failure.Type
    ) throws -> Failure {
        try JSONDecoder().decode(Failure.self, from: Data(json.utf8))
    }

    @Test("a nested error can be matched down to its leaf, and names the way there")
    func leaf() throws {
        let failure = try error(
            """
            {".tag":"path","reason":{".tag":"conflict","conflict":{".tag":"folder"}},
            "upload_session_id":"1"}
            """, as: Files.UploadError.self)
        guard case .path(let written) = failure, case .conflict(.folder) = written.reason else {
            return #expect(Bool(false), "\(failure)")
        }
        #expect(failure.tagPath == "path/conflict/folder")
        #expect(Files.GetMetadataError.path(.notFound).tagPath == "path/not_found")
        #expect(Files.GetMetadataError.path(.unknown("new")).tagPath == "path/new")
    }

    @Test("an error that is a struct leads to the union in it")
    func structure() throws {
        let failure = Team.TeamFolderListError(accessError: .noAccess)
        #expect(failure.tagPath == "no_access")
        #expect(failure.remedy == .none)
    }

    @Test("busy writers and damaged bodies have a remedy, wherever in the error they stand")
    func remedies() throws {
        #expect(Files.DeleteError.tooManyWriteOperations.remedy == .waitForWriters)
        #expect(Files.DeleteError.pathWrite(.tooManyWriteOperations).remedy == .waitForWriters)
        #expect(Files.DeleteError.pathLookup(.notFound).remedy == .none)
        #expect(Files.UploadError.contentHashMismatch.remedy == .resendBody)
        let nested = try error(
            """
            {".tag":"path","reason":{".tag":"too_many_write_operations"},"upload_session_id":"1"}
            """, as: Files.UploadError.self)
        #expect(nested.remedy == .waitForWriters)
        // Bytes that came with the request are in the session, also when the commit is refused.
        let finish = Files.UploadSessionFinishError.path(.tooManyWriteOperations)
        #expect(finish.remedy == .waitForWritersUnlessBody)
    }
}
