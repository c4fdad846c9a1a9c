// The work of whole files, of changes and of waiting for them: the SDK's own operations, with JSON
// around.

import CDropbox
import DropboxAPI
import Essentials

extension Work {
    /// An upload of a local file.
    static func upload(
        _ client: OpaquePointer?, file: CString?, to path: CString?, _ settings: CString?
    ) throws(BorderError) -> Work {
        let file = try CText.required(file, "file")
        return try upload(client, LocalFile(file), to: path, settings)
    }

    /// An upload of bytes.
    static func upload(
        _ client: OpaquePointer?, _ content: UnsafeRawPointer?, _ size: Int, to path: CString?,
        _ settings: CString?
    ) throws(BorderError) -> Work {
        let bytes = try CText.bytes(content, size, "content")
        return try upload(client, BytesSource(bytes), to: path, settings)
    }

    private static func upload(
        _ client: OpaquePointer?, _ source: some FileSource, to path: CString?,
        _ settings: CString?
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let commit = try commit(try CText.required(path, "path"), settings)
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            let stored: Files.FileMetadata
            do throws(FileTransferError) {
                stored = try await client.files.upload(
                    source, as: commit, options: .init(call: run.callOptions))
            } catch {
                throw BorderError(error)
            }
            return try JSONText(encoding: stored)
        }
    }

    /// The settings of a commit, with its path.
    private static func commit(
        _ path: String, _ settings: CString?
    ) throws(BorderError) -> Files.CommitInfo {
        guard let settings = try CText.optional(settings, "settings") else {
            return .init(path: path)
        }
        guard let fields = JSONText(settings)?.text, fields.hasPrefix("{") else {
            throw .argument("settings are not a JSON object")
        }
        let first = "{\"path\":\(try JSONText(encoding: path).text)"
        let document = first + (fields == "{}" ? "" : ",") + fields.dropFirst()
        do throws(SerializationError) {
            var commit = try JSON.decode(Files.CommitInfo.self, from: Array(document.utf8))
            commit.path = path
            return commit
        } catch {
            throw .argument("settings are not those of files.CommitInfo: \(error.message)")
        }
    }

    /// A download to a local path.
    static func download(
        _ client: OpaquePointer?, _ path: CString?, to file: CString?, overwrite: Bool
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let path = try CText.required(path, "path")
        let file = try CText.required(file, "file")
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            let metadata: Files.FileMetadata
            do throws(FileTransferError) {
                metadata = try await client.files.download(
                    path, to: file, overwrite: overwrite, options: .init(call: run.callOptions))
            } catch {
                throw BorderError(error)
            }
            return try JSONText(encoding: metadata)
        }
    }

    /// A download to a function of C.
    static func content(
        _ client: OpaquePointer?, of path: CString?, to receiver: ContentReceiver?,
        _ context: UnsafeMutableRawPointer?
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let path = try CText.required(path, "path")
        let receiver = try contentReceiver(receiver, context)
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            let metadata: Files.FileMetadata
            do throws(FileTransferError) {
                let content = try await client.files.content(
                    of: path, options: .init(call: run.callOptions))
                metadata = content.metadata
                var chunks = content.makeAsyncIterator()
                while let chunk = try await chunks.next() {
                    guard await run.give(chunk, to: receiver) else { return nil }
                }
            } catch {
                throw BorderError(error)
            }
            return try JSONText(encoding: metadata)
        }.cancelledWithoutResult
    }

    /// The changes of a folder, until they are stopped.
    static func changes(
        _ client: OpaquePointer?, since cursor: CString?, _ argument: CString?,
        to receiver: PageReceiver?, _ context: UnsafeMutableRawPointer?
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let cursor = try CText.optional(cursor, "cursor")
        let document = try CText.document(argument, "argument")
        let receiver = try pageReceiver(receiver, context)
        let folder: Files.ListFolderArg
        do throws(SerializationError) {
            folder = try JSON.decode(Files.ListFolderArg.self, from: document.bytes)
        } catch {
            throw .argument("argument is not that of files/list_folder: \(error.message)")
        }
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            var changes = client.files.changes(
                since: cursor, in: folder, options: run.callOptions
            ).makeAsyncIterator()
            while let update = try await changes.nextAtBorder() {
                let document = try JSONText(encoding: UpdateDocument(update))
                guard await run.give(document, to: receiver) else { break }
            }
            try run.checkCancellation()
            return nil
        }
    }

    /// Waiting for a change.
    static func longpoll(
        _ client: OpaquePointer?, after cursor: CString?, seconds: UInt32
    ) throws(BorderError) -> Work {
        let client = try ClientHandle.required(client).client
        let cursor = try CText.required(cursor, "cursor")
        let seconds = ListingRules.timeout(UInt64(clamping: seconds))
        return Work { (run: Run) async throws(BorderError) -> JSONText? in
            let result: Files.ListFolderLongpollResult
            do throws(CallError<Files.ListFolderLongpollError>) {
                result = try await client.files.listFolderLongpoll(
                    cursor: cursor, timeout: seconds, options: run.callOptions)
            } catch {
                throw BorderError(error)
            }
            return try JSONText(encoding: result)
        }
    }
}

extension FolderChanges.AsyncIterator {
    /// The next update of the folder.
    fileprivate mutating func nextAtBorder() async throws(BorderError) -> FolderUpdate? {
        do throws(FolderListingError) {
            return try await next()
        } catch {
            throw BorderError(error)
        }
    }
}

/// An update of a folder as C gets it.
private struct UpdateDocument: Encodable {
    let cursor: String
    var relist = false
    var hasMore = false
    var entries: [Files.Metadata] = []

    private enum CodingKeys: String, CodingKey {
        case cursor
        case relist
        case hasMore = "has_more"
        case entries
    }

    init(_ update: FolderUpdate) {
        cursor = update.cursor
        switch update {
        case .changes(let entries, _, let more): (self.entries, hasMore) = (entries, more)
        case .relist: relist = true
        }
    }
}
