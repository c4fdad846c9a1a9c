// The calls by which routes of the control socket reach a mount. The mount's side of it is in
// `dbxfs/Daemon`.

/// A running mount, as the control socket sees it. Calls come from threads that may block.
package protocol MountService: Sendable {
    /// The complete status of the mount.
    func status() -> MountStatus
    /// The changes that are still queued.
    func backlog() -> Backlog
    /// Runs `body`, and suspends the write delay of queued changes until it returns.
    func sendingEverything<Result>(_ body: () -> Result) -> Result
    /// Retries refused requests, because the account's login has changed.
    func loginChanged()
    /// Evicts cached content that can be fetched again, on request pinned content too, and returns
    /// the freed bytes.
    func clearCache(includingPinned: Bool) throws(CommandError) -> Int64
    /// Reads all cached content and drops damaged chunks.
    func verifyCache() throws(CommandError) -> CacheReport
    /// Pins nodes at these paths, or ends their pins: all of them, or none and an error. Paths are
    /// relative to the mount, "" for all of it.
    func setPins(_ isPinned: Bool, at paths: [String]) throws(CommandError)
    /// How much of the content at these paths is cached.
    func pinProgress(of paths: [String]) throws(CommandError) -> PinProgress
    /// All pins with their progress.
    func pins() throws(CommandError) -> [PinReport]
    /// The conflicted copies at a path or below it, sorted by path.
    func conflicts(below path: String) throws(CommandError) -> [ConflictReport]
    /// The newest revisions of the file at a path, which may be deleted, newest first.
    func revisions(of path: String, limit: Int) throws(CommandError) -> RevisionList
    /// Makes a revision of a file the current one; without one, the newest of a deleted file.
    /// Returns it.
    func restore(_ path: String, to revision: String?) throws(CommandError) -> RevisionReport
    /// Brings the deleted files below a folder back, or with a time in seconds since 1970 the state
    /// before it. Calls `report` from time to time, and ends early when that returns false.
    func undo(
        below path: String, before time: Int64?, report: (UndoReport) -> Bool
    ) throws(CommandError) -> UndoReport
    /// Copies content from the files of a folder, which corresponds to the mountpoint, into the
    /// cache. Calls `report` from time to time, and ends early when that returns false.
    func importContent(
        of folder: String, report: (ImportReport) -> Bool
    ) throws(CommandError) -> ImportReport
    /// The shared link to the file or folder at a path, created if there is none.
    func link(to path: String) throws(CommandError) -> LinkReport
    /// Whether all of the account's tree is known.
    var isTreeKnown: Bool { get }
    /// How far the listing of the whole account is; nil without one.
    var listing: ListingStatus? { get }
    /// Suspends uploads and the fetching of pinned content, for so many seconds or until a user
    /// ends the pause; or ends it.
    func setPaused(_ isPaused: Bool, seconds: Double?)
    /// Writes the events that are still in memory into the history.
    func writeHistory()
    /// Changes settings until the mount ends: all of them, or none and an error. Returns the
    /// resulting settings.
    func change(_ settings: [MountOptionSetting]) throws(CommandError) -> LiveSettings
}
