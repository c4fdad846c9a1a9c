// How many descriptors this process may have. Not responsible for their uses.

import CLibrary

/// The process's limit of descriptors (RLIMIT_NOFILE).
package struct DescriptorLimit: Hashable, Sendable {
    /// The number that the process may have now.
    package var now: Int
    /// The number to which it may raise that.
    package var most: Int

    /// The present limit; nil if the system does not tell.
    package static var current: DescriptorLimit? {
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return nil }
        return DescriptorLimit(
            now: Int(clamping: limit.rlim_cur), most: Int(clamping: limit.rlim_max))
    }
}
