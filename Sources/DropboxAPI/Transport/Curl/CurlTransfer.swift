// One transfer: a libcurl handle, its options and its callbacks. Used by the curl thread alone. Not
// responsible for starting, queueing and timeouts: see CurlWorker.

import CCurl
import CLibrary

/// A request being sent and its response being received.
final class CurlTransfer {
    let id: UInt64
    let request: TransportRequest
    let exchange: Exchange
    let easy: UnsafeMutableRawPointer
    /// When it was handed to libcurl.
    let began = ContinuousClock.now
    var timer: TransferTimer
    /// When the timer is checked next; nil for never.
    var nextCheck: ContinuousClock.Instant?

    /// Set by callbacks; owned by the worker, which shares it between transfers.
    unowned let flow: CurlFlow
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>
    private var parser = HeadParser()
    private var hasHead = false
    private var announcedLength: UInt64?
    private var sentOffset: UInt64 = 0
    private var sampledUpload: Int64 = 0
    /// The error with which a callback ended the transfer, if any.
    private var callbackError: TransportError?
    private(set) var isHeldByReader = false
    var isThrottledDown = false
    var isThrottledUp = false

    init(
        id: UInt64, request: TransportRequest, exchange: Exchange, easy: UnsafeMutableRawPointer,
        timer: TransferTimer, flow: CurlFlow
    ) {
        self.id = id
        self.request = request
        self.exchange = exchange
        self.easy = easy
        self.timer = timer
        self.flow = flow
        errorText = .allocate(capacity: Int(clamping: CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(clamping: CURL_ERROR_SIZE))
    }

    deinit {
        curl_slist_free_all(headers)
        errorText.deallocate()
    }

    // MARK: Options

    /// Sets all options; throws when the request cannot be sent.
    func configure(_ settings: CurlSettings) throws(TransportError) {
        let url = try ServerURL(base: request.url)
        setDestination(url, settings)
        try setHeaders()
        setBody()
        setCallbacks()
        setLong(CURLOPT_NOSIGNAL, 1)
        // Without it, ending a transfer blocks this thread, and with it all other transfers, until
        // its name resolution ends. The resolver's thread cleans up after itself.
        setLong(CURLOPT_QUICK_EXIT, 1)
        setLong(CURLOPT_TCP_NODELAY, 1)
        setLong(CURLOPT_TCP_KEEPALIVE, 1)
        setLong(CURLOPT_TCP_KEEPIDLE, 30)
        setLong(CURLOPT_TCP_KEEPINTVL, 15)
        // libcurl limits the timeout to a C int.
        let connect = Int32(clamping: request.timeouts.connect.milliseconds)
        setLong(CURLOPT_CONNECTTIMEOUT_MS, Int(clamping: connect))
        setLong(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Middle boxes silently drop idle connections after a minute or more.
        setLong(CURLOPT_MAXAGE_CONN, 55)
        if let age = settings.trustedConnectionAge {
            setLong(CURLOPT_MAXLIFETIME_CONN, age)
        }
        if request.acceptsCompression {
            ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, "gzip")
        }
        if request.purpose == .download {
            setLong(CURLOPT_BUFFERSIZE, 512 << 10)
        }
        if request.purpose == .upload {
            setLong(CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
        }
    }

    private func setDestination(_ url: ServerURL, _ settings: CurlSettings) {
        ccurl_set_string(easy, CURLOPT_URL, request.url)
        ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, url.isEncrypted ? "https" : "http")
        setLong(CURLOPT_FOLLOWLOCATION, 0)
        setProxy(url, settings.proxy)
        setLong(CURLOPT_IPRESOLVE, settings.ipVersion.option)
        let usesHTTP2 = url.isEncrypted && settings.http2.contains(request.purpose)
        let version = usesHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        setLong(CURLOPT_HTTP_VERSION, Int(clamping: version))
        // Calls wait for an HTTP/2 connection to multiplex on rather than open one each; content
        // needs separate connections.
        setLong(CURLOPT_PIPEWAIT, usesHTTP2 && !request.purpose.movesContent ? 1 : 0)
        setLong(CURLOPT_SSL_VERIFYPEER, 1)
        setLong(CURLOPT_SSL_VERIFYHOST, 2)
        setLong(CURLOPT_SSLVERSION, Int(clamping: CURL_SSLVERSION_TLSv1_2))
        // A proxy that is reached by TLS has options of its own.
        setLong(CURLOPT_PROXY_SSLVERSION, Int(clamping: CURL_SSLVERSION_TLSv1_2))
        if let file = settings.certificateFile {
            ccurl_set_string(easy, CURLOPT_CAINFO, file)
            ccurl_set_string(easy, CURLOPT_PROXY_CAINFO, file)
        }
        if let folder = settings.certificateFolder {
            ccurl_set_string(easy, CURLOPT_CAPATH, folder)
            ccurl_set_string(easy, CURLOPT_PROXY_CAPATH, folder)
        }
        if url.isEncrypted, let keys = settings.pinnedKeys {
            ccurl_set_string(easy, CURLOPT_PINNEDPUBLICKEY, keys)
        }
        ccurl_set_pointer(easy, CURLOPT_SHARE, settings.share)
    }

    private func setProxy(_ url: ServerURL, _ setting: ProxySetting) {
        switch setting {
        // Loopback bypasses the proxy: a proxy on another machine would resolve it to itself.
        case _ where ServerURL.isLoopback(url.host): ccurl_set_string(easy, CURLOPT_PROXY, "")
        case .environment: break
        case .none: ccurl_set_string(easy, CURLOPT_PROXY, "")
        case .proxy(let proxy):
            ccurl_set_string(easy, CURLOPT_PROXY, proxy.url)
            // Also if empty: the environment's exceptions belong to the environment's proxy.
            ccurl_set_string(easy, CURLOPT_NOPROXY, proxy.exceptions.joined(separator: ","))
        }
    }

    private func setHeaders() throws(TransportError) {
        // An empty value removes a header that libcurl would add by itself.
        var lines = ["Expect:"]
        if request.headers["Content-Type"] == nil {
            lines.append("Content-Type:")
        }
        try request.headers.check()
        for field in request.headers.fields {
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        for line in lines {
            guard let list = curl_slist_append(headers, line) else { continue }
            headers = list
        }
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, headers)
    }

    private func setBody() {
        guard request.method == .post else {
            setLong(CURLOPT_HTTPGET, 1)
            return
        }
        let length = request.body?.length ?? 0
        setLong(CURLOPT_POST, 1)
        ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(clamping: length))
        // libcurl resends a request by itself when an idle connection turns out to be closed. A
        // body that must not be sent twice refuses to be rewound; without a body only a new
        // connection prevents it.
        if length == 0 && !request.mayBeSentTwice {
            setLong(CURLOPT_FRESH_CONNECT, 1)
        }
    }

