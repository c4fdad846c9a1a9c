// The part of Foundation that brings no ICU along: 53 MB that a container of an app with the SDK
// does not need. Apple's systems have all of Foundation anyway, and no such part.

#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
