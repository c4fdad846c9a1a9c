// The content that both sides had when they last agreed, on the disk. Not responsible for
// comparing.

import DropboxAPI
import Foundation

// [step 5]
/// The hashes of the files that were the same on both sides, by their keys.
struct LastSync: Equatable {
    private let file: URL
    private var digits: [String: String] = [:]

    /// Reads what an earlier run has kept in the local folder. There, it is gone when the files are
    /// gone, as on a disk that is not mounted, and nothing counts as deleted.
    init(folder: String) throws {
        let own = URL(filePath: folder).appending(path: ".sync")
        try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
        file = own.appending(path: "last.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return }
        digits = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: file))
    }

    /// The keys of all files.
    var keys: some Collection<String> { digits.keys }

    /// The hash that a file had on both sides.
    subscript(key: String) -> ContentHash? {
        get { digits[key].flatMap { ContentHash(hex: $0) } }
        set { digits[key] = newValue?.hex }
    }

    /// Replaces the file on the disk in one step.
    func save() throws {
        try JSONEncoder().encode(digits).write(to: file, options: .atomic)
    }
}
