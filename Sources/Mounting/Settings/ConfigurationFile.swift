// Reads the configuration file after a check of its owner and mode. `Configuration` parses it,
// `Environment` finds it.

import Glibc
import LocalIO
import SystemPackage

/// The configuration file, which decides the server that gets the login.
enum ConfigurationFile {
    /// Maximum size in bytes: a hundred times a realistic file.
    private static let limit = 1 << 20

    /// Its text; nil if there is no file at this path. The checked file is the one that is read.
    static func read(_ path: String) throws(CommandError) -> String? {
        do {
            // Nonblocking, because opening a FIFO would wait. Links are followed, because users
            // link to their dotfiles.
            let file = try FileDescriptor.open(
                path, .readOnly, options: [.closeOnExec, .nonBlocking])
            defer { try? file.close() }
            var status = stat()
            guard fstat(file.rawValue, &status) == 0 else { throw currentErrno }
            guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal("is not a file") }
            guard isTrusted(status) else {
                throw Refusal("belongs to another user or others can write to it, and is not used")
            }
            guard status.st_size <= limit else { throw Refusal("is larger than 1 MiB") }
            return try text(file)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            let detail = (error as? Refusal)?.text ?? reason(error)
            throw .badConfiguration(file: path, place: "file", detail: detail)
        }
    }

    private struct Refusal: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    private static func text(_ file: FileDescriptor) throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= limit {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether only this user and root can have written it.
    private static func isTrusted(_ status: stat) -> Bool {
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o002 == 0 else {
            return false
        }
        return status.st_mode & 0o020 == 0 || isPrivateGroup(status.st_gid, of: status.st_uid)
    }

    private static func isPrivateGroup(_ group: gid_t, of user: uid_t) -> Bool {
        guard let person = getpwuid(user), let personName = person.pointee.pw_name,
            let entry = getgrgid(group), let groupName = entry.pointee.gr_name
        else { return false }
        var members: [String] = []
        if var member = entry.pointee.gr_mem {
            while let name = member.pointee {
                members.append(String(cString: name))
                member = member.advanced(by: 1)
            }
        }
        let found = UserGroup(number: group, name: String(cString: groupName), members: members)
        return found.isPrivate(
            to: String(cString: personName), withPrimaryGroup: person.pointee.pw_gid)
    }
}

/// A group of users, as getgrgid(3) returns it.
struct UserGroup {
    let number: gid_t
    let name: String
    let members: [String]

    /// Whether it is a user's private group, as most distributions create for a umask of 002: it
    /// has the user's name, is the user's primary group, and has no other members.
    func isPrivate(to user: String, withPrimaryGroup primary: gid_t) -> Bool {
        number == primary && name == user && members.allSatisfy { $0 == user }
    }
}
