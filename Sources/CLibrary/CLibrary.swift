// The C library under the name that it has on each system, so that no file of the SDK names one of
// them. Not responsible for differences between them beyond the name.

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#elseif canImport(Darwin)
    @_exported public import Darwin
#endif
