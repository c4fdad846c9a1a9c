// Errors of opening a cache. An open cache has no errors: every failure is a miss.

/// The reason why a cache cannot be used.
package enum BlockCacheError: Error, Hashable, Sendable {
    /// Another process uses this folder.
    case inUse(String)
    /// A system call failed; with the path and the error's number.
    case system(String, Int32)
    /// Another kind of file, or a foreign folder, is at the path.
    case notAFolder(String)
}
