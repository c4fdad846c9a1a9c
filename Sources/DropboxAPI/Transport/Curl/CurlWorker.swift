// The thread that owns libcurl: it starts, drives, times and ends transfers. Not responsible for
// their content: see CurlTransfer and Exchange.

import CCurl
import CLibrary
import Logging

/// Settings shared by all transfers of a worker.
struct CurlSettings {
    var certificateFile: String?
    var certificateFolder: String?
    /// In libcurl's format; nil for none.
    var pinnedKeys: String?
    var proxy: ProxySetting
    var ipVersion: IPVersion
    var http2: Set<TransferPurpose>
    var share: UnsafeMutableRawPointer?
    /// Maximum age in seconds of a connection to be reused; nil for no limit of ours.
    var trustedConnectionAge: Int?
}

/// Drives all transfers of one transport. Runs on a dedicated thread, which waits only for sockets,
/// commands and timeouts.
final class CurlWorker {
    private struct Waiting {
        let id: UInt64
        let request: TransportRequest
        let exchange: Exchange
        let timer: TransferTimer
    }

    private let inbox: Inbox
    private let flow: CurlFlow
    private let concurrency: [TransferPurpose: Int]
    private let logger: Logger
    private var settings: CurlSettings
    private var transfers: [UInt64: CurlTransfer] = [:]
    private var running: [TransferPurpose: Int] = [:]
    /// Requests beyond their purpose's limit, in order.
    private var waiting: [TransferPurpose: [Waiting]] = [:]
    /// Idle handles for reuse; each keeps its buffers.
    private var spareHandles: [UnsafeMutableRawPointer] = []
    /// Connections older than this moment are suspected to be dead.
    private var lastSilence: ContinuousClock.Instant?
    private var isStopping = false

    init(_ configuration: TransportConfiguration, inbox: Inbox, logger: Logger) {
        self.inbox = inbox
        self.logger = logger
        concurrency = configuration.concurrency
        flow = CurlFlow(
            upLimit: configuration.uploadRate, downLimit: configuration.downloadRate,
            observers: configuration.observers)
        // Each handle has a separate cache of TLS sessions unless they share one.
        let share = curl_share_init()
        if let share {
            ccurl_share_data(share, CURL_LOCK_DATA_SSL_SESSION)
        }
        let certificates = TrustedCertificates.ofSystem(
            configured: configuration.certificateFile,
            builtIn: ccurl_certificate_file().map { String(cString: $0) })
        settings = CurlSettings(
            certificateFile: certificates.file, certificateFolder: certificates.folder,
            pinnedKeys: configuration.pinnedKeys.isEmpty
                ? nil : configuration.pinnedKeys.map(\.description).joined(separator: ";"),
            proxy: configuration.proxy, ipVersion: configuration.ipVersion,
            http2: configuration.http2, share: share)
        // Enough for all purposes; the default shrinks with the number of transfers.
        ccurl_multi_set_long(
            inbox.multi, CURLMOPT_MAXCONNECTS, max(1, configuration.idleConnections))
        if let limit = configuration.connectionsPerHost {
            ccurl_multi_set_long(inbox.multi, CURLMOPT_MAX_HOST_CONNECTIONS, max(1, limit))
        }
        ccurl_multi_set_long(inbox.multi, CURLMOPT_PIPELINING, Int(clamping: CURLPIPE_MULTIPLEX))
    }

    deinit {
        for easy in spareHandles {
            curl_easy_cleanup(easy)
        }
        if let share = settings.share {
            curl_share_cleanup(share)
        }
    }

    // MARK: The loop

    /// Runs until it is told to stop.
    func run() {
        while !isStopping {
            for command in inbox.take() {
                obey(command)
            }
            var count: Int32 = 0
            let code = curl_multi_perform(inbox.multi, &count)
            if code != CURLM_OK {
                logger.error("libcurl failed", metadata: ["error": "\(Self.text(code))"])
            }
            reapFinished()
            flow.wakeReaders()
            let now = ContinuousClock.now
            flow.releaseThrottled(at: now)
            flow.wakeReaders()
            expireImpatient(at: now)
            if !startWaiting() && !isStopping {
                curl_multi_poll(inbox.multi, nil, 0, pollMilliseconds(from: now), nil)
            }
        }
        let late = inbox.close()
        failAll(late)
    }

