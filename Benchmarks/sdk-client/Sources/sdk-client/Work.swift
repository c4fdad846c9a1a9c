// Does one work of Benchmarks/sdk with this library, and prints how many seconds it took. What it costs besides
// is measured by the process that starts it.

import DropboxAPI
import Glibc

@main
struct Work {
    let client: DropboxClient

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else {
            fatalError("usage: sdk-client SERVER download|upload|calls|list COUNT FILE")
        }
        let client = try DropboxClient(
            configuration: .init(hosts: DropboxHosts(endpoint: arguments[1])),
            tokens: FixedAccessToken(AccessToken("benchmark")))
        let work = Work(client: client)
        let count = Int(arguments[3]) ?? 0
        let begin = ContinuousClock.now
        switch arguments[2] {
        case "download": try await work.download(mebibytes: count)
        case "upload": try await work.upload(arguments[4], times: count)
        case "calls": try await work.call(times: count)
        case "list": try await work.list(entries: count)
        default: fatalError("unknown work")
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        print(seconds)
        await client.shutDown()
    }

    /// Reads a body chunk by chunk and keeps nothing.
    func download(mebibytes: Int) async throws {
        let download = try await client.files.download(path: "/\(mebibytes)")
        var count = 0
        for try await chunk in download.body { count += chunk.count }
        precondition(count == mebibytes << 20)
    }

    /// Sends a file as one request, again and again.
    func upload(_ path: String, times: Int) async throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let length = UInt64(lseek(descriptor, 0, SEEK_END))
        for number in 0..<times {
            let body = try FileBody(descriptor: descriptor, length: length)
            let file = try await client.files.upload(path: "/\(number)", body: body)
            precondition(file.size == length)
        }
    }

    /// Small calls, 16 at a time.
    func call(times: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<16 {
                group.addTask {
                    for _ in stride(from: first, to: times, by: 16) {
                        _ = try await client.files.getMetadata(path: "/file")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// A listing of many pages, entry by entry.
    func list(entries: Int) async throws {
        var count = 0
        for try await entry in client.files.entries(of: "", recursive: true) {
            if case .file = entry { count += 1 }
        }
        precondition(count == entries)
    }
}
