// State shared by the callbacks of all transfers: bandwidth, counters, and readers to wake. Used by
// the curl thread alone.

/// Flow control across transfers.
final class CurlFlow {
    var upLimit: BandwidthLimit
    var downLimit: BandwidthLimit
    private let observers: [any TransferObserver]
    /// Transfers that wait for bandwidth, in the order in which they ran out of it.
    private var throttled: [CurlTransfer] = []
    /// When throttled transfers may continue; nil when none waits.
    private(set) var throttleEnd: ContinuousClock.Instant?
    /// Transfers whose readers have to be woken.
    private var touched: [CurlTransfer] = []

    init(upLimit: UInt64?, downLimit: UInt64?, observers: [any TransferObserver]) {
        self.upLimit = BandwidthLimit(rate: upLimit)
        self.downLimit = BandwidthLimit(rate: downLimit)
        self.observers = observers
    }

    /// Whether bytes may be received now; if not, the transfer is queued for bandwidth.
    func mayReceive(_ transfer: CurlTransfer) -> Bool {
        guard transfer.request.purpose == .download,
            let available = downLimit.available(at: .now), available == 0
        else { return true }
        transfer.isThrottledDown = true
        wait(transfer, downLimit.pause)
        return false
    }

    /// How many bytes may be sent now; if none, the transfer is queued for bandwidth.
    func maySend(_ transfer: CurlTransfer, upTo count: Int) -> Int {
        guard transfer.request.purpose == .upload, let available = upLimit.available(at: .now)
        else { return count }
        guard available > 0 else {
            transfer.isThrottledUp = true
            wait(transfer, upLimit.pause)
            return 0
        }
        return min(count, available)
    }

    func noteReceived(_ count: Int, _ transfer: CurlTransfer) {
        if transfer.request.purpose == .download { downLimit.consume(count) }
        for observer in observers {
            observer.received(bytes: count, label: transfer.request.label)
        }
        noteProgress(transfer)
        if touched.last !== transfer {
            touched.append(transfer)
        }
    }

    func noteSent(_ count: Int, _ transfer: CurlTransfer) {
        if transfer.request.purpose == .upload { upLimit.consume(count) }
        for observer in observers { observer.sent(bytes: count, label: transfer.request.label) }
        noteProgress(transfer)
    }

    func noteProgress(_ transfer: CurlTransfer) {
        transfer.timer.noteProgress(at: .now)
    }

    private func wait(_ transfer: CurlTransfer, _ pause: Duration) {
        let end = ContinuousClock.now.advanced(by: pause)
        throttleEnd = min(throttleEnd ?? end, end)
        throttled.append(transfer)
    }

    /// Resumes throttled transfers when their pause is over, or all when limits changed.
    func releaseThrottled(at now: ContinuousClock.Instant, all: Bool = false) {
        guard let end = throttleEnd, all || end <= now else { return }
        let waiting = throttled
        throttled = []
        throttleEnd = nil
        for transfer in waiting {
            transfer.isThrottledDown = false
            transfer.isThrottledUp = false
        }
        for transfer in waiting {
            transfer.applyPauses()
        }
    }

    /// Wakes the readers of all transfers that received data, once per round instead of once per
    /// piece.
    func wakeReaders() {
        for transfer in touched {
            transfer.exchange.wakeReader()
        }
        touched.removeAll(keepingCapacity: true)
    }

    func forget(_ transfer: CurlTransfer) {
        throttled.removeAll { $0 === transfer }
    }
}
