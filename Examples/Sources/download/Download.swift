// Downloads a file of any size:   download /big.iso big.iso
// A broken connection is asked again from where it broke; a run that was ended goes on where it
// stopped.

import Account
import DropboxAPI

@main
struct Download {
    static func main() async throws {
        let path = try argument(1, "download PATH FILE")
        let target = try argument(2, "download PATH FILE")
        let client = try accountFromEnvironment(observers: [Breaks()])
        do throws(FileTransferError) {
            let file = try await client.files.download(path, to: target)
            print("\(target) \(file.size)")
        } catch .targetExists {
            print("\(target) is there already")
        }
        await client.shutDown()
    }
}

/// Says when a connection broke.
struct Breaks: DropboxObserver {
    func downloadFailed(_ failure: CallFailure) { print("broke: \(failure.explanation)") }
}
