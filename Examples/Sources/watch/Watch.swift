// Prints what changes in an account, from now on, by any client:   watch [CHANGES]
// It ends after so many changes, or never.

import Account
import DropboxAPI

@main
struct Watch {
    static func main() async throws {
        let client = try accountFromEnvironment()
        var left = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? .max
        for try await update in client.files.changes(since: nil, path: "") {
            switch update {
            // What is there already is of no interest here.
            case .relist: print("watching")
            case .changes(let entries, _, _):
                for entry in entries {
                    print(entry.isDeletion ? "-" : "+", entry.pathDisplay ?? "")
                    left -= 1
                }
            @unknown default: break
            }
            if left <= 0 { break }
        }
        await client.shutDown()
    }
}

extension Files.Metadata {
    fileprivate var isDeletion: Bool {
        if case .deleted = self { true } else { false }
    }
}
