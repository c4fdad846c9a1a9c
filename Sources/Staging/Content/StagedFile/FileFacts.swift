// Size and time of a staging file, by which a row and its file are compared. Not responsible for
// the comparison (`StagingCheck.swift`).

import Core
import Glibc

/// The facts of a staging file on the disk.
struct FileFacts: Equatable {
    var size: Int64
    var modified: WallTime

    init(size: Int64, modified: WallTime) {
        self.size = size
        self.modified = modified
    }

    /// Nil if there is no such file.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(
            size: Int64(clamping: status.st_size), modified: WallTime(modificationTimeOf: status))
    }
}
