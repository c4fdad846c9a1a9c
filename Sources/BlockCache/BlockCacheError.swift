// Why a cache cannot be opened. Once it is open it has no errors: what it cannot give is a miss.

/// Why a cache cannot be used.
public enum BlockCacheError: Error, Hashable, Sendable {
    /// Another process uses this folder.
    case inUse(String)
    /// The system refused; with the path and the error's number.
    case system(String, Int32)
    /// Something that is no folder of ours is at the path.
    case notAFolder(String)
}
