// Where the access token comes from: the environment, else a file that only its owner can read.

import Glibc
import SystemPackage

/// Finds the token that a mount uses.
public enum Credentials {
    /// The token of the environment or of the account's file.
    ///
    /// A file that others may read is refused: whoever has read it has the whole account.
    public static func token(
        environment: Environment, account: String, file: String
    ) throws(CommandError) -> String {
        if let token = environment.accessToken {
            return try checked(token, from: "DBXFS_ACCESS_TOKEN")
        }
        let text: String
        do {
            let descriptor = try FileDescriptor.open(
                file, .readOnly, options: [.noFollow, .closeOnExec])
            defer { try? descriptor.close() }
            var status = stat()
            guard fstat(descriptor.rawValue, &status) == 0 else { throw currentErrno }
            guard status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
                throw CommandError.credentialsTooOpen(file: file)
            }
            var buffer = [UInt8](repeating: 0, count: 16384)
            let count = try buffer.withUnsafeMutableBytes { try descriptor.read(into: $0) }
            text = String(decoding: buffer[..<count], as: UTF8.self)
        } catch Errno.noSuchFileOrDirectory {
            throw .noToken(account: account, file: file)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .credentialsUnreadable(file: file, reason: reason(error))
        }
        return try checked(text, from: file)
    }

    /// Only what may stand in an HTTP header: a line break would let a token add headers.
    private static func checked(_ text: String, from place: String) throws(CommandError) -> String {
        var token = Substring(text)
        while token.last?.isWhitespace == true { token.removeLast() }
        while token.first?.isWhitespace == true { token.removeFirst() }
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .credentialsUnreadable(
                file: place, reason: token.isEmpty ? "empty" : "not a token")
        }
        return String(token)
    }
}
