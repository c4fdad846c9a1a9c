// Does one work of Benchmarks/sdk or Benchmarks/sdk-files with this library, and prints how many
// seconds it took. What it costs besides is measured by the process that starts it. The works with
// whole files are in WholeFiles.swift.

import DropboxAPI
import Glibc

@main
struct Work {
    let client: DropboxClient

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else {
            fatalError(
                """
                usage: sdk-client SERVER download|upload|calls|list COUNT FILE
                       sdk-client - send|fetch|send-all|fetch-all 0 PATH
                """)
        }
        // Dropbox's own hosts are reached through the proxy of the environment.
        let hosts = arguments[1] == "-" ? .dropbox : try DropboxHosts(endpoint: arguments[1])
        let token = getenv("DROPBOX_TOKEN").map { String(cString: $0) } ?? "benchmark"
        let client = try DropboxClient(configuration: .init(hosts: hosts), accessToken: token)
        let work = Work(client: client)
        let count = Int(arguments[3]) ?? 0
        let begin = ContinuousClock.now
        switch arguments[2] {
        case "download": try await work.download(mebibytes: count)
        case "upload": try await work.upload(arguments[4], times: count)
        case "calls": try await work.call(times: count)
        case "list": try await work.list(entries: count)
        case "send": try await WholeFiles(client: client).send(arguments[4])
        case "fetch": try await WholeFiles(client: client).fetch(arguments[4])
        case "send-all": try await WholeFiles(client: client).sendAll(arguments[4])
        case "fetch-all": try await WholeFiles(client: client).fetchAll(arguments[4])
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
