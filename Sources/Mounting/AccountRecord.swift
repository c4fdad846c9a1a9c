// Whose account a state folder keeps the files of, as the last mount was told. Not responsible for asking, nor for
// what a mount does where it is another account.

import DropboxAPI
import PrivateFiles

/// The account of a state folder.
public struct AccountRecord: Codable, Hashable, Sendable {
    /// The server's id of it.
    public var accountID: String
    /// The person's name.
    public var name: String
    /// The person's address.
    public var email: String
    /// The team's space, if there is one.
    public var team: String?

    /// Names every field.
    public init(accountID: String, name: String, email: String, team: String?) {
        self.accountID = accountID
        self.name = name
        self.email = email
        self.team = team
    }

    /// Name and address, for messages.
    public var person: String { "\(name) <\(email)>" }

    /// The record in a file; nil if there is none, because nobody's account was mounted yet.
    ///
    /// Throws for a file that is damaged, of another shape, or not private: whose files these are is not known then,
    /// and nobody's is not the answer.
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
