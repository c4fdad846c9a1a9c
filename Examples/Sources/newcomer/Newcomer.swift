// The first day with the library, in the order of its documentation (docs/dropbox-api.md):   newcomer FILE
// FILE is a large local file. Of the account, the folder `/newcomer` is made and removed again.

import Account
import DropboxAPI
import Foundation

@main
struct Newcomer {
    static func main() async throws {
        let file = try argument(1, "newcomer FILE")
        let client = try accountFromEnvironment()
        _ = try await client.files.createFolderV2(path: "/newcomer")
        let day = FirstDay(client: client, file: file)
        try await day.bigFile()
        try await day.range()
        await day.routeError()
        try await day.cancel()
        try await day.batch()
        try await day.list()
        try await day.revisions()
        try await day.link()
        try await day.waitForChange()
        let outcomes = try await client.files.deleteJob([.init(path: "/newcomer")]).result()
        print("removed \(outcomes.count)")
        await client.shutDown()
    }
}

/// The calls that a new user tries.
struct FirstDay {
    let client: DropboxClient
    let file: String

    func bigFile() async throws {
        let stored = try await client.files.upload(
            file: file, to: "/newcomer/big",
            options: .progress { progress in
                if progress.fraction == 1 { print("uploaded 100 %") }
            })
        print("stored \(stored.size) bytes as \(stored.pathDisplay ?? stored.name)")
    }

    func range() async throws {
        let part = try await client.files.download(
            path: "/newcomer/big", range: .bytes(1_000_000..<1_000_010))
        let bytes = try await part.body.collect(upTo: 10)
        guard let local = FileHandle(forReadingAtPath: file) else { throw Usage("no \(file)") }
        try local.seek(toOffset: 1_000_000)
        let same = try local.read(upToCount: 10) == Data(bytes)
        print("ten bytes in the middle are \(same ? "the same" : "others")")
    }

    func routeError() async {
        do throws(CallError<Files.DeleteError>) {
            _ = try await client.files.deleteV2(path: "/newcomer/nowhere")
        } catch {
            switch error.kind {
            case .route(.pathLookup(.notFound), _): print("it was gone already")
            case .route(let failure, _): print("refused: \(failure.tagPath)")
            case .auth: print("log in again")
            default: print(error.summary)
            }
        }
    }

    func cancel() async throws {
        let (begun, first) = AsyncStream.makeStream(of: Void.self)
        let download = Task {
            var count = 0
            for try await chunk in try await client.files.content(of: "/newcomer/big") {
                count += chunk.count
                // A reader that is slower than the network, and so has not ended before it is
                // cancelled.
                first.yield()
                try? await Task.sleep(for: .seconds(600))
            }
            return count
        }
        for await _ in begun { break }
        download.cancel()
        do throws(any Error) {
            print("downloaded \(try await download.value) bytes")
        } catch let error as any DropboxError {
            print(error.isCancellation ? "cancelled" : error.localizedDescription)
        }
    }

    func batch() async throws {
        let uploads = (1...25).map { number in
            FileUpload(
                .init(path: "/newcomer/small/\(number).txt"),
                source: DataSource(Data("number \(number)".utf8)))
        }
        let results = await client.files.upload(files: uploads)
        for case .failure(let error) in results { print(error.localizedDescription) }
        print("a batch of \(results.count { (try? $0.get()) != nil }) files")
    }

    func list() async throws {
        var count = 0
        for try await entry in client.files.entries(of: "/newcomer", recursive: true) {
            if case .file = entry { count += 1 }
        }
        print("listed \(count) files")
    }

    func revisions() async throws {
        let path = "/newcomer/note.txt"
        let first = try await client.files.upload(Data("first".utf8), to: path)
        _ = try await client.files.upload(Data("second".utf8), to: path, mode: .overwrite)
        let versions = try await client.files.listRevisions(path: path).entries
        _ = try await client.files.restore(path: path, rev: first.rev)
        let (_, data) = try await client.files.download(path, upTo: 1 << 20)
        print("\(versions.count) versions, restored: \(String(decoding: data, as: UTF8.self))")
    }

    func link() async throws {
        let link = try await client.sharing.createSharedLinkWithSettings(path: "/newcomer/note.txt")
        print("link \(link.url)")
    }

    func waitForChange() async throws {
        let cursor = try await client.files.listFolderGetLatestCursor(path: "/newcomer").cursor
        async let answer = client.files.listFolderLongpoll(cursor: cursor, timeout: 30)
        _ = try await client.files.createFolderV2(path: "/newcomer/new")
        guard try await answer.changes else { throw Usage("nothing changed") }
        for entry in try await client.files.listFolderContinue(cursor: cursor).entries {
            print("changed: \(entry.pathDisplay ?? entry.name)")
        }
    }
}
