// The most used routes, with a function of a few lines for each:   routes
// Those that the emulator has run here, with checked results; nothing runs the others. The account
// needs a cloud document, `/Plan.gdoc`, and a shared folder that it has not mounted; the token is
// worth nothing afterwards. `Scripts/check-route-examples` says which routes there are to be.

import Account
import DropboxAPI

@main
struct RouteExamples {
    static func main() async throws {
        let ran = RanRoutes()
        let client = try accountFromEnvironment(observers: [ran]) {
            $0.app = AppCredentials(key: "key", secret: "secret")
        }
        try await AccountRun(client: client).run()
        try await FilesRun(files: FileExamples(client: client)).run()
        try await SharingRun(sharing: SharingExamples(client: client)).run()
        try await UploadRun(files: FileExamples(client: client)).run()
        try await BatchRun(files: FileExamples(client: client)).run()
        try await AuthExamples(client: client).tokenRevoke()
        await client.shutDown()
        let routes = ran.routes.sorted()
        for route in routes { print("ran \(route)") }
        print("\(routes.count) routes ran, \(compiledOnly.count) are compiled only")
    }
}
