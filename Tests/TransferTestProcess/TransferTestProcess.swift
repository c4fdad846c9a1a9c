// A program for the tests of transfers, which kill it: it opens the record of a folder and goes on
// with its transfers until all of it has ended. Its first run also enqueues an upload and a
// download.

import DropboxAPI
import DropboxTransfers
import Foundation

@main
struct TransferTestProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else {
            print("usage: TransferTestProcess ENDPOINT RECORD SOURCE TARGET")
            exit(2)
        }
        let client = try DropboxClient(
            configuration: DropboxConfiguration(hosts: try DropboxHosts(endpoint: arguments[1])),
            accessToken: "token")
        let queue = try TransferQueue.open(
            folder: arguments[2], client: client, settings: TransferSettings(pieceSize: 4 << 20))
        let known = Set(try await queue.reconnect().map(\.label))
        if !known.contains("up") {
            _ = try await queue.enqueue(
                UploadRequest(
                    file: arguments[3], commit: .init(path: "/stored", autorename: true)),
                label: "up")
        }
        if !known.contains("down") {
            _ = try await queue.enqueue(
                DownloadRequest(path: "/given", file: arguments[4]), label: "down")
        }
        for transfer in queue.transfers {
            var last = transfer.state
            for await update in queue.updates(of: transfer.id) { last = update.state }
            guard case .stored = last else {
                print(last)
                exit(1)
            }
        }
    }
}
