// Downloads a file, and goes on where an earlier run has stopped:   download /big.iso big.iso
// The part that is here lies in big.iso.part-REV: of another revision nothing is used.

import Account
import DropboxAPI
import Foundation

@main
struct Download {
    static func main() async throws {
        let path = try argument(1, "download PATH FILE")
        let target = try argument(2, "download PATH FILE")
        let client = try accountFromEnvironment()
        guard case .file(let file) = try await client.files.getMetadata(path: path) else {
            throw Usage("\(path) is not a file")
        }
        let part = target + ".part-" + file.rev
        if !FileManager.default.fileExists(atPath: part) {
            _ = FileManager.default.createFile(atPath: part, contents: nil)
        }
        let output = try FileHandle(forWritingTo: URL(fileURLWithPath: part))
        for attempt in 1... {
            let start = try output.seekToEnd()
            guard start < file.size else { break }
            if start > 0 { print("going on at \(start)") }
            do {
                // By revision: a file that changes during the download does not end up half old and half new.
                let download = try await client.files.download(
                    path: "rev:" + file.rev, range: .from(start))
                for try await chunk in download.body { try output.write(contentsOf: Data(chunk)) }
            } catch let error as CallError<Files.DownloadError> {
                guard error.isConnectivityLoss || isCut(error), attempt < 5 else { throw error }
                print("stopped: \(error.summary)")
            }
        }
        try output.close()
        let url = URL(fileURLWithPath: target)
        try? FileManager.default.removeItem(at: url)
        try FileManager.default.moveItem(at: URL(fileURLWithPath: part), to: url)
        print("\(target) \(file.size)")
        await client.shutDown()
    }

    /// Whether the body ended before its last byte.
    private static func isCut(_ error: CallError<Files.DownloadError>) -> Bool {
        if case .transport(let failure) = error.kind {
            failure.kind == .bodyCutShort
        } else {
            false
        }
    }
}
