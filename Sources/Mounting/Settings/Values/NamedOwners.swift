// Users and groups by their names, as the system's databases have them (/etc/passwd, LDAP …). Not
// responsible for numbers.

import Glibc
import Saturating

/// The numbers of the users and groups of this machine.
enum NamedOwners {
    /// Bytes of the largest entry that is read: a group of a directory service may have thousands
    /// of members.
    private static let largestEntry = 16 << 20

    /// The number of a user; nil if there is none of that name.
    static func user(_ name: String) -> UInt32? {
        number(of: name) { name, buffer, size in
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            let code = getpwnam_r(name, &entry, buffer, size, &found)
            return (code, found == nil ? nil : entry.pw_uid)
        }
    }

    /// The number of a group; nil if there is none of that name.
    static func group(_ name: String) -> UInt32? {
        number(of: name) { name, buffer, size in
            var entry = Glibc.group()
            var found: UnsafeMutablePointer<Glibc.group>?
            let code = getgrnam_r(name, &entry, buffer, size, &found)
            return (code, found == nil ? nil : entry.gr_gid)
        }
    }

    /// Asks again with more memory for the strings of the entry, until they fit.
    private static func number(
        of name: String,
        _ ask: (String, UnsafeMutablePointer<CChar>, Int) -> (code: Int32, number: UInt32?)
    ) -> UInt32? {
        guard !name.isEmpty, !name.utf8.contains(0) else { return nil }
        var size = 1024
        while size <= largestEntry {
            let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { buffer.deallocate() }
            let (code, number) = ask(name, buffer, size)
            // The largest number means none in the kernel.
            guard code == ERANGE else { return number == .max ? nil : number }
            size = size *| 4
        }
        return nil
    }
}
