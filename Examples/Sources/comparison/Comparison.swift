// The lines of docs/sdk-comparison.md, each of which runs here:   comparison FOLDER
// Logins and settings are in files of their own. FOLDER is for local files; of the account `/rows`
// is made and removed.

import Account
import DropboxAPI
import Foundation

@main
struct Comparison {
    static func main() async throws {
        let folder = try argument(1, "comparison FOLDER")
        let client = try accountFromEnvironment { $0.app = AppCredentials(key: "key", secret: "s") }
        _ = try await client.files.createFolderV2(path: "/rows").metadata
        try await Content(client: client, folder: folder).run()
        try await Listings(client: client).run()
        try await Refusals(client: client).run()
        try await Accounts(hosts: client.configuration.hosts, folder: folder).run()
        try await Settings(endpoint: client.configuration.hosts.api).run()
        try await mocks()
        let paths: [Files.DeleteArg] = [.init(path: "/rows")]
        let outcomes = try await client.files.deleteJob(paths).result()
        print("deleted: \(outcomes.count)")
        await client.shutDown()
    }
}

/// Files up and down.
struct Content {
    let client: DropboxClient
    let folder: String

    func run() async throws {
        let (source, copy) = (folder + "/source", folder + "/copy")
        let bytes = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try Data(bytes).write(to: URL(fileURLWithPath: source))
        try await up(source)
        try await down(copy)
        guard try Data(contentsOf: URL(fileURLWithPath: copy)) == Data(bytes) else {
            throw Usage("the copy differs")
        }
    }

    private func up(_ source: String) async throws {
        let data = Data("hello".utf8)
        _ = try await client.files.upload(data, to: "/rows/a.txt")
        let url = URL(fileURLWithPath: source)
        let file = try await client.files.upload(
            file: url, to: "/rows/big",
            options: .progress { print("sent \($0.bytesDone)") })
        print(file.contentHash?.hex ?? "", file.serverModified.date)
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield([1, 2, 3])
            continuation.finish()
        }
        _ = try await client.files.upload(chunks, to: "/rows/log")
        let uploads = ["b", "c"].map {
            FileUpload(.init(path: "/rows/" + $0), source: LocalFile(source))
        }
        let results = await client.files.upload(files: uploads)
        for case .failure(let error) in results { throw error }
        _ = try await client.files.upload(
            path: "/rows/d", mode: .overwrite, clientModified: Date(),
            body: BytesBody([1]))
    }

    private func down(_ copy: String) async throws {
        try await client.files.download("/rows/big", to: copy, overwrite: true)
        let (_, data) = try await client.files.download("/rows/a.txt", upTo: 1 << 20)
        print(String(decoding: data, as: UTF8.self))
        let part = try await client.files.download(path: "/rows/big", range: .bytes(10..<20))
        print(try await part.body.collect(upTo: 10))
        var received = 0
        for try await chunk in try await client.files.content(of: "/rows/big") {
            received += chunk.count
        }
        let options = CallOptions(progress: { print("received \($0.bytesDone)") })
        let whole = try await client.files.download(path: "/rows/a.txt", options: options)
        print(received, try await whole.body.collect(upTo: 100).count)
    }
}

/// Listings, changes and cancellation.
struct Listings {
    let client: DropboxClient

    func run() async throws {
        var names: [String] = []
        for try await entry in client.files.entries(of: "/rows", recursive: true) {
            names.append(entry.name)
        }
        print("listed: \(names.sorted())")
        let cursor = try await client.files.listFolderGetLatestCursor(path: "/rows").cursor
        _ = try await client.files.createFolderV2(path: "/rows/new")
        for try await update in client.files.changes(since: cursor, path: "/rows") {
            print("changed: \(update)")
            break
        }
        let call = Task { try await client.files.listFolderLongpoll(cursor: cursor, timeout: 480) }
        call.cancel()
        _ = await call.result
        let entry = try await client.files.getMetadata(path: "/rows/big")
        switch entry {
        case .file(let file): print("a file of \(file.size)")
        case .folder, .deleted, .unknown: print("no file")
        @unknown default: print("a kind of a later version")
        }
    }
}

/// Errors, and their words.
struct Refusals {
    let client: DropboxClient

    func run() async throws {
        do throws(CallError<Files.DeleteError>) {
            _ = try await client.files.deleteV2(path: "/rows/nowhere")
        } catch {
            guard case .route(.pathLookup(.notFound), let message) = error.kind else { throw error }
            print("refused:", error.summary, message ?? "", error.context.requestID ?? "")
        }
        // The calls of a middleware throw any error; those of one route need no `as`.
        do throws(any Error) {
            _ = try await client.files.getMetadata(path: "/rows/nowhere")
        } catch let error as any DropboxError {
            print("for a log:", error.summary, "for the user:", error.localizedDescription)
            print(
                "its message:", error.userMessage?.text ?? "none", "locale",
                error.userMessage?.locale ?? "")
            print("again?", error.isConnectivityLoss, error.mayHaveTakenEffect)
        }
    }
}
