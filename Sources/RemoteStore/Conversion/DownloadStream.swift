// The body of a response of the API as the byte stream of `RemoteStoring`. Not responsible for
// uploads: `UploadBody.swift`.

import DropboxAPI

/// A download's body. An error ends it for good.
actor DropboxByteStream<Failure: RouteError>: RemoteByteStream {
    private var iterator: DownloadBody<Failure>.AsyncIterator
    private let map: @Sendable (Failure) -> RemoteError
    private var failure: RemoteError?

    init(_ body: DownloadBody<Failure>, _ map: @escaping @Sendable (Failure) -> RemoteError) {
        iterator = body.makeAsyncIterator()
        self.map = map
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        if let failure { throw failure }
        // Copied, because an actor's state cannot be passed inout across the suspension; one task
        // reads, so no other one advances the iterator in between.
        var copy = iterator
        do {
            let chunk = try await copy.next()
            iterator = copy
            return chunk
        } catch {
            let error = RemoteError(error, route: map)
            failure = error
            throw error
        }
    }
}
