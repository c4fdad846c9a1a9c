// The rules of every listing and longpoll, with any form of entries. Pure. Not responsible for
// requests.

/// The rules of pages, cursors and longpolls.
package enum ListingRules {
    /// The server's limits of a longpoll's timeout, in seconds.
    private static let timeouts: ClosedRange<UInt64> = 30...480
    /// The longest pause that a server is believed, in seconds: it asks for minutes, and a wrong
    /// number must not end the changes for ever.
    private static let longestPause: UInt64 = 3600
    /// The most entries of a page; the server's limit.
    package static let longestPage: UInt32 = 2000

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

    /// The number of entries to ask for after pages of `entries` had more bytes than the client
    /// accepts; nil after the smallest. Without a number, the server sends up to its limit.
    ///
    /// An eighth each time, because a listing that is under way has to begin anew for it, and few
    /// steps are to suffice: 250 entries with the longest paths that Linux opens have 6 MiB at
    /// most, each character escaped, and 3 entries 1,024 folders deep have 5 MiB.
    package static func smallerPage(than entries: UInt32?) -> UInt32? {
        let fewer = min(entries ?? longestPage, longestPage) / 8
        return fewer > 0 ? fewer : nil
    }
}

extension CallError {
    /// Whether the answer had more bytes than the client accepts, so that only a request for less
    /// helps.
    package var isTooLarge: Bool {
        if case .transport(let error) = kind { error.kind == .tooLarge } else { false }
    }

    /// Whether the server does not understand a cursor. Cursors come from the server itself, so one
    /// that it does not understand has expired.
    package var isAboutCursor: Bool {
        if case .badInput(let message) = kind { message.contains("cursor") } else { false }
    }
}