    private func obey(_ command: CurlCommand) {
        switch command {
        case .start(let id, let request, let exchange, let submitted):
            waiting[request.purpose, default: []].append(
                Waiting(
                    id: id, request: request, exchange: exchange,
                    timer: TransferTimer(request.timeouts, submitted: submitted)))
            _ = startWaiting()
        case .resume(let id):
            transfers[id]?.readerMadeRoom()
        case .cancel(let id):
            if let transfer = transfers[id] {
                release(transfer)
            } else {
                for purpose in TransferPurpose.allCases {
                    waiting[purpose]?.removeAll { $0.id == id }
                }
            }
        case .limitBandwidth(let up, let down):
            flow.upLimit.rate = up
            flow.downLimit.rate = down
            flow.releaseThrottled(at: .now, all: true)
        case .networkChanged(let addresses):
            lastSilence = .now
            failTransfers(notFrom: addresses)
            connectAnew()
        case .stop:
            isStopping = true
        }
    }

    /// Fails transfers whose own address is gone: no byte will arrive there.
    private func failTransfers(notFrom addresses: Set<String>) {
        for transfer in transfers.values {
            guard let address = transfer.localAddress, !addresses.contains(address) else {
                continue
            }
            let error = TransportError(
                kind: .reset, message: "the machine has left the network",
                mayHaveBeenReceived: transfer.hasConnection)
            release(transfer)
            transfer.exchange.end(.failure(error))
        }
    }

    /// How long a transfer has connected if a change of the network concerns it. Changes are
    /// reported when they are over.
    private static let youngest = Duration.milliseconds(200)

    /// Starts those transfers from the beginning that have no connection yet. Their packets to the
    /// other network may be lost, and the kernel repeats it after 1, 2, 4 and more seconds only.
    private func connectAnew() {
        let now = ContinuousClock.now
        for transfer in transfers.values.sorted(by: { $0.id > $1.id })
        where !transfer.hasConnection && transfer.began.duration(to: now) > Self.youngest {
            release(transfer)
            waiting[transfer.request.purpose, default: []].insert(
                Waiting(
                    id: transfer.id, request: transfer.request, exchange: transfer.exchange,
                    timer: transfer.timer),
                at: 0)
        }
        _ = startWaiting()
    }

    /// Starts queued requests within their purpose's limit; true if any started.
    private func startWaiting() -> Bool {
        var hasStarted = false
        for purpose in TransferPurpose.allCases {
            while let next = waiting[purpose]?.first,
                running[purpose, default: 0] < max(1, concurrency[purpose] ?? 8)
            {
                waiting[purpose]?.removeFirst()
                start(next)
                hasStarted = true
            }
        }
        return hasStarted
    }

    private func start(_ next: Waiting) {
        guard let easy = spareHandles.popLast() ?? curl_easy_init() else {
            next.exchange.end(.failure(Self.outOfMemory))
            return
        }
        let transfer = CurlTransfer(
            id: next.id, request: next.request, exchange: next.exchange, easy: easy,
            timer: next.timer, flow: flow)
        settings.trustedConnectionAge = lastSilence.map {
            max(1, Int(clamping: $0.duration(to: .now).components.seconds))
        }
        do {
            try transfer.configure(settings)
        } catch {
            recycle(easy)
            next.exchange.end(.failure(error))
            return
        }
        guard curl_multi_add_handle(inbox.multi, easy) == CURLM_OK else {
            recycle(easy)
            next.exchange.end(.failure(Self.outOfMemory))
            return
        }
        // The server had no chance to respond while this request was queued.
        transfer.timer.noteProgress(at: .now)
        transfer.nextCheck = .now
        transfers[next.id] = transfer
        running[next.request.purpose, default: 0] &+= 1
    }

    // MARK: Ends

