// `cache-clear` and `cache-verify`: cached content.

extension ControlRoutes {
    /// Evicts all cached content.
    package static let clearCache = ControlRoute<ClearCacheRequest, ClearCacheReply>(.clearCache) {
        request, call throws(CommandError) in
        ClearCacheReply(
            freedBytes: try call.service.clearCache(
                includingPinned: request.includesPinned ?? false))
    }

    /// Checks all cached content.
    package static let verifyCache = ControlRoute<NoFields, VerifyCacheReply>(.verifyCache) {
        _, call throws(CommandError) in
        VerifyCacheReply(cache: try call.service.verifyCache())
    }
}

/// A request to evict cached content.
package struct ClearCacheRequest: Hashable, Sendable, Codable {
    /// Whether pinned content is included; nil for no.
    package var includesPinned: Bool?

    /// Memberwise and without defaults.
    package init(includesPinned: Bool) {
        self.includesPinned = includesPinned
    }
}

/// The reply to `cache-clear`.
package struct ClearCacheReply: Hashable, Sendable, Codable {
    /// Bytes that were evicted.
    package var freedBytes: Int64
}

/// The reply to `cache-verify`.
package struct VerifyCacheReply: Hashable, Sendable, Codable {
    /// The result of the check.
    package var cache: CacheReport
}

/// The result of a check of the cache.
package struct CacheReport: Hashable, Sendable, Codable {
    /// Number of chunks that were read.
    package var checkedChunks: Int
    /// Chunks with a wrong checksum, which were dropped.
    package var damagedChunks: Int
    /// Bytes that the cache holds after that.
    package var bytes: Int64

    /// Memberwise and without defaults.
    package init(checkedChunks: Int, damagedChunks: Int, bytes: Int64) {
        self.checkedChunks = checkedChunks
        self.damagedChunks = damagedChunks
        self.bytes = bytes
    }
}
