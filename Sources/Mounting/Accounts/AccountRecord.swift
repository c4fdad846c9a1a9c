// The account whose files a state folder has, as of its last mount. Not responsible for asking the
// server, nor for the reaction of a mount to another account.

import DropboxAPI
import LocalFiles

/// The account of a state folder.
package struct AccountRecord: Codable, Hashable, Sendable {
    /// The server's account ID.
    package var accountID: String
    /// Display name of the person.
    package var name: String
    /// E-mail address of the person.
    package var email: String
    /// The namespace of the team's space, if there is one.
    package var team: String?

    /// Memberwise and without defaults.
    package init(accountID: String, name: String, email: String, team: String?) {
        self.accountID = accountID
        self.name = name
        self.email = email
        self.team = team
    }

    /// The record of an account of which the ID is known, and perhaps the name.
    private init(accountID: String, name: String?) {
        self.init(accountID: accountID, name: name ?? "", email: "", team: nil)
    }

    /// Name and address, for messages; the ID if they are not known.
    package var person: String {
        if name.isEmpty && email.isEmpty { return "the account \(accountID)" }
        return email.isEmpty ? name : "\(name) <\(email)>"
    }

    /// Reads the record of a state folder whose database keeps the rows of the account `stored`,
    /// which is a `person`'s.
    ///
    /// The rows decide: a file that was removed, damaged or exchanged since gives them to no other
    /// account. Throws like `read(_:)` if the database does not know its account.
    package static func read(
        _ path: String, stored: String?, person: String? = nil
    ) throws(CommandError) -> AccountRecord? {
        guard let stored else { return try read(path) }
        if let record = (try? read(path)) ?? nil, record.accountID == stored { return record }
        return AccountRecord(accountID: stored, name: person)
    }

    /// Reads a record; nil if the file does not exist, because no account was mounted yet.
    ///
    /// Throws for a file that is damaged, of another format, or not private: the owner of the files
    /// is unknown then, and must not be taken as none.
    package static func read(_ path: String) throws(CommandError) -> AccountRecord? {
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
    package func write(to path: String) throws(CommandError) {
        let json: [UInt8]
        do throws(SerializationError) {
            json = try JSON.encode(self)
        } catch {
            throw .folderUnusable(path: path, reason: error.message)
        }
        try writePrivately(String(decoding: json, as: UTF8.self), to: path)
    }
}
