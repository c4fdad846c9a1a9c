// Thumbnails of pictures (`files/get_thumbnail_batch`). By revision, so that none is of newer
// content than the tree has.

package import Core
import DropboxAPI
import Foundation

extension DropboxStore: RemoteThumbnailing {
    /// Requests thumbnails in one request.
    package func thumbnails(
        of revisions: [Revision], size: RemoteThumbnail.Size
    ) async throws(RemoteError) -> [RemoteOutcome<[UInt8]>] {
        let entries = revisions.map { revision in
            Files.ThumbnailArg(
                path: "rev:\(revision.rawValue)", format: .png, size: Files.ThumbnailSize(size),
                mode: .bestfit, excludeMediaInfo: true)
        }
        let result: Files.GetThumbnailBatchResult
        do {
            result = try await client.call(
                Files.getThumbnailBatch, Files.GetThumbnailBatchArg(entries: entries),
                options: .interactive)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        guard result.entries.count == revisions.count else {
            throw .malformed(
                "\(result.entries.count) thumbnails came; asked for \(revisions.count)")
        }
        return zip(result.entries, revisions).map(Self.outcome)
    }

    private static func outcome(
        _ entry: Files.GetThumbnailBatchResultEntry, of revision: Revision
    ) -> RemoteOutcome<[UInt8]> {
        switch entry {
        case .success(let data):
            guard data.metadata.rev == revision.rawValue else {
                return .failure(.malformed("the server sent the thumbnail of another revision"))
            }
            guard let bytes = Data(base64Encoded: data.thumbnail) else {
                return .failure(.malformed("a thumbnail that is no base64"))
            }
            return .success([UInt8](bytes))
        case .failure(let error): return .failure(RemoteError(error))
        case .unknown(let tag): return .failure(.server(tag))
        }
    }
}

extension Files.ThumbnailSize {
    fileprivate init(_ size: RemoteThumbnail.Size) {
        switch size {
        case .normal: self = .w128h128
        case .large: self = .w256h256
        }
    }
}
