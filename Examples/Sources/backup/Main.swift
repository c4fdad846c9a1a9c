// A backup of a folder:   backup login | backup send FOLDER /COPY | backup restore /COPY FOLDER
// It ends with 1 if a file is missing in the end, so that cron or a systemd timer notices.

import DropboxAPI
import Foundation

// [step 5]
@main
struct Main {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            print("backup: \((error as? any DropboxError)?.summary ?? "\(error)")")
            exit(1)
        }
    }

    private static func run(_ words: [String]) async throws {
        let login = try Login()
        switch (words.first, words.count) {
        case ("login", 1): try await login.ask()
        // [step 12]
        case ("send", 3):
            try await open(login, words[1], words[2]) { try await $0.send() }
        // [step 14]
        case ("restore", 3):
            try await open(login, words[2], words[1]) { try await $0.restore() }
        // [step 5]
        default: throw Problem("login | send FOLDER /COPY | restore /COPY FOLDER")
        }
    }

    // [step 12]
    private static func open(
        _ login: Login, _ folder: String, _ copy: String, _ work: (Backup) async throws -> Void
    ) async throws {
        let client = try await login.client()
        let path = URL(filePath: folder).resolvingSymlinksInPath().path
        try await work(
            Backup(
                folder: LocalFolder(path: path), copy: DropboxFolder(client: client, path: copy)))
        await client.shutDown()
    }
}
