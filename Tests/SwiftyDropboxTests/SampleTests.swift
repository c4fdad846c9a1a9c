// The samples of SwiftyDropbox's guide, as programs have them: each is compiled as it stands there,
// but for what only Apple's systems have, and run against the emulator. Names of paths and accounts
// are the tests'.

import Dispatch
import DropboxEmulator
import Foundation
import SwiftyDropbox
import Testing

/// One after the other: the manager of clients is the process's.
@Suite(.serialized) struct SampleTests {
    /// Waits until a sample has called.
    private func waiting(_ sample: (@escaping @Sendable (String) -> Void) -> Void) async -> String {
        let (stream, told) = AsyncStream.makeStream(of: String.self)
        sample { told.yield($0) }
        var iterator = stream.makeAsyncIterator()
        return await iterator.next() ?? ""
    }

    @available(*, deprecated, message: "calls routes that are")
    @Test("Handle the API response, RPC-style request, Swift Concurrency")
    func rpc() async throws {
        try await withService { service in
            let client = service.client
            let said = await waiting { print in
                client.files.createFolder(path: "/test").response { response, error in
                    if let response = response {
                        print("\(response)")
                    } else if let error = error {
                        print("\(error)")
                    }
                }
            }
            // The emulator has the second version of the route only, and says so.
            #expect(
                said.contains("Bad Input") || said.contains("\"name\":\"test\"")
                    || said.contains("HTTP Error"))
            let response = try await client.files.createFolderV2(
                path: "/test/path/in/Dropbox/account"
            ).response()
            #expect(response.metadata.name == "account")
        }
    }

    @Test("Upload-style request")
    func upload() async throws {
        try await withService { service in
            let client = service.client
            let someConditionIsSatisfied = false
            let fileData = "testing data example".data(
                using: String.Encoding.utf8, allowLossyConversion: false)
            let said = await waiting { print in
                let request = client.files.upload(
                    path: "/test/path/in/Dropbox/account", input: fileData ?? Data()
                )
                .response { response, error in
                    if let response = response {
                        print("\(response)")
                    } else if let error = error {
                        print("\(error)")
                    }
                }
                .progress { progressData in
                    _ = "\(progressData)"
                }

                // in case you want to cancel the request
                if someConditionIsSatisfied {
                    request.cancel()
                }
            }
            #expect(said.contains("\"size\":20"))
        }
    }

    @Test("Download-style request")
    func download() async throws {
        try await withService { service in
            let client = service.client
            _ = try await client.files.upload(path: "/a", input: Data("content".utf8)).response()
            // Download to URL
            let destination = service.folder.appendingPathComponent("myTestFile")
            let toFile = await waiting { print in
                client.files.download(path: "/a", overwrite: true, destination: destination)
                    .response { response, error in
                        if let response = response {
                            print("\(response)")
                        } else if let error = error {
                            print("\(error)")
                        }
                    }
                    .progress { progressData in
                        _ = "\(progressData)"
                    }
            }
            #expect(toFile.contains("myTestFile"))

            // Download to Data
            let toData = await waiting { print in
                client.files.download(path: "/a")
                    .response { response, error in
                        if let response = response {
                            let responseMetadata = response.0
                            let fileContents = response.1
                            print("\(responseMetadata.name) \(fileContents.count)")
                        } else if let error = error {
                            print("\(error)")
                        }
                    }
                    .progress { progressData in
                        _ = "\(progressData)"
                    }
            }
            #expect(toData == "a 7")
        }
    }

    @Test("Route-specific errors, Generic network request errors")
    func errors() async throws {
        try await withService { service in
            let client = service.client
            let said = await waiting { print in
                client.files.deleteV2(path: "/test/path/in/Dropbox/account").response {
                    response, error in
                    if let response = response {
                        print("\(response)")
                    } else if let error = error {
                        switch error as CallError {
                        case .routeError(
                            let boxed, let userMessage, let errorSummary, let requestId):
                            _ = (userMessage, errorSummary, requestId)
                            switch boxed.unboxed as Files.DeleteError {
                            case .pathLookup(let lookupError):
                                switch lookupError {
                                case .notFound:
                                    print("There is nothing at the given path.")
                                case .notFile:
                                    print(
                                        "We were expecting a file, but the given path refers to something that isn't a file."
                                    )
                                case .notFolder:
                                    print(
                                        "We were expecting a folder, but the given path refers to something that isn't a folder."
                                    )
                                case .restrictedContent:
                                    print(
                                        "The file cannot be transferred because the content is restricted..."
                                    )
                                case .malformedPath(let malformedPath):
                                    print("Malformed path: \(malformedPath ?? "")")
                                default:
                                    print("Unknown")
                                }
                            case .pathWrite(let writeError):
                                print("WriteError: \(writeError)")
                            case .tooManyWriteOperations:
                                print(
                                    "Another write operation occurring at the same time prevented this from succeeding."
                                )
                            case .tooManyFiles:
                                print("There are too many files to delete.")
                            case .other:
                                print("Unknown")
                            }
                        case .internalServerError(let code, let message, let requestId):
                            print(
                                "InternalServerError[\(requestId ?? "")]: \(code): \(message ?? "")"
                            )
                        case .badInputError(let message, let requestId):
                            print("BadInputError[\(requestId ?? "")]: \(message ?? "")")
                        case .authError(let authError, _, let errorSummary, let requestId):
                            print(
                                "AuthError[\(requestId ?? "")]: \(errorSummary ?? "") \(authError)")
                        case .accessError(let accessError, _, let errorSummary, let requestId):
                            print(
                                "AccessError[\(requestId ?? "")]: \(errorSummary ?? "") \(accessError)"
                            )
                        case .rateLimitError(let rateLimitError, _, let errorSummary, let requestId):
                            print(
                                "RateLimitError[\(requestId ?? "")]: \(errorSummary ?? "") \(rateLimitError)"
                            )
                        case .httpError(let code, let message, let requestId):
                            print("HTTPError[\(requestId ?? "")]: \(code ?? 0): \(message ?? "")")
                        case .clientError(let error):
                            print("ClientError: \(error)")
                        case .serializationError(let error), .reconnectionError(let error):
                            print("\(error)")
                        }
                    }
                }
            }
            #expect(said == "There is nothing at the given path.")
        }
    }

    @Test("Response handling edge cases")
    func subtypes() async throws {
        try await withService { service in
            let client = service.client
            _ = try await client.files.upload(path: "/a", input: Data()).response()
            let said = await waiting { print in
                client.files.deleteV2(path: "/a").response { response, _ in
                    switch response?.metadata {
                    case let fileMetadata as Files.FileMetadata:
                        print("File metadata: \(fileMetadata)")
                    case let folderMetadata as Files.FolderMetadata:
                        print("Folder metadata: \(folderMetadata)")
                    case let deletedMetadata as Files.DeletedMetadata:
                        print("Deleted entity's metadata: \(deletedMetadata)")
                    default:
                        print("none")
                    }
                }
            }
            #expect(said.hasPrefix("File metadata: {"))
        }
    }

    @Test("Configure network client, Dropbox client instance, Multiple Dropbox user case")
    func manager() async throws {
        try await withService { service in
            let mySessionConfiguration = NetworkSessionConfiguration.default
            let myLongpollSessionConfiguration = NetworkSessionConfiguration.defaultLongpoll
            let transportClient = DropboxTransportClientImpl(
                accessToken: "token",
                baseHosts: service.hosts,
                userAgent: "CustomUserAgent",
                selectUser: nil,
                sessionConfiguration: mySessionConfiguration,
                longpollSessionConfiguration: myLongpollSessionConfiguration,
                authChallengeHandler: nil)
            let storage = SecureStorageAccessDefaultImpl(folder: service.folder.path + "/tokens")

            DropboxClientsManager.setupWithAppKeyDesktop(
                "<APP_KEY>", transportClient: transportClient, secureStorageAccess: storage)

            // Reference after programmatic auth flow
            let client = try #require(DropboxClientsManager.authorizedClient)
            _ = try await client.users.getCurrentAccount().response()

            let token = DropboxAccessToken(accessToken: "token", uid: "second")
            DropboxOAuthManager.sharedOAuthManager?.storeAccessToken(token)
            DropboxClientsManager.setupWithAppKeyMultiUserDesktop(
                "<APP_KEY>", transportClient: nil, secureStorageAccess: storage, tokenUid: "second")
            #expect(
                DropboxClientsManager.authorizedClient?.accessTokenProvider.accessToken == "token")
            DropboxClientsManager.resetClients()
            #expect(DropboxClientsManager.authorizedClient == nil)
            DropboxClientsManager.reauthorizeClient("second")
            #expect(DropboxClientsManager.authorizedClient != nil)
            DropboxClientsManager.unlinkClients()
            #expect(DropboxClientsManager.authorizedClient == nil)
            #expect(storage.getAllUserIds().isEmpty)
        }
    }

    @Test("Begin the authorization flow, Handle redirect back into SDK")
    func login() async throws {
        try await withService { service in
            let storage = SecureStorageAccessDefaultImpl(folder: service.folder.path + "/tokens")
            DropboxClientsManager.setup(
                with: DropboxOAuthManager(
                    appKey: "key", host: service.emulator.baseURL, secureStorageAccess: storage,
                    baseHosts: service.hosts))
            // OAuth 2 code flow with PKCE that grants a short-lived token with scopes, and performs
            // refreshes of the token automatically.
            let scopeRequest = ScopeRequest(
                scopeType: .user, scopes: ["account_info.read"], includeGrantedScopes: false)
            let (pages, page) = AsyncStream.makeStream(of: URL.self)
            let (results, result) = AsyncStream.makeStream(of: String.self)
            let oauthCompletion: DropboxOAuthCompletion = {
                if let authResult = $0 {
                    switch authResult {
                    case .success:
                        result.yield("Success! User is logged into DropboxClientsManager.")
                    case .cancel:
                        result.yield("Authorization flow was manually canceled by user!")
                    case .error(_, let description):
                        result.yield("Error: \(String(describing: description))")
                    }
                }
            }
            DropboxClientsManager.authorizeFromControllerV2(
                loadingStatusDelegate: nil,
                openURL: { (url: URL) -> Void in page.yield(url) },
                scopeRequest: scopeRequest,
                completion: oauthCompletion)
            var opened = pages.makeAsyncIterator()
            let address = try #require(await opened.next())
            guard case .redirect(let back) = try await visit(address) else {
                Issue.record("no redirect")
                return
            }
            #expect(try await follow(back) == 200)
            var told = results.makeAsyncIterator()
            #expect(await told.next() == "Success! User is logged into DropboxClientsManager.")
            let client = try #require(DropboxClientsManager.authorizedClient)
            _ = try await client.users.getCurrentAccount().response()
            let foreign = try #require(URL(string: "https://example.com"))
            #expect(
                !DropboxClientsManager.handleRedirectURL(foreign, includeBackgroundClient: false) {
                    _ in
                })
            DropboxClientsManager.unlinkClients()
        }
    }

    @Test("Specify API call response queue")
    func queue() async throws {
        try await withService { service in
            let client = service.client
            let said = await waiting { print in
                client.files.listFolder(path: "").response(
                    queue: DispatchQueue(label: "MyCustomSerialQueue")
                ) { response, _ in
                    if let result = response {
                        print("\(Thread.isMainThread) \(result.entries.count)")
                    }
                }
            }
            #expect(said == "false 0")
        }
    }
}