    private func reapFinished() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(inbox.multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE else { continue }
            let code = ccurl_message_result(message)
            var context: UnsafeMutableRawPointer?
            ccurl_get_pointer(message.pointee.easy_handle, CURLINFO_PRIVATE, &context)
            guard let transfer = CurlTransfer.from(context) else { continue }
            let outcome = transfer.outcome(code)
            release(transfer)
            transfer.exchange.end(outcome)
        }
    }

    /// Fails transfers whose timeout has expired, including queued ones.
    private func expireImpatient(at now: ContinuousClock.Instant) {
        for transfer in transfers.values {
            guard let check = transfer.nextCheck, check <= now else { continue }
            let phase = transfer.phase(at: now)
            let expiry = transfer.timer.expiry(in: phase)
            if let expiry, expiry.moment <= now {
                let error = TransportError(
                    expired: expiry.phase, mayHaveBeenReceived: transfer.hasConnection)
                lastSilence = now
                release(transfer)
                transfer.exchange.end(.failure(error))
            } else {
                transfer.nextCheck = Self.checkTime(phase, expiry?.moment, now)
            }
        }
        for (purpose, queue) in waiting {
            let isExpired = { (next: Waiting) in
                next.timer.expiry(in: .starting).map { $0.moment <= now } ?? false
            }
            for next in queue where isExpired(next) {
                next.exchange.end(
                    .failure(TransportError(expired: .deadline, mayHaveBeenReceived: false)))
            }
            waiting[purpose]?.removeAll(where: isExpired)
        }
    }

    /// libcurl reports the end of the `waiting` phase, which can last for minutes. Most other
    /// phases end without notice, so their transfers are checked periodically.
    private static func checkTime(
        _ phase: TransferTimer.Phase, _ expiry: ContinuousClock.Instant?,
        _ now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        if phase == .waiting, let expiry { return expiry }
        let next = now.advanced(by: phase == .starting ? .milliseconds(100) : .seconds(1))
        return min(expiry ?? next, next)
    }

    /// Removes a transfer from libcurl, which closes its connection if it is incomplete.
    private func release(_ transfer: CurlTransfer) {
        guard transfers.removeValue(forKey: transfer.id) != nil else { return }
        running[transfer.request.purpose, default: 1] &-= 1
        flow.forget(transfer)
        curl_multi_remove_handle(inbox.multi, transfer.easy)
        recycle(transfer.easy)
    }

    private func recycle(_ easy: UnsafeMutableRawPointer) {
        curl_easy_reset(easy)
        if spareHandles.count < 32 {
            spareHandles.append(easy)
        } else {
            curl_easy_cleanup(easy)
        }
    }

    private func failAll(_ late: [CurlCommand]) {
        let error = TransportError.shutDown(mayHaveBeenReceived: true)
        for transfer in transfers.values {
            release(transfer)
            transfer.exchange.end(.failure(error))
        }
        for next in waiting.values.joined() {
            next.exchange.end(.failure(error))
        }
        waiting = [:]
        for case .start(_, _, let exchange, _) in late {
            exchange.end(.failure(error))
        }
    }

    /// Maximum milliseconds between two polls.
    private static let longestPoll: Int64 = 60_000

    private func pollMilliseconds(from now: ContinuousClock.Instant) -> Int32 {
        var moment = flow.throttleEnd
        for case let check? in transfers.values.map(\.nextCheck) {
            moment = min(moment ?? check, check)
        }
        if !waiting.values.allSatisfy(\.isEmpty) {
            moment = min(moment ?? now.advanced(by: .seconds(1)), now.advanced(by: .seconds(1)))
        }
        guard let moment else { return Int32(clamping: Self.longestPoll) }
        let left = max(0, now.duration(to: moment).milliseconds)
        return Int32(clamping: min(left, Self.longestPoll) &+ 1)
    }

    private static var outOfMemory: TransportError {
        TransportError(
            kind: .other, message: "libcurl cannot allocate", mayHaveBeenReceived: false)
    }

    private static func text(_ code: CURLMcode) -> String {
        String(cString: curl_multi_strerror(code))
    }
}
