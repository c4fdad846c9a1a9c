// Keeps a folder and one on Dropbox the same:   sync login | sync once FOLDER /PATH | sync watch FOLDER /PATH
// `once` ends with 1 if a file is not the same in the end; `watch` ends with an error that waiting
// does not mend.

import DropboxAPI
import Foundation

// [step 12]
@main
struct Main {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("sync: \((error as? any DropboxError)?.summary ?? "\(error)")")
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        let login = try Login()
        switch (words.first, words.count) {
        case ("login", 1): try await login.ask()
        case ("once", 3):
            let counterpart = DropboxFolder(client: try await login.client(), path: words[2])
            var sync = try await open(words[1], counterpart)
            let problems = try await sync.pass()
            await counterpart.client.shutDown()
            guard problems.isEmpty else { throw Problem(problems.joined(separator: "\n")) }
        // [step 13]
        case ("watch", 3):
            let counterpart = DropboxFolder(client: try await login.client(), path: words[2])
            try await watch(try await open(words[1], counterpart), counterpart)
        // [step 12]
        default: throw Problem("login | once FOLDER /PATH | watch FOLDER /PATH")
        }
    }

    private static func open(_ folder: String, _ counterpart: DropboxFolder) async throws -> Sync {
        try await counterpart.make()
        return try Sync(URL(filePath: folder).resolvingSymlinksInPath().path, counterpart)
    }

    // [step 13]
    /// Makes a pass after each change on Dropbox, and every five seconds for those in the local
    /// folder.
    private static func watch(_ sync: Sync, _ counterpart: DropboxFolder) async throws {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup { group in
            group.addTask {
                let files = counterpart.client.files
                for try await _ in files.changes(since: nil, path: counterpart.path) {
                    wake.yield()
                }
            }
            group.addTask {
                while true {
                    wake.yield()
                    try await Task.sleep(for: .seconds(5))
                }
            }
            group.addTask { await passes(sync, after: wakes) }
            // The first of them that ends has failed, and ends the others.
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private static func passes(_ sync: Sync, after wakes: AsyncStream<Void>) async {
        var sync = sync
        var known: [String] = []
        for await _ in wakes {
            var problems: [String]
            do throws(any Error) {
                problems = try await sync.pass()
            } catch {
                problems = [error.localizedDescription]
            }
            if problems != known { print(problems.joined(separator: "\n")) }
            known = problems
        }
    }
}
