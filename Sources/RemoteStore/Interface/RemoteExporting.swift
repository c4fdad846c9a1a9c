// Exports of cloud documents, whose own bytes the cloud does not give out. A separate protocol,
// because most mounts open none.

package import Blocking
package import ContentHashing
package import Core
import Saturating

/// A cloud that exports documents.
package protocol RemoteExporting: Sendable {
    /// The file at a path, with the formats that it can be exported in. Throws `notFound` when
    /// nothing is there, and `notAFile` for a folder.
    func document(at path: RemotePath) async throws(RemoteError) -> RemoteDocument
    /// Starts the export of a document in a format, without one in the document's first. Of the
    /// newest revision, which the result names. Throws `notDownloadable` for a file that cannot be
    /// exported, or not so, and `busy` while the cloud has no export yet. The stream throws
    /// `malformed` unless it has the bytes that the result names.
    func openExport(
        of id: FileID, as format: String?
    ) async throws(RemoteError) -> (export: RemoteExport, bytes: any RemoteByteStream)
}

/// A file that may be exported.
package struct RemoteDocument: Hashable, Sendable {
    /// The id by which it is exported.
    package var id: FileID
    /// The last component of its path.
    package var name: String
    /// An ordinary file, which is downloaded and never exported.
    package var isDownloadable: Bool
    /// Names of formats, the standard one first; none if the cloud does not tell them.
    package var formats: [String]

    /// Takes over all fields.
    package init(id: FileID, name: String, isDownloadable: Bool, formats: [String]) {
        self.id = id
        self.name = name
        self.isDownloadable = isDownloadable
        self.formats = formats
    }
}

/// The facts of an export, whose bytes come as a stream.
package struct RemoteExport: Hashable, Sendable {
    /// The name that the cloud gives it. Not checked: it may be no name of a file.
    package var name: String
    /// The size in bytes.
    package var size: Int64
    /// The hash, if the cloud tells it.
    package var hash: ContentHash?
    /// The revision of the document.
    package var revision: Revision

    /// Takes over all fields.
    package init(name: String, size: Int64, hash: ContentHash?, revision: Revision) {
        self.name = name
        self.size = size
        self.hash = hash
        self.revision = revision
    }

    /// The extension of its name, without the dot; nil if that is none.
    package var fileExtension: String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let text = name[name.utf8.index(after: dot)...]
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        return isPlain && (1...16).contains(text.utf8.count) ? String(text) : nil
    }
}

/// Why an export did not reach a file.
package enum ExportFailure: Error, Hashable, Sendable {
    /// The server or the network.
    case remote(RemoteError)
    /// The local disk, with its errno.
    case local(Int32)
}

extension RemoteExporting {
    /// Exports a document into a file: `write` gets the bytes and their offset, from the start
    /// again after a broken connection, and returns the errno of a failure. Bytes that the file has
    /// behind the export's size are of such an earlier try.
    package func export(
        _ id: FileID, as format: String?, limit: Int64,
        on disk: DiskQueue = DiskQueue(label: "dbxfs.exports"),
        write: @escaping @Sendable ([UInt8], Int64) -> Int32?
    ) async throws(ExportFailure) -> RemoteExport {
        var triesLeft = 3
        while true {
            triesLeft -|= 1
            let start: (export: RemoteExport, bytes: any RemoteByteStream)
            do throws(RemoteError) {
                start = try await openExport(of: id, as: format)
            } catch {
                throw .remote(error)
            }
            guard start.export.size <= limit else { throw .remote(.tooLarge) }
            do throws(ExportFailure) {
                try await Self.copy(start.bytes, on: disk, write)
                return start.export
            } catch .remote(let error) where triesLeft > 0 && error.mayEndBodies {
                continue
            } catch {
                throw error
            }
        }
    }

    private static func copy(
        _ bytes: any RemoteByteStream, on disk: DiskQueue,
        _ write: @escaping @Sendable ([UInt8], Int64) -> Int32?
    ) async throws(ExportFailure) {
        var offset: Int64 = 0
        while true {
            let piece: [UInt8]?
            do throws(RemoteError) {
                piece = try await bytes.next()
            } catch {
                throw .remote(error)
            }
            guard let piece else { return }
            let place = offset
            if let code = await disk.run({ write(piece, place) }) { throw .local(code) }
            offset +|= Int64(clamping: piece.count)
        }
    }
}

extension RemoteError {
    /// Whether a body that ended with this error may come whole the next time.
    fileprivate var mayEndBodies: Bool {
        switch self {
        case .offline, .timedOut, .malformed, .server: true
        default: false
        }
    }
}
