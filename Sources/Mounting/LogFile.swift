// Where log lines go: a file of the account, or stderr in the foreground. Secrets that it is told of
// never get there.

import Glibc
public import Logging
import Synchronization
import SystemPackage

/// A file or terminal that takes log lines from any thread.
public final class LogSink: Sendable {
    /// Bytes after which a log file is set aside as `….1`.
    private static let rotationSize: Int64 = 10 << 20

    /// Secrets that are looked for in each line.
    private static let secretLimit = 16

    private let descriptor: Int32
    private let path: String?
    private let state: Mutex<State>
    /// The least severe level that is written. Apart from the rest: every message asks, written or not.
    private let threshold = Mutex(Logger.Level.info)

    private struct State {
        var size: Int64
        var secrets: [String] = []
    }

    /// Logs to stderr.
    public init() {
        descriptor = STDERR_FILENO
        path = nil
        state = Mutex(State(size: 0))
    }

    /// Logs to a file that only its owner can read, and lets stderr go there too: libraries and the
    /// Swift runtime write their last words to it.
    public convenience init(path: String) throws(CommandError) {
        try self.init(path: path, takesStandardError: true)
    }

    init(path: String, takesStandardError: Bool) throws(CommandError) {
        let file = Self.open(path)
        guard file >= 0 else {
            throw .folderUnusable(path: path, reason: currentErrno.description)
        }
        if takesStandardError { dup2(file, STDERR_FILENO) }
        descriptor = file
        self.path = path
        state = Mutex(State(size: Int64(lseek(file, 0, SEEK_END))))
    }

    /// From now on this text is replaced wherever it would appear.
    ///
    /// Of the secrets that come and go while a mount lasts, only the last ones are known: the others are
    /// good for nothing any more.
    public func hide(_ secret: String) {
        state.withLock { state in
            state.secrets.removeAll { $0 == secret }
            state.secrets.append(secret)
            if state.secrets.count > Self.secretLimit { state.secrets.removeFirst() }
        }
    }

    /// From now on, what is less severe is left out, but for loggers that have a level of their own.
    /// At first that is `info`.
    public func setLevel(_ level: LogLevel) {
        threshold.withLock { $0 = Logger.Level(rawValue: level.rawValue) ?? .info }
    }

    var level: Logger.Level { threshold.withLock { $0 } }

    func write(_ line: String) {
        let (text, isFull) = state.withLock { state -> (String, Bool) in
            var text = line
            for secret in state.secrets {
                text = text.split(separator: secret, omittingEmptySubsequences: false)
                    .joined(separator: "[hidden]")
            }
            state.size += Int64(text.utf8.count)
            let isFull = path != nil && state.size > Self.rotationSize
            if isFull { state.size = 0 }
            return (text, isFull)
        }
        // One call with O_APPEND: lines of different threads do not mix.
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if isFull { rotate() }
    }

    /// The descriptor keeps its number, so nobody has to be told.
    private func rotate() {
        guard let path else { return }
        rename(path, path + ".1")
        let file = Self.open(path)
        guard file >= 0 else { return }
        dup2(file, descriptor)
        dup2(file, STDERR_FILENO)
        close(file)
    }

    private static func open(_ path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }
}

/// Formats log records as lines: time, level, where from, text, details.
public struct LineLogHandler: LogHandler {
    /// Details that every record carries.
    public var metadata: Logger.Metadata = [:]
    /// What is logged at all: the sink's level until this logger gets its own.
    public var logLevel: Logger.Level {
        get { ownLevel ?? sink.level }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?
    private let label: String
    private let sink: LogSink

    /// Logs under a label, from the sink's level on.
    public init(label: String, sink: LogSink) {
        self.label = label
        self.sink = sink
    }

    /// One of the details.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a record.
    public func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }
        var line = "\(Self.timestamp()) \(event.level.rawValue) \(label): \(event.message)"
        for (key, value) in details.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(value)"
        }
        // A name or a server's answer may hold a line break, and must not be able to forge a record, nor to
        // command the terminal on which somebody reads the log.
        sink.write(Terminal.printable(line) + "\n")
    }

    private static func timestamp() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let milliseconds = String(1000 + now.tv_nsec / 1_000_000).dropFirst()
        return text(of: buffer) + "." + milliseconds + "Z"
    }
}
