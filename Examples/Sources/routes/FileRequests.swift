// Requests by which people without an account can upload files.

import DropboxAPIComplete

/// Examples of the routes of `file_requests`.
struct FileRequestExamples {
    let client: DropboxClient
}

extension FileRequestExamples {
    /// Makes a request with a deadline, and returns the address to be sent to people.
    func create(_ title: String, into folder: String, until end: Timestamp) async throws -> String {
        let deadline = FileRequests.FileRequestDeadline(
            deadline: end, allowLateUploads: .oneDay)
        let request = try await client.fileRequests.create(
            title: title, destination: folder, deadline: deadline)
        return request.url
    }

    /// Asks how many files a request has brought.
    func get(_ id: FileRequests.FileRequestID) async throws -> Int64 {
        try await client.fileRequests.get(id: id).fileCount
    }

    /// Lists the first requests; there are more if `hasMore` says so.
    func listV2() async throws -> FileRequests.ListFileRequestsV2Result {
        try await client.fileRequests.listV2(limit: 100)
    }

    /// Lists the requests after the first ones.
    func listContinue(_ cursor: String) async throws -> [FileRequests.FileRequest] {
        let page = try await client.fileRequests.listContinue(cursor: cursor)
        guard page.hasMore else { return page.fileRequests }
        return page.fileRequests + (try await listContinue(page.cursor))
    }

    /// Asks how many requests there are.
    func count() async throws -> UInt64 {
        try await client.fileRequests.count().fileRequestCount
    }

    /// Takes the deadline away, and closes the request.
    func update(_ id: FileRequests.FileRequestID) async throws {
        _ = try await client.fileRequests.update(id: id, deadline: .update(nil), open: false)
    }

    /// Deletes requests, which must be closed, and returns their titles.
    func delete(_ ids: [FileRequests.FileRequestID]) async throws -> [String] {
        try await client.fileRequests.delete(ids: ids).fileRequests.map(\.title)
    }

    /// Deletes all closed requests, and returns how many there were.
    func deleteAllClosed() async throws -> Int {
        try await client.fileRequests.deleteAllClosed().fileRequests.count
    }
}
