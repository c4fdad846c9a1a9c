// The mark beside a login's file that the keyring may have a secret which the file does not name:
// set before the keyring or the file is changed, and removed when the keyring has no other secret.
// Not responsible for asking the keyring (LoginFile).

import Glibc
import LocalFiles

/// The mark of a login's file. Without it, a killed login would leave a secret that nothing finds:
/// the keyring is not asked where the file names no entry, since most machines have none.
struct KeyringMark {
    private let path: String

    /// The mark of the file at a path.
    init(of file: String) {
        path = file + ".keyring"
    }

    var isSet: Bool { access(path, F_OK) == 0 }

    /// Sets the mark, durably.
    func set() throws(CommandError) {
        if !isSet { try writePrivately("", to: path) }
    }

    /// Removes it. If that fails, the keyring is asked once more than it has to be.
    func clear() {
        if isSet { try? PrivateFile.remove(path) }
    }
}
