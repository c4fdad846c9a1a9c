// The paths of recent uploads, by times that the tests choose.

import Core
import RemoteStoreTesting
import Testing

@testable import RemoteStore

@Suite("Recent uploads")
struct RecentUploadsTests {
    private let start = ContinuousClock.now

    @Test("An upload is recent for its span, under any spelling of its path")
    func span() {
        var uploads = RecentUploads()
        uploads.note("/Folder/File", at: start)
        let last = start + RecentUploads.span - .nanoseconds(1)
        #expect(uploads.contains("/folder/FILE", at: last))
        #expect(!uploads.contains("/folder/other", at: start))
        #expect(!uploads.contains("/folder/file", at: start + RecentUploads.span))
    }

    @Test("An upload again begins its span anew, and old ones are forgotten then")
    func again() {
        var uploads = RecentUploads()
        uploads.note("/old", at: start)
        uploads.note("/again", at: start)
        let later = start + RecentUploads.span
        uploads.note("/again", at: later)
        #expect(uploads.count == 1)
        #expect(uploads.contains("/again", at: later + RecentUploads.span - .nanoseconds(1)))
        #expect(!uploads.contains("/old", at: later))
    }
}
