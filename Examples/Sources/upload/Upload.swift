// Uploads a file of any size, with its progress:   upload big.iso /Backups/big.iso

import Account
import DropboxAPI
import Synchronization

@main
struct Upload {
    static func main() async throws {
        let source = try argument(1, "upload FILE PATH")
        let path = try argument(2, "upload FILE PATH")
        let client = try accountFromEnvironment()
        let shown = Mutex(0)
        let file = try await client.files.upload(
            file: source, to: path, mode: .overwrite,
            options: .progress { progress in
                let percent = Int((progress.fraction ?? 0) * 100) / 10 * 10
                shown.withLock { shown in
                    if percent > shown { print("\(percent) %") }
                    shown = max(shown, percent)
                }
            })
        print("\(file.pathDisplay ?? path) \(file.size) \(file.rev)")
        await client.shutDown()
    }
}
