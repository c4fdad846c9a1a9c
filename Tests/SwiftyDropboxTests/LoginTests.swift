// Logins and tokens: by a code, by an address, by the browser of this machine; renewed, kept and
// removed.

import Dispatch
import DropboxEmulator
import Foundation
import SwiftyDropbox
import Synchronization
import TestSupport
import Testing

struct LoginTests {
    private func manager(_ service: Service, _ storage: any SecureStorageAccess)
        -> DropboxOAuthManager
    {
        DropboxOAuthManager(
            appKey: "key", host: service.emulator.baseURL, secureStorageAccess: storage,
            baseHosts: service.hosts)
    }

    private func storage() throws -> (SecureStorageAccessDefaultImpl, TemporaryFolder) {
        let folder = try TemporaryFolder()
        return (SecureStorageAccessDefaultImpl(folder: folder.path + "/tokens"), folder)
    }

    private let scopes = ScopeRequest(
        scopeType: .user, scopes: ["account_info.read"], includeGrantedScopes: false)

    @Test("a code that the user copies becomes a token, which is kept and calls routes")
    func code() async throws {
        try await withService { service in
            let (storage, folder) = try storage()
            defer { withExtendedLifetime(folder) {} }
            let manager = manager(service, storage)
            let page = try #require(manager.authorizationURL(scopeRequest: scopes))
            guard case .code(let code) = try await visit(page) else {
                Issue.record("no code")
                return
            }
            let result = await withCheckedContinuation { continuation in
                manager.finishAuthorization(code: " \(code)\n") {
                    continuation.resume(returning: $0)
                }
            }
            guard case .success(let token) = result else {
                Issue.record("\(String(describing: result))")
                return
            }
            #expect(token.refreshToken != nil)
            #expect(manager.getFirstAccessToken() == token)
            let client = DropboxClient(
                transportClient: DropboxTransportClientImpl(
                    accessTokenProvider: manager.accessTokenProviderForToken(token),
                    baseHosts: service.hosts, userAgent: "test"))
            _ = try await client.users.getCurrentAccount().response()
            let other = await client.files.listFolder(path: "").responseResult().failure
            guard case .authError(.missingScope, _, _, _) = other else {
                Issue.record("\(String(describing: other))")
                return
            }
            #expect(manager.clearStoredAccessToken(token))
            #expect(!manager.hasStoredAccessTokens())
        }
    }