    /// libcurl passes sizes as item size times item count; the item size is always one.
    private func setCallbacks() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_pointer(easy, CURLOPT_PRIVATE, context)
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { data, size, count, context in
            guard let data, let transfer = CurlTransfer.from(context) else { return 0 }
            return transfer.receiveHeader(UnsafeRawBufferPointer(start: data, count: size &* count))
        }
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { data, size, count, context in
            guard let data, let transfer = CurlTransfer.from(context) else { return 0 }
            return transfer.receiveBody(UnsafeRawBufferPointer(start: data, count: size &* count))
        }
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        ccurl_set_data_callback(easy, CURLOPT_READFUNCTION) { data, size, count, context in
            guard let data, let transfer = CurlTransfer.from(context) else {
                return Int(clamping: CURL_READFUNC_ABORT)
            }
            return transfer.sendBody(
                UnsafeMutableRawBufferPointer(start: data, count: size &* count))
        }
        ccurl_set_pointer(easy, CURLOPT_READDATA, context)
        ccurl_set_seek_callback(easy) { context, offset, origin in
            CurlTransfer.from(context)?.rewind(to: offset, origin: origin) ?? CURL_SEEKFUNC_FAIL
        }
        ccurl_set_pointer(easy, CURLOPT_SEEKDATA, context)
    }

    private func setLong(_ option: CURLoption, _ value: Int) {
        ccurl_set_long(easy, option, value)
    }

    /// The transfer behind a callback's context. The pointer is valid: libcurl calls back only for
    /// transfers that the worker holds.
    static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    // MARK: Callbacks

    private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
        switch parser.take(line) {
        case .incomplete: break
        case .tooLarge:
            callbackError = TransportError(
                kind: .tooLarge, message: "the answer's head is too large",
                mayHaveBeenReceived: true)
            return 0
        case .head(let status):
            hasHead = true
            announcedLength = parser.headers["Content-Length"].flatMap { UInt64($0, radix: 10) }
            flow.noteProgress(self)
            nextCheck = .now
            exchange.deliver(ResponseHead(status: status, headers: parser.headers))
        }
        return line.count
    }

    private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard flow.mayReceive(self) else { return Int(clamping: CURL_WRITEFUNC_PAUSE) }
        switch exchange.receive(bytes, announced: announcedLength) {
        case .refused: return 0
        case .heldUp:
            isHeldByReader = true
            return Int(clamping: CURL_WRITEFUNC_PAUSE)
        case .taken:
            flow.noteReceived(bytes.count, self)
            return bytes.count
        }
    }

    private func sendBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = request.body, sentOffset < body.length else { return 0 }
        let allowed = flow.maySend(self, upTo: buffer.count)
        guard allowed > 0 else { return Int(clamping: CURL_READFUNC_PAUSE) }
        // Not past the end: the check above handles that.
        let room = min(allowed, Int(clamping: body.length &- sentOffset))
        do {
            let count = try body.read(
                at: sentOffset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
            guard count > 0, count <= room else {
                return failBody("the body ended \(body.length &- sentOffset) bytes early")
            }
            sentOffset &+= UInt64(clamping: count)
            flow.noteSent(count, self)
            return count
        } catch {
            return failBody("the body cannot be read: \(error)")
        }
    }

    private func failBody(_ message: String) -> Int {
        callbackError = TransportError(
            kind: .bodySource, message: message, mayHaveBeenReceived: true)
        return Int(clamping: CURL_READFUNC_ABORT)
    }

    private func rewind(to offset: curl_off_t, origin: Int32) -> Int32 {
        guard origin == SEEK_SET, offset >= 0, request.mayBeSentTwice || sentOffset == 0 else {
            return CURL_SEEKFUNC_FAIL
        }
        sentOffset = UInt64(clamping: offset)
        return CURL_SEEKFUNC_OK
    }

    // MARK: State

    /// The timer's phase of the transfer; records progress when bytes were sent since the last
    /// call.
    func phase(at now: ContinuousClock.Instant) -> TransferTimer.Phase {
        if isHeldByReader || isThrottledDown || isThrottledUp {
            timer.noteProgress(at: now)
            return .heldUp
        }
        if hasHead { return .receiving }
        guard hasConnection else {
            timer.noteProgress(at: now)
            return .starting
        }
        let uploaded = offset(CURLINFO_SIZE_UPLOAD_T)
        if uploaded != sampledUpload {
            sampledUpload = uploaded
            timer.noteProgress(at: now)
        }
        return uploaded < Int64(clamping: request.body?.length ?? 0) ? .sending : .waiting
    }

    /// Whether libcurl has begun to send this request, so that the server may have received it.
    var hasConnection: Bool { offset(CURLINFO_PRETRANSFER_TIME_T) > 0 }

    /// The address of this machine on its connection; nil without one.
    var localAddress: String? {
        var text: UnsafePointer<CChar>?
        ccurl_get_string(easy, CURLINFO_LOCAL_IP, &text)
        guard let text, text[0] != 0 else { return nil }
        return String(cString: text)
    }

    private func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        ccurl_get_offset(easy, info, &value)
        return Int64(clamping: value)
    }

    /// Pauses or resumes receiving and sending according to the current reasons to pause.
    func applyPauses() {
        let down = isHeldByReader || isThrottledDown ? CURLPAUSE_RECV : 0
        let up = isThrottledUp ? CURLPAUSE_SEND : 0
        // A failure here fails the transfer, whose result reports it.
        curl_easy_pause(easy, down | up)
    }

    func readerMadeRoom() {
        isHeldByReader = false
        applyPauses()
    }

    /// Translates libcurl's result code.
    func outcome(_ code: CURLcode) -> Result<Void, TransportError> {
        if code == CURLE_OK { return .success(()) }
        if let callbackError { return .failure(callbackError) }
        let text = String(cString: errorText)
        let message = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
        return .failure(
            TransportError(curl: code, message: message, mayHaveBeenReceived: hasConnection))
    }
}

extension IPVersion {
    fileprivate var option: Int {
        switch self {
        case .any: Int(clamping: CURL_IPRESOLVE_WHATEVER)
        case .v4: Int(clamping: CURL_IPRESOLVE_V4)
        case .v6: Int(clamping: CURL_IPRESOLVE_V6)
        }
    }
}

extension TransferPurpose {
    var movesContent: Bool { self == .upload || self == .download }
}
