// The files of a folder on Dropbox: listed once, and brought up to date by the changes after that.
// Not responsible for changing them.

import DropboxAPI

// [step 3]
/// The files of a folder on Dropbox, as far as they are known.
struct RemoteFiles {
    let folder: DropboxFolder
    /// The files by their keys: their paths in the folder, in lower case.
    private(set) var files: [String: Files.FileMetadata] = [:]
    private var cursor: Files.ListFolderCursor?

    /// Begins without knowing any file.
    init(of folder: DropboxFolder) {
        self.folder = folder
    }

    /// Brings the files up to date.
    mutating func update() async throws {
        // [step 4]
        while let cursor {
            do throws(CallError<Files.ListFolderContinueError>) {
                let page = try await folder.client.files.listFolderContinue(cursor: cursor)
                for entry in page.entries { apply(entry) }
                self.cursor = page.cursor
                if !page.hasMore { return }
            } catch {
                // The server has forgotten the cursor: all is listed anew.
                guard case .route(.reset, _) = error.kind else { throw error }
                self.cursor = nil
            }
        }
        // [step 3]
        files = [:]
        for try await page in folder.client.files.pages(of: folder.path, recursive: true) {
            for entry in page.entries { apply(entry) }
            cursor = page.cursor
        }
    }

    private mutating func apply(_ entry: Files.Metadata) {
        switch entry {
        case .file(let file):
            guard let key = key(of: file.pathDisplay) else { return }
            // Documents that are edited on dropbox.com only have no content to download.
            files[key] = file.isDownloadable ? file : nil
        // [step 4]
        case .folder(let folder):
            guard let key = key(of: folder.pathDisplay) else { return }
            files[key] = nil
        case .deleted(let entry):
            guard let key = key(of: entry.pathDisplay) else { return }
            // With a folder all that was in it is gone, and Dropbox names the folder alone.
            files = files.filter { $0.key != key && !$0.key.hasPrefix(key + "/") }
        // [step 3]
        default: break
        }
    }

    /// Nil for paths that are not synced.
    private func key(of path: String?) -> String? {
        guard let key = folder.place(of: path)?.lowercased(), !(key + "/").hasPrefix("/.sync/")
        else { return nil }
        return key
    }
}
