// The state of a running emulator, apart from the network.

import Synchronization

/// The state behind the routes.
final class Emulator: Sendable {
    let accounts: AccountRegistry
    let statistics = Statistics()
    let faults = FaultBook()
    let jobs = JobTable()
    let temporaryLinks = TemporaryLinkTable()
    let authorizations = AuthorizationTable()
    let uploads = RateLimiter()
    let downloads = RateLimiter()
    let deferred = DeferredCalls()
    let requestLog: RequestLog?
    private let currentSettings = Mutex(Settings())
    private let requests = Atomic<UInt64>(0)

    private let lock: StateLock

    /// Opens the state kept in a folder, which no other process may be using.
    ///
    /// Delegates, because the optimiser of Swift 6.3 crashes on an initialiser that can fail after
    /// noncopyable properties have their values.
    convenience init(
        folder: String, folding: FoldingRule = .unicode4, conduct: Conduct = .init(),
        requestLog: String? = nil
    ) throws {
        let lock = try StateLock(folder: folder)
        self.init(
            lock: lock,
            accounts: try AccountRegistry(folder: folder, folding: folding, conduct: conduct),
            requestLog: try requestLog.map(RequestLog.init(path:)))
    }

    private init(lock: StateLock, accounts: AccountRegistry, requestLog: RequestLog?) {
        self.lock = lock
        self.requestLog = requestLog
        self.accounts = accounts
    }

    /// A copy of the current settings.
    var settings: Settings { currentSettings.withLock { $0 } }

    /// Changes the settings from an admin request.
    func updateSettings(_ value: JSONValue) throws(ArgumentError) {
        let settings = try currentSettings.withLock { settings throws(ArgumentError) in
            var changed = settings
            try changed.update(value)
            settings = changed
            return changed
        }
        uploads.setRate(settings.uploadRate)
        downloads.setRate(settings.downloadRate)
    }

    /// Releases the lock on the state folder.
    func close() {
        lock.release()
    }

    /// A number unique among the requests.
    func makeRequestNumber() -> UInt64 {
        requests.add(1, ordering: .relaxed).newValue
    }

    /// The id of a request in its response.
    static func requestID(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return "e0" + String(repeating: "0", count: 30 - digits.count) + digits
    }
}
