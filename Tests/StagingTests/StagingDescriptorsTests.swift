// The bound for the descriptors of staging files. Not responsible for what programs get: the
// scenario many-open.

import Testing

@testable import Staging

@Suite struct StagingDescriptorsTests {
    @Test(
        "some descriptors stay free, and half of them for content that is to be sent",
        arguments: [
            (limit: 64, new: 48, known: 56), (limit: 1024, new: 768, known: 896),
            (limit: 20_000, new: 19_744, known: 19_872),
        ])
    func bound(limit: Int32, new: Int32, known: Int32) {
        #expect(!StagingDescriptors.isLast(new - 1, of: limit, isNew: true))
        #expect(StagingDescriptors.isLast(new, of: limit, isNew: true))
        #expect(!StagingDescriptors.isLast(known - 1, of: limit, isNew: false))
        #expect(StagingDescriptors.isLast(known, of: limit, isNew: false))
        #expect(StagingDescriptors.isLast(limit - 1, of: limit, isNew: true))
    }
}
