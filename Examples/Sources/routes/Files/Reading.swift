// Content of files: downloads, archives, exports, previews and links.

import DropboxAPI

extension FileExamples {
    /// Downloads a small file into memory.
    func download(_ path: String) async throws -> [UInt8] {
        let download = try await client.files.download(path: path)
        print("\(download.result.name): \(download.result.size) bytes")
        return try await download.body.collect(upTo: 1 << 20)
    }

    /// Downloads a folder as a zip archive, and returns the names of its files.
    func downloadZip(_ folder: String) async throws -> [String] {
        let archive = try await client.files.downloadZip(path: folder)
        var reader = ZipReader(limit: 1 << 20)
        var names: [String] = []
        for try await chunk in archive.body {
            names += try reader.take(chunk).map(\.name)
            while reader.hasMore { names += try reader.take([]).map(\.name) }
        }
        return names
    }

    /// Downloads a document that has no bytes of its own, such as one of Google Docs.
    func export(_ path: String) async throws -> (name: String, content: [UInt8]) {
        let export = try await client.files.export(path: path)
        let content = try await export.body.collect(upTo: 1 << 20)
        return (export.result.exportMetadata.name, content)
    }

    /// Downloads a document as PDF, or a table as HTML.
    func getPreview(_ path: String) async throws -> [UInt8] {
        let preview = try await client.files.getPreview(path: path)
        return try await preview.body.collect(upTo: 10 << 20)
    }

    /// Downloads a small picture of a photo or video.
    func getThumbnailV2(_ path: String) async throws -> [UInt8] {
        let picture = try await client.files.getThumbnailV2(
            resource: .path(path), format: .png, size: .w256h256, mode: .bestfit)
        return try await picture.body.collect(upTo: 1 << 20)
    }

    /// Downloads small pictures of up to 25 photos, as PNG in Base64.
    func getThumbnailBatch(_ paths: [String]) async throws -> [String] {
        let photos = paths.map { Files.ThumbnailArg(path: $0, format: .png) }
        return try await client.files.getThumbnailBatch(entries: photos).entries.compactMap {
            guard case .success(let picture) = $0 else { return nil }
            return picture.thumbnail
        }
    }

    /// Makes an address from which a browser can download the file for four hours.
    func getTemporaryLink(_ path: String) async throws -> String {
        try await client.files.getTemporaryLink(path: path).link
    }
}
