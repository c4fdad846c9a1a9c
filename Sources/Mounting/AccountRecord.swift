// The account whose files a state folder has, as of its last mount. Not responsible for asking the
// server, nor for the reaction of a mount to another account.

import DropboxAPI
import PrivateFiles

/// The account of a state folder.
public struct AccountRecord: Codable, Hashable, Sendable {
    /// The server's account ID.
    public var accountID: String
    /// Display name of the person.
    public var name: String
    /// E-mail address of the person.
    public var email: String
    /// The namespace of the team's space, if there is one.
    public var team: String?

    /// Memberwise and without defaults.
    public init(accountID: String, name: String, email: String, team: String?) {
        self.accountID = accountID
        self.name = name
        self.email = email
        self.team = team
    }

    /// Name and address, for messages.
    public var person: String { "\(name) <\(email)>" }

    /// Reads a record; nil if the file does not exist, because no account was mounted yet.
    ///
    /// Throws for a file that is damaged, of another format, or not private: the owner of the files
    /// is unknown then, and must not be taken as none.
    public static func read(_ path: String) throws(CommandError) -> AccountRecord? {
        let text: String?
        do throws(PrivateFileError) {
            text = try PrivateFile.read(path, limit: 1 << 16)
        } catch {
            if case .unreadable(_, let reason) = error {
                throw .accountDamaged(file: path, reason: reason)
            }
            throw CommandError(error)
        }
        guard let text else { return nil }
        let record: AccountRecord
        do throws(SerializationError) {
            record = try JSON.decode(AccountRecord.self, from: Array(text.utf8))
        } catch {
            throw .accountDamaged(file: path, reason: error.message)
        }
        guard !record.accountID.isEmpty else {
            throw .accountDamaged(file: path, reason: "accountID is empty")
        }
        return record
    }

    /// Replaces the file, durably.
    public func write(to path: String) throws(CommandError) {
        let json: [UInt8]
        do throws(SerializationError) {
            json = try JSON.encode(self)
        } catch {
            throw .folderUnusable(path: path, reason: error.message)
        }
        try writePrivately(String(decoding: json, as: UTF8.self), to: path)
    }
}
