// Where tokens are kept: a protocol of the app's, and files that no other user can read.

public import Foundation
import LocalFiles

/// Keeps tokens by accounts.
public protocol SecureStorageAccess: Sendable {
    /// Is called when an app is set up.
    func checkAccessibilityMigrationOneTime()
    /// Keeps a token, as JSON; false where that is not possible.
    func setAccessTokenData(for userId: String, data: Data) -> Bool
    /// The accounts that there are tokens of.
    func getAllUserIds() -> [String]
    /// The token of an account.
    func getDropboxAccessToken(for key: String) -> DropboxAccessToken?
    /// Removes the token of an account.
    func deleteInfo(for key: String) -> Bool
    /// Removes the tokens of all accounts.
    func deleteInfoForAllKeys() -> Bool
}

/// Keeps each token in a file of mode 0600, in a folder of mode 0700; a file that others can read
/// is not used.
public final class SecureStorageAccessDefaultImpl: SecureStorageAccess {
    private static let suffix = ".json"
    /// Bytes of a token's file, at most.
    private static let longest = 64 << 10

    /// The folder of the files.
    public let folder: String

    /// Keeps tokens below `$XDG_STATE_HOME`, or `~/.local/state`, in a folder with the name of the
    /// program.
    public convenience init() {
        let variables = ProcessInfo.processInfo.environment
        let home = variables["HOME"] ?? NSHomeDirectory()
        let state =
            variables["XDG_STATE_HOME"].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
            ?? "\(home)/.local/state"
        self.init(folder: "\(state)/SwiftyDropbox/\(ProcessInfo.processInfo.processName)")
    }

    /// Keeps tokens in a folder of the app's, by its absolute path.
    public init(folder: String) {
        self.folder = folder
    }

    /// Nothing: files need no migration.
    public func checkAccessibilityMigrationOneTime() {}

    /// Replaces the token of an account.
    public func setAccessTokenData(for userId: String, data: Data) -> Bool {
        do {
            try PrivateFolder.make(folder, ifOpen: .refused)
            try PrivateFile.replace(path(of: userId), with: String(decoding: data, as: UTF8.self))
            return true
        } catch {
            LogHelper.log(.error, "the token cannot be kept: \(error)")
            return false
        }
    }

    /// The accounts that have a file here, sorted.
    public func getAllUserIds() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { name in
            name.hasSuffix(Self.suffix)
                ? String(name.dropLast(Self.suffix.count)).removingPercentEncoding : nil
        }.sorted()
    }

    /// The token of an account; nil where there is none, or where others could have read it.
    public func getDropboxAccessToken(for key: String) -> DropboxAccessToken? {
        do {
            guard let text = try PrivateFile.read(path(of: key), limit: Self.longest) else {
                return nil
            }
            return try JSONDecoder().decode(DropboxAccessToken.self, from: Data(text.utf8))
        } catch {
            LogHelper.log(.error, "the token cannot be read: \(error)")
            return nil
        }
    }

    /// Removes the token of an account.
    public func deleteInfo(for key: String) -> Bool {
        do {
            try PrivateFile.remove(path(of: key))
            return true
        } catch {
            return false
        }
    }

    /// Removes the tokens of all accounts.
    public func deleteInfoForAllKeys() -> Bool {
        getAllUserIds().map { deleteInfo(for: $0) }.allSatisfy { $0 }
    }

    /// An account may have any name; a file may not.
    private func path(of key: String) -> String {
        let name = key.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return "\(folder)/\(name)\(Self.suffix)"
    }
}
