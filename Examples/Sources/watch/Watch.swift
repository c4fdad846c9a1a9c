// Prints what changes in an account, from now on, by any client:   watch [CHANGES]
// It ends after so many changes, or never.

import Account
import DropboxAPI

@main
struct Watch {
    static func main() async throws {
        let client = try accountFromEnvironment()
        var left = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        var cursor = try await client.files.listFolderGetLatestCursor(path: "", recursive: true)
            .cursor
        print("watching")
        while left > 0 {
            // Waits until something changes, or for a minute and a half and a little.
            let answer = try await client.files.listFolderLongpoll(cursor: cursor, timeout: 90)
            if let pause = answer.backoff { try await Task.sleep(for: .seconds(pause)) }
            guard answer.changes else { continue }
            var hasMore = true
            while hasMore {
                let page = try await client.files.listFolderContinue(cursor: cursor)
                for entry in page.entries {
                    print(entry.isDeletion ? "-" : "+", entry.pathDisplay ?? "")
                    left -= 1
                }
                (cursor, hasMore) = (page.cursor, page.hasMore)
            }
        }
        await client.shutDown()
    }
}

extension Files.Metadata {
    fileprivate var isDeletion: Bool {
        if case .deleted = self { true } else { false }
    }
}
