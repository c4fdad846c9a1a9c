// The rules of every listing and longpoll, with any form of entries. Pure. Not responsible for
// requests.

/// The rules of pages, cursors and longpolls.
package enum ListingRules {
    /// The server's limits of a longpoll's timeout, in seconds.
    private static let timeouts: ClosedRange<UInt64> = 30...480
    /// The longest pause that a server is believed, in seconds: it asks for minutes, and a wrong
    /// number must not end the changes for ever.
    private static let longestPause: UInt64 = 3600

    /// A longpoll's timeout in seconds, as the server takes it.
    package static func timeout(_ seconds: UInt64) -> UInt64 {
        min(max(seconds, timeouts.lowerBound), timeouts.upperBound)
    }

    /// The backoff that a longpoll's response asks for, in seconds.
    package static func pause(after response: Files.ListFolderLongpollResult) -> Int64? {
        response.backoff.map { Int64(clamping: min($0, longestPause)) }
    }

    /// Whether a page leads to itself: its listing would never end.
    package static func isEndless(
        next: Files.ListFolderCursor, hasMore: Bool, after cursor: Files.ListFolderCursor?
    ) -> Bool {
        hasMore && next == cursor
    }
}

extension CallError {
    /// Whether the server does not understand a cursor. Cursors come from the server itself, so one
    /// that it does not understand has expired.
    package var isAboutCursor: Bool {
        if case .badInput(let message) = kind { message.contains("cursor") } else { false }
    }
}
