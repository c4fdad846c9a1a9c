// Downloads folders as zip archives.

import ContentHashing
import Core
import DropboxAPI
import Saturating

extension DropboxStore {
    /// The files below a folder, in one zip archive.
    package func archive(
        of folder: RemotePath, bytes: Int64
    ) async throws(RemoteError) -> any RemoteArchive {
        try await mountedFolder()
        let download: Download<Files.DownloadZipResult, Files.DownloadZipError>
        do {
            download = try await client.download(
                Files.downloadZip, Files.DownloadZipArg(path: serverPath(folder)),
                options: .download(bytes: bytes))
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        return DropboxArchive(
            DropboxByteStream(download.body) { RemoteError($0) }, bytes: bytes)
    }
}

/// A zip archive being downloaded.
private actor DropboxArchive: RemoteArchive {
    private let stream: DropboxByteStream<Files.DownloadZipError>
    private var reader: ZipReader
    /// Allowance for headers of the archive and for files added since the folder's bytes were
    /// counted.
    private static let spareBytes: Int64 = 64 << 20
    /// The server packs fewer than 10,000 files; an archive contains folders, too.
    private static let mostEntries = 20_000

    init(_ stream: DropboxByteStream<Files.DownloadZipError>, bytes: Int64) {
        self.stream = stream
        // Limits packed and unpacked bytes.
        reader = ZipReader(
            limit: ContentHasher.blockSize, total: max(0, bytes) *| 4 +| Self.spareBytes,
            entries: Self.mostEntries)
    }

    func next() async throws(RemoteError) -> [[UInt8]]? {
        while let piece = reader.hasMore ? [] : try await stream.next() {
            let files: [ZipReader.File]
            do {
                files = try reader.take(piece)
            } catch {
                throw .malformed("the archive cannot be read: \(error)")
            }
            if !files.isEmpty { return files.map(\.content) }
        }
        guard reader.isComplete else { throw .malformed("the archive ends early") }
        return nil
    }
}