    @Test(
        "the address that the page leads back to becomes a token; a refusal is a cancel, another login's answer an error"
    )
    func redirect() async throws {
        try await withService { service in
            let (storage, folder) = try storage()
            defer { withExtendedLifetime(folder) {} }
            let manager = manager(service, storage)
            let window = Window()
            func answer(isAllowed: Bool = true, changed: (URL) -> URL = { $0 }) async throws
                -> DropboxOAuthResult?
            {
                manager.authorizeFromSharedApplication(window, usePKCE: true, scopeRequest: nil)
                let page = try #require(window.page)
                guard case .redirect(let url) = try await visit(page, isAllowed: isAllowed) else {
                    Issue.record("no redirect")
                    return nil
                }
                return await withCheckedContinuation { continuation in
                    let once = Mutex(false)
                    _ = manager.handleRedirectURL(changed(url)) { result in
                        guard
                            once.withLock({ done in
                                defer { done = true }
                                return !done
                            })
                        else { return }
                        continuation.resume(returning: result)
                    }
                }
            }
            guard case .success = try await answer() else {
                Issue.record("no token")
                return
            }
            #expect(try await answer(isAllowed: false) == .cancel)
            let forged = try await answer { url in
                URL(string: url.absoluteString.replacingOccurrences(of: "state=", with: "state=x"))
                    ?? url
            }
            guard case .error(.inconsistentState, _) = forged else {
                Issue.record("\(String(describing: forged))")
                return
            }
            let foreign = try #require(URL(string: "https://example.com/?code=1"))
            let isTaken = manager.handleRedirectURL(foreign) { result in #expect(result == nil) }
            #expect(!isTaken)
        }
    }

    @Test(
        "the browser of this machine comes back with the token; a stranger on the port does not end the wait"
    )
    func loopback() async throws {
        try await withService { service in
            let (storage, folder) = try storage()
            defer { withExtendedLifetime(folder) {} }
            let manager = manager(service, storage)
            let (stream, told) = AsyncStream.makeStream(of: DropboxOAuthResult?.self)
            let (pages, page) = AsyncStream.makeStream(of: URL.self)
            manager.authorizeWithLoopback(
                ports: [0], openURL: { page.yield($0) }, scopeRequest: scopes
            ) {
                told.yield($0)
            }
            var opened = pages.makeAsyncIterator()
            let address = try #require(await opened.next())
            guard case .redirect(let back) = try await visit(address) else {
                Issue.record("no redirect")
                return
            }
            let port = try #require(back.port)
            let stranger = try #require(URL(string: "http://localhost:\(port)/?code=1&state=2"))
            #expect(try await follow(stranger) == 404)
            #expect(try await follow(back) == 200)
            var results = stream.makeAsyncIterator()
            guard case .success?? = await results.next() else {
                Issue.record("no token")
                return
            }
        }
    }

    @Test("a token that expires is renewed once for all requests, and kept")
    func renewal() async throws {
        try await withService { service in
            let (storage, folder) = try storage()
            defer { withExtendedLifetime(folder) {} }
            let manager = manager(service, storage)
            let page = try #require(manager.authorizationURL(scopeRequest: nil))
            guard case .code(let code) = try await visit(page) else {
                Issue.record("no code")
                return
            }
            let result = await withCheckedContinuation { continuation in
                manager.finishAuthorization(code: code) { continuation.resume(returning: $0) }
            }
            guard case .success(let token) = result else {
                Issue.record("\(String(describing: result))")
                return
            }
            let old = DropboxAccessToken(
                accessToken: "expired", uid: token.uid, refreshToken: token.refreshToken,
                tokenExpirationTimestamp: Date().timeIntervalSince1970 + 60)
            let client = DropboxClient(
                transportClient: DropboxTransportClientImpl(
                    accessTokenProvider: manager.accessTokenProviderForToken(old),
                    baseHosts: service.hosts, userAgent: nil))
            service.emulator.resetStatistics()
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        (try? await client.users.getCurrentAccount().response()) != nil
                    }
                }
                for await isDone in group { #expect(isDone) }
            }
            #expect(service.requests("oauth2/token") == 1)
            let kept = try #require(manager.getAccessToken(token.uid))
            #expect(kept.accessToken != "expired")
            #expect(kept.refreshToken == token.refreshToken)
        }
    }

    @Test("a login that was taken away is oauthError of the requests")
    func revoked() async throws {
        try await withService { service in
            let (storage, folder) = try storage()
            defer { withExtendedLifetime(folder) {} }
            let token = DropboxAccessToken(
                accessToken: "expired", uid: "1", refreshToken: "gone", tokenExpirationTimestamp: 1)
            let client = DropboxClient(
                transportClient: DropboxTransportClientImpl(
                    accessTokenProvider: manager(service, storage).accessTokenProviderForToken(
                        token),
                    baseHosts: service.hosts, userAgent: nil))
            let failure = await client.users.getCurrentAccount().responseResult().failure
            guard case .clientError(.oauthError(OAuth2Error.invalidGrant)) = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
        }
    }

    @Test(
        "tokens are files of their owner, under any name of an account; one that others can read is not used"
    )
    func files() throws {
        let (storage, folder) = try storage()
        let name = "dbid:../ä/1"
        let token = DropboxAccessToken(accessToken: "secret", uid: name)
        #expect(storage.setAccessTokenData(for: name, data: try JSONEncoder().encode(token)))
        #expect(storage.getAllUserIds() == [name])
        #expect(storage.getDropboxAccessToken(for: name) == token)
        let place = folder.path + "/tokens"
        let file = try #require(try FileManager.default.contentsOfDirectory(atPath: place).first)
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try mode(place) == 0o700)
        #expect(try mode("\(place)/\(file)") == 0o600)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(place)/\(file)")
        #expect(storage.getDropboxAccessToken(for: name) == nil)
        #expect(storage.deleteInfoForAllKeys())
        #expect(storage.getAllUserIds().isEmpty)
    }
}

/// A window that remembers the page that it was to show.
private final class Window: SharedApplication {
    private let state = Mutex<URL?>(nil)

    var page: URL? { state.withLock { $0 } }

    func presentErrorMessage(_ message: String, title: String) {}
    func presentErrorMessageWithHandlers(
        _ message: String, title: String, buttonHandlers: [String: () -> Void]
    ) {}
    func presentPlatformSpecificAuth(_ authURL: URL) -> Bool { false }
    func presentAuthChannel(
        _ authURL: URL, tryIntercept: @escaping (URL) -> Bool, cancelHandler: @escaping () -> Void
    ) {
        state.withLock { $0 = authURL }
    }
    func presentExternalApp(_ url: URL) {}
    func canPresentExternalApp(_ url: URL) -> Bool { false }
    func presentLoading() {}
    func dismissLoading() {}
}
