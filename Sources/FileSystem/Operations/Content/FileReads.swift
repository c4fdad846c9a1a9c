// Reading open files, from memory, disk or network.

import Core
import MetadataStore
import RemoteStore
import Saturating
import Staging
import Sync

/// Reads open files for the kernel.
final class FileReads: Sendable {
    private let handles: FileHandles
    private let contents: FileContents
    private let reader: any ContentReading
    private let folderReader: FolderReader?
    private let work: LocalWork

    init(
        handles: FileHandles, contents: FileContents, reader: any ContentReading,
        folderReader: FolderReader?, work: LocalWork
    ) {
        self.handles = handles
        self.contents = contents
        self.reader = reader
        self.folderReader = folderReader
        self.work = work
    }

    /// Reads up to `count` bytes; returns fewer only at the end of the file.
    func read(
        _ inode: InodeID, handle: HandleID, offset: Int64, count: Int
    ) -> Answer<[UInt8]> {
        do {
            let handle = try handles.handle(handle)
            let segments = try segments(of: handle, offset: offset, count: count)
            if let bytes = cachedBytes(of: segments) {
                if let (content, range) = segments.last?.remote {
                    reader.noteRead(of: content, range: range, session: handle.session)
                }
                return .ready(bytes)
            }
            return .pending { () async throws(FileSystemError) in
                if !handle.session.isHeaderProbe, let content = segments.first?.remote?.0 {
                    await self.folderReader?.prepare(content, of: inode)
                }
                return try await self.bytes(of: segments, session: handle.session)
            }
        } catch {
            return .failed(work.failure(error))
        }
    }

    /// A part of a read, by its source.
    private enum ReadSegment: Sendable {
        case bytes([UInt8])
        case zeros(Int)
        case remote(FileVersion, Range<Int64>)

        var remote: (FileVersion, Range<Int64>)? {
            if case .remote(let content, let range) = self { (content, range) } else { nil }
        }
    }

    private func segments(
        of handle: FileHandle, offset: Int64, count: Int
    ) throws -> [ReadSegment] {
        guard offset >= 0, count >= 0 else { throw FileSystemError.invalidArgument }
        while true {
            switch handle.content {
            case .unknown:
                throw FileSystemError.inputOutput("the file \(handle.inode) has no content")
            case .revision(let content):
                let end = min(content.size, offset +| Int64(clamping: count))
                return offset < end ? [.remote(content, offset..<end)] : []
            case .staged(let staged):
                switch try staged.read(at: offset, count: count) {
                case .bytes(let bytes): return [.bytes(bytes)]
                case .mixed(let parts): return try segments(parts, of: staged)
                case .retired(let revision): handle.file.retire(staged, as: revision)
                }
            case .exported(let export):
                do throws(ExportFailure) {
                    return [.bytes(try export.read(at: offset, count: count))]
                } catch {
                    throw FileSystemError(error)
                }
            }
        }
    }

    private func segments(
        _ parts: [StagedRead.Segment], of staged: StagedFile
    ) throws -> [ReadSegment] {
        try parts.map { part in
            switch part {
            case .bytes(let bytes): return .bytes(bytes)
            case .zeros(let count): return .zeros(count)
            case .base(let range):
                guard let base = staged.base else {
                    throw FileSystemError.inputOutput("staged content has lost its base")
                }
                return .remote(FileVersion(of: base), range)
            }
        }
    }

    private func cachedBytes(of segments: [ReadSegment]) -> [UInt8]? {
        var result: [UInt8] = []
        for segment in segments {
            switch segment {
            case .bytes(let bytes):
                if segments.count == 1 { return bytes }
                result.append(contentsOf: bytes)
            case .zeros(let count):
                result.append(contentsOf: repeatElement(0, count: count))
            case .remote(let content, let range):
                guard let bytes = reader.cachedBytes(of: content, range: range) else { return nil }
                if segments.count == 1 { return bytes }
                result.append(contentsOf: bytes)
            }
        }
        return result
    }

    private func bytes(
        of segments: [ReadSegment], session: ReadSession
    ) async throws(FileSystemError) -> [UInt8] {
        var result: [UInt8] = []
        for segment in segments {
            switch segment {
            case .bytes(let bytes): result.append(contentsOf: bytes)
            case .zeros(let count): result.append(contentsOf: repeatElement(0, count: count))
            case .remote(let content, let range):
                let bytes = try await contents.fetch(content, range, session: session)
                result.append(contentsOf: bytes)
            }
        }
        return result
    }
}
