// Names from the kernel, with the errors that their system calls have for invalid ones.

import Core

extension FileName {
    /// The name of a node to be created.
    ///
    /// Throws the error that `open(2)` has for an invalid name.
    init(creating bytes: [UInt8]) throws(FileSystemError) {
        do {
            try self.init(shown: bytes)
        } catch {
            switch error {
            case .tooLong: throw .nameTooLong
            case .notUTF8: throw .invalidEncoding
            case .reserved, .forbiddenCharacter: throw .invalidArgument
            }
        }
    }

    /// The name of a lookup. An invalid name does not exist.
    init(finding bytes: [UInt8]) throws(FileSystemError) {
        do {
            try self.init(shown: bytes)
        } catch {
            switch error {
            case .tooLong: throw .nameTooLong
            case .notUTF8, .reserved, .forbiddenCharacter: throw .noEntry
            }
        }
    }
}
