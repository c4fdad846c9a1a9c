// The routes that are written by hand in DropboxAPI, against those that are generated: two readings of one
// specification.

import DropboxAPI
import Testing

/// What is known of a route without its types.
private struct RouteFacts: Sendable {
    let name: String
    let host: RouteHost
    let style: RouteStyle
    let authentication: RouteAuthentication
    let scope: String?
    let retryAfterSend: Bool

    init<Argument, Output, Failure>(_ route: Route<Argument, Output, Failure>) {
        name = route.name
        host = route.host
        style = route.style
        authentication = route.authentication
        scope = route.scope
        retryAfterSend = route.retryAfterSend
    }
}

struct HandwrittenRouteTests {
    private static let handwritten: [RouteFacts] = [
        RouteFacts(DropboxAPI.Users.getCurrentAccount),
        RouteFacts(DropboxAPI.Users.getSpaceUsage),
        RouteFacts(DropboxAPI.Check.user),
        RouteFacts(DropboxAPI.Auth.tokenRevoke),
        RouteFacts(DropboxAPI.Files.download),
        RouteFacts(DropboxAPI.Files.downloadZip),
        RouteFacts(DropboxAPI.Files.upload),
        RouteFacts(DropboxAPI.Files.uploadSessionStart),
        RouteFacts(DropboxAPI.Files.uploadSessionStartBatch),
        RouteFacts(DropboxAPI.Files.uploadSessionAppend),
        RouteFacts(DropboxAPI.Files.uploadSessionAppendBatch),
        RouteFacts(DropboxAPI.Files.uploadSessionFinish),
        RouteFacts(DropboxAPI.Files.uploadSessionFinishBatch),
        RouteFacts(DropboxAPI.Files.listFolder),
        RouteFacts(DropboxAPI.Files.listFolderContinue),
        RouteFacts(DropboxAPI.Files.listFolderGetLatestCursor),
        RouteFacts(DropboxAPI.Files.listFolderLongpoll),
        RouteFacts(DropboxAPI.Files.getMetadata),
        RouteFacts(DropboxAPI.Files.listRevisions),
        RouteFacts(DropboxAPI.Files.restore),
        RouteFacts(DropboxAPI.Files.getTemporaryLink),
        RouteFacts(DropboxAPI.Files.createFolder),
        RouteFacts(DropboxAPI.Files.createFolderBatch),
        RouteFacts(DropboxAPI.Files.createFolderBatchCheck),
        RouteFacts(DropboxAPI.Files.delete),
        RouteFacts(DropboxAPI.Files.deleteBatch),
        RouteFacts(DropboxAPI.Files.deleteBatchCheck),
        RouteFacts(DropboxAPI.Files.move),
        RouteFacts(DropboxAPI.Files.moveBatch),
        RouteFacts(DropboxAPI.Files.moveBatchCheck),
        RouteFacts(DropboxAPI.Files.copy),
        RouteFacts(DropboxAPI.Files.copyBatch),
        RouteFacts(DropboxAPI.Files.copyBatchCheck),
    ]

    @Test(
        "both say the same of where a route is and who may call it; the generated one is sent again less often"
    )
    func agreement() throws {
        let generated = Dictionary(uniqueKeysWithValues: allRoutes.map { ($0.name, $0) })
        for route in Self.handwritten {
            let other = try #require(generated[route.name], "\(route.name)")
            #expect(other.host == route.host, "\(route.name)")
            #expect(other.style == route.style, "\(route.name)")
            // What the app may call, too, is called as the user here.
            let who = other.authentication == .userOrApp ? .user : other.authentication
            #expect(who == route.authentication, "\(route.name)")
            #expect(other.scope == route.scope, "\(route.name)")
            #expect(route.retryAfterSend || !other.retryAfterSend, "\(route.name)")
        }
    }
}
