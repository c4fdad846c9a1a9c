// What the unit tests of SwiftyDropbox name and this library has by another name, or not at all.
// Compiled with copies of their files by Scripts/run-swiftydropbox-tests; not part of this package.

import Foundation
import XCTest

@testable import DropboxAPI
@testable import SwiftyDropbox

/// The escapes of an argument in a header, which their test asks for by a text that is no JSON.
enum Utilities {
    static func asciiEscape(_ text: String) -> String {
        DropboxAPI.JSON.headerValue(Array(text.utf8))
    }
}

/// An error of background sessions: their test compares how it is described with and without its
/// type.
struct ReconnectionError: Error {
    enum Kind { case badPersistedStringFormat }

    let reconnectionErrorKind: Kind
    let taskDescription: String?
}

extension JSONRepresentable {
    func json() throws -> SwiftyDropbox.JSON { stone }
}

/// Linux's XCTest has no limit of its own.
extension XCTestCase {
    func fulfillment(of expectations: [XCTestExpectation]) async {
        await fulfillment(of: expectations, timeout: 60)
    }
}

extension Optional {
    struct NoValue: Error {}

    func orThrow() throws -> Wrapped {
        guard let self else { throw NoValue() }
        return self
    }
}

/// Their manager for iOS as far as the tests use it: without Dropbox's app, it is the manager of
/// this library.
func DropboxMobileOAuthManager(
    appKey: String, host: String, secureStorageAccess: any SecureStorageAccess,
    networkSession _: MockNetworkSession, dismissSharedAppAuthController _: () -> Void
) -> DropboxOAuthManager {
    DropboxOAuthManager(appKey: appKey, host: host, secureStorageAccess: secureStorageAccess)
}

/// A connection that the tests which are run do not use.
final class MockNetworkSession {
    var mockInputs: [String: MockInput] = [:]
}

/// A login that the tests which are run do not start.
final class OAuthPKCESession {
    init(scopeRequest _: ScopeRequest?) {}

    // swift-format-ignore: NoLeadingUnderscores
    func __test_only_setState(value _: String) {}
}

extension DropboxOAuthManager {
    var authSession: OAuthPKCESession? {
        get { nil }
        set { _ = newValue }
    }
}
