// Modes, times, attributes, targets of links and own names, for which Dropbox has no place, as
// mounts share them. Not responsible for their text on the server (`PosixFacts+Text.swift`), nor
// for which are shared.

package import ContentHashing

/// Facts of a node that mounts share through a property of the file.
///
/// Only what differs from the defaults is in it, so an ordinary file has none.
package struct PosixFacts: Hashable, Sendable {
    /// Permission bits (0777); nil for the default of the mount that shows them.
    package var permissions: UInt16?
    /// The exact modification time.
    package var modified: ExactTime?
    /// Extended attributes by their names, without `user.`.
    package var attributes: [String: [UInt8]]
    /// The target, if the file is a symbolic link as long as its content is that link's.
    package var link: LinkTarget?
    /// The name that users gave, as long as the file's name on Dropbox is an alias of it, or
    /// another composition.
    package var ownName: OwnName?
    /// Facts of later versions of dbxfs, as they are; kept when this version changes others.
    package var others: [String]

    /// The permission bits that are shared. Set-user-ID, set-group-ID and sticky bits stay on the
    /// machine: an account must not decide who a program runs as elsewhere.
    package static let sharedPermissions: UInt16 = 0o777

    /// A modification time, and the time that the server has for the revision to which it belongs.
    ///
    /// Clients that know nothing of it store later revisions, whose times are then others.
    package struct ExactTime: Hashable, Sendable {
        /// The time to show.
        package var time: WallTime
        /// The revision's time on the server, in whole seconds.
        package var stored: Int64

        package init(_ time: WallTime, stored: Int64) {
            self.time = time
            self.stored = stored
        }
    }

    /// Memberwise; by default nothing differs.
    package init(
        permissions: UInt16? = nil, modified: ExactTime? = nil,
        attributes: [String: [UInt8]] = [:], link: LinkTarget? = nil,
        ownName: OwnName? = nil, others: [String] = []
    ) {
        self.permissions = permissions
        self.modified = modified
        self.attributes = attributes
        self.link = link
        self.ownName = ownName
        self.others = others
    }

    /// Whether nothing differs from the defaults.
    package var isEmpty: Bool { self == PosixFacts() }

    /// The target of a file with this content; nil if it is no link, or if others have changed it.
    package func link(ofContent hash: ContentHash?) -> LinkTarget? {
        guard let link, link.contentHash == hash else { return nil }
        return link
    }

    /// The name that users gave a file with this name on Dropbox; nil if it has none, or if others
    /// have renamed the file.
    package func ownName(of name: FileName) -> OwnName? {
        guard let ownName,
            name.composed(as: ownName) != nil
                || Alias(of: ownName.bytes).stands(for: name.string)
        else { return nil }
        return ownName
    }

    /// The exact time of a revision that has this time on the server; nil if it is another's.
    package func exactTime(stored: WallTime?) -> WallTime? {
        guard let modified, modified.stored == stored?.seconds else { return nil }
        return modified.time
    }
}
