// Exports cloud documents (`files/export`). By id, as other clients ask for them: so the newest
// revision comes.

import ContentHashing
package import Core
import DropboxAPI
import Saturating

extension DropboxStore: RemoteExporting {
    /// Formats of a document that are looked at, and the longest name of one in bytes.
    private static let mostFormats = 64
    private static let longestFormat = 64

    /// The file at a path, with its formats.
    package func document(at path: RemotePath) async throws(RemoteError) -> RemoteDocument {
        guard path != .root else { throw .notAFile }
        guard let found = try await metadata(at: path) else { throw .notFound }
        let entry = try found.reader.entry(found.metadata)
        switch (entry.kind, found.metadata) {
        case (.file(let file), .file(let metadata)):
            return RemoteDocument(
                id: file.id, name: entry.name.string, isDownloadable: metadata.isDownloadable,
                formats: Self.formats(of: metadata.exportInfo))
        case (.deleted, _): throw .notFound
        default: throw .notAFile
        }
    }

    /// The formats in the server's order, each once. People read and type them, so only plain words
    /// are taken.
    private static func formats(of info: Files.ExportInfo?) -> [String] {
        var formats: [String] = []
        let told = [info?.exportAs].compactMap(\.self) + (info?.exportOptions ?? [])
        for format in told.prefix(mostFormats)
        where (1...longestFormat).contains(format.utf8.count) && !formats.contains(format)
            && format.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        {
            formats.append(format)
        }
        return formats
    }

    /// Requests an export by the id of its document.
    package func openExport(
        of id: FileID, as format: String?
    ) async throws(RemoteError) -> (export: RemoteExport, bytes: any RemoteByteStream) {
        let download: Download<Files.ExportResult, Files.ExportError>
        do {
            download = try await client.download(
                Files.export, Files.ExportArg(path: id.rawValue, exportFormat: format),
                options: .export)
        } catch {
            throw RemoteError(error) { RemoteError($0) }
        }
        let (told, file) = (download.result.exportMetadata, download.result.fileMetadata)
        guard file.id == id.rawValue, MetadataReader.isIdentifier(file.rev) else {
            throw .malformed("the server sent another document than requested")
        }
        guard told.size <= MetadataReader.maximumSize else {
            throw .malformed("an export of \(told.size) bytes")
        }
        let export = RemoteExport(
            name: told.name, size: Int64(clamping: told.size), hash: told.exportHash,
            revision: Revision(file.rev))
        let bytes = DropboxByteStream(download.body) { RemoteError($0) }
        return (export, ExportedBytes(bytes, of: export))
    }
}

/// The bytes of an export, compared with what the server has said of them.
private actor ExportedBytes: RemoteByteStream {
    private let stream: DropboxByteStream<Files.ExportError>
    private let export: RemoteExport
    private var hasher = ContentHasher()
    private var received: Int64 = 0

    init(_ stream: DropboxByteStream<Files.ExportError>, of export: RemoteExport) {
        self.stream = stream
        self.export = export
    }

    func next() async throws(RemoteError) -> [UInt8]? {
        let piece = try await stream.next()
        received +|= Int64(clamping: piece?.count ?? 0)
        guard received <= export.size, piece != nil || received == export.size else {
            throw .malformed("an export of \(received) bytes; \(export.size) were announced")
        }
        guard let hash = export.hash else { return piece }
        if let piece {
            hasher.update(piece)
        } else if hasher.finalized() != hash {
            throw .malformed("an export with another hash than was announced")
        }
        return piece
    }
}

extension CallOptions {
    /// For an export, which the server may have to make first.
    fileprivate static var export: CallOptions {
        CallOptions(
            deadline: .now.advanced(by: .seconds(3600)),
            timeouts: TransferTimeouts(response: .seconds(180)),
            pauseDeadline: .now.advanced(by: interactiveTimeout))
    }
}
