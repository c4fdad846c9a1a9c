// What the integration tests of SwiftyDropbox take from Apple's systems and from their own projects
// for Xcode, with the emulator in place of Dropbox. Compiled with copies of their files by
// Scripts/run-swiftydropbox-tests; not part of this package.

import Foundation
import Glibc
import SwiftyDropbox

/// Their token is one of a real account; here it is the emulator's.
enum TestAuthTokenGenerator {
    static let testUid = "test"

    static func transportClient(
        with refreshToken: String, apiKey _: String, scopes _: [String]
    ) -> (any DropboxTransportClient)? {
        let server = ProcessInfo.processInfo.environment["EMULATOR"] ?? ""
        return DropboxTransportClientImpl(
            accessToken: refreshToken,
            baseHosts: BaseHosts(apiHost: server, contentHost: server, notifyHost: server))
    }
}

/// A storage without tokens.
final class SecureStorageAccessTestImpl: SecureStorageAccess {
    func checkAccessibilityMigrationOneTime() {}
    func setAccessTokenData(for _: String, data _: Data) -> Bool { true }
    func getAllUserIds() -> [String] { [] }
    func getDropboxAccessToken(for _: String) -> DropboxAccessToken? { nil }
    func deleteInfo(for _: String) -> Bool { true }
    func deleteInfoForAllKeys() -> Bool { true }
}

/// They end the process with 0 where a call fails: here that is a failure.
func exit(_: Int32) -> Never {
    fflush(nil)
    fatalError("their test gives up; the lines above say why")
}

func NSStringFromSelector(_ name: String) -> String { name }

func arc4random_uniform(_ bound: UInt32) -> UInt32 { .random(in: 0..<bound) }

let kSecRandomDefault = 0
let errSecSuccess: Int32 = 0

func SecRandomCopyBytes(_: Int, _ count: Int, _ bytes: UnsafeMutablePointer<Int8>) -> Int32 {
    for index in 0..<count { bytes[index] = .random(in: .min ... .max) }
    return errSecSuccess
}
