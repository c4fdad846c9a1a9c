// Secrets of other programs in the keyring of the user's session. The desktop may ask the user for
// its password.

import Blocking

/// A keyring in which other programs keep secrets, as Python's keyring names them.
protocol ForeignKeyring: Sendable {
    /// The secret that a program keeps for a user's name. Blocks.
    func secret(of program: String, _ user: String) throws(CommandError) -> String
}

/// The keyring of the user's session.
struct SessionKeyring: ForeignKeyring {
    let caller: Keyring.Caller

    func secret(of program: String, _ user: String) throws(CommandError) -> String {
        let caller = caller
        let answer = WorkerThread.waiting { () async -> Result<String, KeyringFault> in
            do throws(KeyringFault) {
                let attributes = ["service", program, "username", user]
                return .success(try await Keyring().foreignSecret(attributes, caller))
            } catch {
                return .failure(error)
            }
        }
        switch answer {
        case .success(let secret)?: return secret
        case .failure(.missing)?:
            throw .notTaken(program, "the keyring has no token for it, or was not unlocked")
        case .failure(let fault)?: throw .notTaken(program, fault.reason)
        case nil: throw .system("the keyring could not be asked")
        }
    }
}
