// Where downloads are while they come in, and how they get to their place.

import CLibrary
public import Foundation

/// A failure with the file of a download.
public enum FilesAccessError: Error {
    /// The file of the transfer cannot be moved aside.
    case errorMovingToTempLocation(any Error)
    /// The file cannot be moved to its place.
    case errorMovingFromTempLocation(any Error)
    /// A file is in its place, and must not be replaced; with its path.
    case errorMovingFromTempLocationDestinationCollision(String)
    /// The text of an error cannot be read.
    case couldNotReadErrorDataAtUrl(any Error)
}

/// Moves the files of downloads.
public protocol FilesAccess: Sendable {
    /// Moves a file that the transfer would remove, and returns its new place.
    func moveFileToTemporaryLocation(from networkSessionTemporaryLocation: URL) throws -> URL
    /// Moves a file to the place that the app named.
    func moveFile(from temporaryLocation: URL, to finalUrl: URL, overwrite: Bool) throws -> URL
    /// Reads a file with an error, and removes it.
    func errorData(from location: URL) throws -> Data
}

/// Moves files of downloads so that there is never half of one in its place.
public final class FilesAccessImpl: FilesAccess {
    private let folder = FileManager.default.temporaryDirectory

    /// Uses the system's folder for temporary files.
    public init() {}

    /// Moves a file to a name of its own among the temporary files.
    public func moveFileToTemporaryLocation(from networkSessionTemporaryLocation: URL) throws -> URL
    {
        let place = folder.appendingPathComponent(UUID().uuidString)
        do {
            try FileManager.default.moveItem(at: networkSessionTemporaryLocation, to: place)
            return place
        } catch {
            throw FilesAccessError.errorMovingToTempLocation(error)
        }
    }

    /// Moves a file to its place in one step, and replaces another one only if asked.
    ///
    /// It goes to a hidden name beside its place first: that may be on another disk.
    public func moveFile(from temporaryLocation: URL, to finalUrl: URL, overwrite: Bool) throws
        -> URL
    {
        let beside = finalUrl.deletingLastPathComponent()
            .appendingPathComponent(".\(UUID().uuidString).part")
        do {
            try FileManager.default.moveItem(at: temporaryLocation, to: beside)
        } catch {
            throw FilesAccessError.errorMovingFromTempLocation(error)
        }
        let status =
            overwrite ? rename(beside.path, finalUrl.path) : link(beside.path, finalUrl.path)
        let failure = errno
        if status != 0 || !overwrite { unlink(beside.path) }
        if status == 0 { return finalUrl }
        guard failure == EEXIST, !overwrite else {
            throw FilesAccessError.errorMovingFromTempLocation(SystemError(failure))
        }
        throw FilesAccessError.errorMovingFromTempLocationDestinationCollision(finalUrl.path)
    }

    /// Reads a file with an error, and removes it.
    public func errorData(from location: URL) throws -> Data {
        do {
            let data = try Data(contentsOf: location)
            try FileManager.default.removeItem(at: location)
            return data
        } catch {
            throw FilesAccessError.couldNotReadErrorDataAtUrl(error)
        }
    }
}

/// A refusal of the system.
struct SystemError: Error, CustomStringConvertible {
    let description: String

    init(_ number: Int32) {
        description = String(cString: strerror(number))
    }
}
