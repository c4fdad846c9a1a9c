// Where `dbxfs export` writes: a part file beside the target, which gets the target's name when it
// is whole. Also on a mount of dbxfs, where there are no hard links. Not responsible for the
// content.

import CLinux
import DropboxAPI
import Glibc
import LocalFiles
import Mounting

/// The place of the files of an export.
struct ExportTarget {
    /// A file, or a folder in which the documents' names are used.
    private let path: String
    /// The path is that of a folder.
    let isFolder: Bool
    /// Files that are there are replaced.
    let replaces: Bool

    /// Takes `--output` and `--force`.
    init(output: String?, replaces: Bool) {
        path = output ?? "."
        self.replaces = replaces
        var status = stat()
        isFolder = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The named file, if it is there and must stay. Throws if it is there and `--force` must not
    /// replace it.
    func taken() throws(CommandError) -> String? {
        if isFolder { return nil }
        if replaces {
            try ExportPart.checkReplaceable(path)
            return nil
        }
        var status = stat()
        return lstat(path, &status) == 0 ? path : nil
    }

    /// The file for a document of this name.
    func file(for name: String) -> String {
        guard isFolder else { return path }
        if path == "." { return name }
        return path.utf8.last == UInt8(ascii: "/") ? "\(path)\(name)" : "\(path)/\(name)"
    }

    /// A new part file, in the folder of the target.
    func part(for name: String) throws(CommandError) -> ExportPart {
        let file = file(for: name)
        do throws(DiskError) {
            let id = UInt64.random(in: .min ... .max)
            return ExportPart(file: try PartFile(PartFile.name(beside: file, id: id)), target: file)
        } catch {
            throw ExportPart.failure(error.errno, file)
        }
    }
}

/// A file that is being written.
struct ExportPart: Sendable {
    fileprivate let file: PartFile
    fileprivate let target: String

    /// Writes bytes; returns the errno of a failure.
    func write(_ bytes: [UInt8], at offset: Int64) -> Int32? {
        do throws(DiskError) {
            try file.write(bytes, at: UInt64(clamping: offset))
            return nil
        } catch {
            return error.errno
        }
    }

    /// Cuts the file to its size, flushes it and renames it. Returns false if another file is there
    /// and must stay.
    func place(at path: String, size: Int64, _ replaces: Bool) throws(CommandError) -> Bool {
        do throws(DiskError) {
            try file.truncate(to: UInt64(clamping: size))
            try file.synchronize()
        } catch {
            throw Self.failure(error.errno, path)
        }
        if !replaces {
            if clinux_rename_new(file.path, path) == 0 { return true }
            let code = errno
            if code == EEXIST { return false }
            // A filesystem without RENAME_NOREPLACE has links.
            guard code == EINVAL || code == ENOSYS else { throw Self.failure(code, path) }
        }
        if replaces { try Self.checkReplaceable(path) }
        do throws(DiskError) {
            return try file.place(at: path, replacing: replaces)
        } catch {
            throw Self.failure(error.errno, path)
        }
    }

    /// Throws if something is there that no file may replace: a link leads elsewhere, and a device
    /// or a pipe is there for other programs.
    fileprivate static func checkReplaceable(_ path: String) throws(CommandError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
        throw .noExport(
            path: path, reason: "it is no regular file, and --force replaces nothing else")
    }

    /// Removes what was written.
    func remove() {
        PartFile.remove(file.path)
    }

    /// The message for a failure of the local disk.
    func failure(_ code: Int32) -> CommandError { Self.failure(code, target) }

    fileprivate static func failure(_ code: Int32, _ path: String) -> CommandError {
        .noExport(path: path, reason: "it cannot be written: \(String(cString: strerror(code)))")
    }
}
