// Lists a folder and everything below it, page by page:   list /Photos

import Account
import DropboxAPI

@main
struct List {
    static func main() async throws {
        let client = try accountFromEnvironment()
        let path = try argument(1, "list PATH")
        do {
            var page = try await client.files.listFolder(
                path: path == "/" ? "" : path, recursive: true)
            while true {
                for entry in page.entries { show(entry) }
                guard page.hasMore else { break }
                page = try await client.files.listFolderContinue(cursor: page.cursor)
            }
        } catch let error as CallError<Files.ListFolderError> {
            // The route's own errors are an enum; everything else has a sentence.
            guard case .route(.path(.notFound), _) = error.kind else { throw error }
            print("there is no \(path)")
        }
        await client.shutDown()
    }

    private static func show(_ entry: Files.Metadata) {
        switch entry {
        case .file(let file): print(file.pathDisplay ?? file.name, file.size, file.serverModified)
        case .folder(let folder): print((folder.pathDisplay ?? folder.name) + "/")
        case .deleted, .unknown: break
        // A kind that a later version of the library knows.
        @unknown default: break
        }
    }
}
