// The version of dbxfs. Releases change it here and nowhere else.

/// The version that `--version`, `status` and the requests to Dropbox show.
enum ProductVersion {
    static let current = "0.2.0"
}
