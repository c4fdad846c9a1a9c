// A folder on Dropbox that has the files of a local one. Not responsible for its content.

import DropboxAPI

// [step 8]
/// A folder on Dropbox.
struct DropboxFolder {
    let client: DropboxClient
    /// Its path without a slash at the end, and so empty for the whole Dropbox.
    let path: String

    /// Takes over a path as users write it.
    init(client: DropboxClient, path: String) {
        self.client = client
        self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// Makes the folder, if it is not there.
    func make() async throws {
        if path.isEmpty { return }
        do throws(CallError<Files.CreateFolderError>) {
            _ = try await client.files.createFolderV2(path: path)
        } catch {
            guard case .route(.path(.conflict(.folder)), _) = error.kind else { throw error }
        }
    }

    /// The path in the folder of something on Dropbox, with a slash in front. It is nil for the
    /// folder itself, and for names that would lead out of a local folder, which only a hostile
    /// server sends.
    func place(of path: String?) -> String? {
        let names = (path ?? "").split(separator: "/")
            .dropFirst(self.path.split(separator: "/").count)
        return names.isEmpty || names.contains("..") ? nil : "/" + names.joined(separator: "/")
    }
}
