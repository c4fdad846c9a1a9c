// The errno table: what each error is to a process, and that the documentation says the same.

import Foundation
import RemoteStore
import SystemPackage
import Sync
import Testing

@testable import FileSystem

struct ErrnoTests {
    static let table: [(FileSystemError, String, Errno)] = [
        (.noEntry, "ENOENT", .noSuchFileOrDirectory),
        (.notADirectory, "ENOTDIR", .notDirectory),
        (.isADirectory, "EISDIR", .isDirectory),
        (.exists, "EEXIST", .fileExists),
        (.notEmpty, "ENOTEMPTY", .directoryNotEmpty),
        (.nameTooLong, "ENAMETOOLONG", .fileNameTooLong),
        (.invalidEncoding, "EILSEQ", .illegalByteSequence),
        (.invalidArgument, "EINVAL", .invalidArgument),
        (.readOnly, "EROFS", .readOnlyFileSystem),
        (.accessDenied, "EACCES", .permissionDenied),
        (.notPermitted, "EPERM", .notPermitted),
        (.staleHandle, "ESTALE", .staleNFSFileHandle),
        (.badHandle, "EBADF", .badFileDescriptor),
        (.tooManyOpenFiles, "ENFILE", .tooManyOpenFilesInSystem),
        (.noSpace, "ENOSPC", .noSpace),
        (.quotaExceeded, "EDQUOT", .diskQuotaExceeded),
        (.tooLarge, "EFBIG", .fileTooLarge),
        (.busy, "EBUSY", .resourceBusy),
        (.crossDevice, "EXDEV", .improperLink),
        (.noAttribute, "ENODATA", .noData),
        (.bufferTooSmall, "ERANGE", .outOfRange),
        (.noSuchOffset, "ENXIO", .noSuchAddressOrDevice),
        (.tooManyLinks, "ELOOP", .tooManySymbolicLinkLevels),
        (.offline, "ENETDOWN", .networkDown),
        (.interrupted, "EINTR", .interrupted),
        (.unsupported, "EOPNOTSUPP", .notSupported),
        (.notImplemented, "ENOSYS", .noFunction),
        (.inputOutput("text"), "EIO", .ioError),
    ]

    @Test("every error has its number", arguments: table.map { ($0.0, $0.2) })
    func number(_ error: FileSystemError, _ expected: Errno) {
        #expect(Errno(error).rawValue == expected.rawValue)
    }

    @Test("the table in the documentation is this one")
    func documentation() throws {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        // The tests lie two folders below the package, wherever that is built.
        folder.append(path: "../../docs/semantics.md")
        guard let document = try? String(contentsOf: folder.standardizedFileURL, encoding: .utf8)
        else { return }
        for (error, name, _) in Self.table {
            let label = "\(error)".prefix { $0 != "(" }
            #expect(document.contains("| \(label) | \(name) |"))
        }
    }

    @Test(
        "a refusal of the server becomes an error of POSIX",
        arguments: [
            (RemoteError.offline(""), FileSystemError.offline),
            (.rateLimited(retryAfter: 5), .offline), (.forbidden(""), .accessDenied),
            (.notFound, .staleHandle), (.conflict(.file), .exists),
            (.insufficientSpace, .quotaExceeded), (.tooLarge, .tooLarge),
            (.disallowedName, .invalidArgument), (.busy, .busy), (.protected(""), .notPermitted),
            (.notDownloadable, .unsupported), (.cancelled, .interrupted),
            (.contentUnreadable("it"), .inputOutput("the content cannot be read: it")),
        ])
    func remote(_ error: RemoteError, _ expected: FileSystemError) {
        #expect(FileSystemError(error) == expected)
        #expect(FileSystemError(SyncError.remote(error)) == expected)
    }

    @Test("a full disk is one, also if the rest of it is kept for the queue; nothing else is")
    func local() {
        #expect(FileSystemError(SyncError.local(.diskFull)) == .noSpace)
        #expect(FileSystemError(SyncError.local(.reserveReached)) == .noSpace)
        let others: [LocalFailure] = [
            .stagedContentCut, .stagedContentDoubtful, .staging("it"),
            .database("it"),
        ]
        for failure in others {
            #expect(FileSystemError(SyncError.local(failure)) == .inputOutput(failure.problem))
        }
        #expect(
            FileSystemError(SyncError.baseLost) == .inputOutput(SyncError.baseLostProblem))
        #expect(FileSystemError(SyncError.delayed("it")) == .inputOutput("it"))
    }
}
