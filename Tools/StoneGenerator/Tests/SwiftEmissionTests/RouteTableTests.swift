// The table of all routes for callers that have names in place of types.

import Stone
import Testing

@testable import SwiftEmission

struct RouteTableTests {
    @Test("the table has each route of each namespace as the route itself says it")
    func table() throws {
        let files = [
            """
            namespace check
            route app (Void, Void, Void)
                attrs
                    auth = "app"
            """,
            """
            namespace files
            route upload:2 (Void, Void, Void)
                attrs
                    host = "content"
                    style = "upload"
                    scope = "files.content.write"
            """,
        ]
        let specification = try Specification(
            files: files.enumerated().map { (name: "\($0.offset).stone", text: $0.element) })
        let emitter = Emitter(specification)
        let table = emitter.routeTable()
        #expect(table.module == "DropboxC")
        for entry in [
            #".init("check/app", authentication: .app, isSafeToRepeat: false),"#,
            #".init("files/upload_v2", host: .content, style: .upload, "#
                + #"scope: "files.content.write", isSafeToRepeat: false),"#,
        ] {
            #expect(table.text.contains(entry))
            let routes = try emitter.files().map(\.text).joined()
            #expect(routes.contains(entry.dropLast()))
        }
    }
}
