// Uploads a file of any size, with its progress:   upload big.iso /Backups/big.iso

import Account
import DropboxAPI
import Foundation
import Synchronization

@main
struct Upload {
    static func main() async throws {
        let source = try argument(1, "upload FILE PATH")
        let path = try argument(2, "upload FILE PATH")
        let size =
            try URL(fileURLWithPath: source).resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        let progress = Progress(size: size)
        let client = try accountFromEnvironment(observers: [progress])
        // In requests of 8 MiB: what a broken connection loses is one of them, which is sent again.
        let file = try await client.files.upload(
            .init(path: path, mode: .overwrite), chunks: FileChunks(path: source))
        print("\(file.pathDisplay ?? path) \(file.size) \(file.rev)")
        await client.shutDown()
    }
}

/// Shows how many bytes have left this machine; bytes that are sent again count again.
final class Progress: DropboxObserver {
    private let size: Int
    private let sent = Mutex(0)

    init(size: Int) {
        self.size = max(size, 1)
    }

    func sent(bytes: Int, label: String) {
        let (before, now) = sent.withLock { sent in
            defer { sent += bytes }
            return (sent * 10 / size, (sent + bytes) * 10 / size)
        }
        if now > before { print("\(min(now * 10, 100)) %") }
    }
}

/// A file in pieces of a megabyte.
struct FileChunks: AsyncSequence {
    let path: String

    struct AsyncIterator: AsyncIteratorProtocol {
        let file: FileHandle

        mutating func next() async throws -> [UInt8]? {
            guard let data = try file.read(upToCount: 1 << 20), !data.isEmpty else { return nil }
            return [UInt8](data)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(file: FileHandle(forReadingAtPath: path) ?? FileHandle.nullDevice)
    }
}
