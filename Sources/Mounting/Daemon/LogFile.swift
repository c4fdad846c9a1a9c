// The destination of log lines: a file of the account, or stderr in the foreground. Removes
// registered secrets.

import Glibc
import LocalFiles
import LocalIO
package import Logging
import Saturating
import Synchronization
import SystemPackage

/// A file or terminal that takes log lines from any thread.
package final class LogSink: Sendable {
    /// Bytes after which a log file is renamed to `….1`.
    private static let rotationSize: Int64 = 10 << 20

    /// Number of secrets to search for in each line.
    private static let secretLimit = 16

    private let descriptor: Int32
    private let path: String?
    /// Whether the journal takes the lines, which adds the time itself and reads the level from the
    /// line.
    let isJournal: Bool
    private let state: Mutex<State>
    /// The least severe level that is written. A lock of its own, because every message checks it,
    /// written or not.
    private let threshold = Mutex(Logger.Level.info)

    private struct State {
        var size: Int64
        var secrets: [String] = []
    }

    /// Logs to stderr, without rotation.
    package convenience init() {
        self.init(standardError: ProcessVariables.all["JOURNAL_STREAM"])
    }

    /// Logs to stderr; `journal` is the value of JOURNAL_STREAM, by which systemd names its socket.
    init(standardError journal: String?) {
        descriptor = STDERR_FILENO
        path = nil
        isJournal = journal.map { $0 == Self.identity(of: STDERR_FILENO) } ?? false
        state = Mutex(State(size: 0))
    }

    /// Logs to a private file, and redirects stderr to it: libraries and the Swift runtime write
    /// their last words there.
    package convenience init(path: String) throws(CommandError) {
        try self.init(path: path, takesStandardError: true)
    }

    init(
        path: String, takesStandardError: Bool, isJournal: Bool = false
    ) throws(CommandError) {
        let file: Int32
        do throws(RegularFile.Failure) {
            file = try Self.open(path)
        } catch {
            throw .folderUnusable(path: path, reason: error.description)
        }
        if takesStandardError { dup2(file, STDERR_FILENO) }
        descriptor = file
        self.path = path
        self.isJournal = isJournal
        state = Mutex(State(size: Int64(clamping: lseek(file, 0, SEEK_END))))
    }

    /// Registers a text to be replaced in every line.
    ///
    /// Of the secrets that change while a mount runs, only the last ones are kept: older ones have
    /// expired.
    package func hide(_ secret: String) {
        state.withLock { state in
            state.secrets.removeAll { $0 == secret }
            state.secrets.append(secret)
            if state.secrets.count > Self.secretLimit { state.secrets.removeFirst() }
        }
    }

    /// Sets the least severe level, except for loggers with a level of their own. Initially `info`.
    package func setLevel(_ level: LogLevel) {
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
            state.size +|= Int64(clamping: text.utf8.count)
            let isFull = path != nil && state.size > Self.rotationSize
            if isFull { state.size = 0 }
            return (text, isFull)
        }
        // One call with O_APPEND: lines of different threads do not mix.
        _ = Array(text.utf8).withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if isFull { rotate() }
    }

    /// Keeps the descriptor's number, so no writer has to be updated.
    private func rotate() {
        guard let path else { return }
        rename(path, path + ".1")
        guard let file = try? Self.open(path) else { return }
        dup2(file, descriptor)
        dup2(file, STDERR_FILENO)
        close(file)
    }

    /// `DEVICE:INODE` of an open file, as in JOURNAL_STREAM (systemd.exec(5)): a redirected stderr
    /// is another one.
    static func identity(of descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return "\(status.st_dev):\(status.st_ino)"
    }

    private static func open(_ path: String) throws(RegularFile.Failure) -> Int32 {
        try RegularFile.open(path, O_WRONLY | O_CREAT | O_APPEND)
    }
}

/// Formats log records as lines: time, level, label, text, details. For the journal, a prefix of
/// sd-daemon(3) replaces time and level.
package struct LineLogHandler: LogHandler {
    /// Details that every record carries.
    package var metadata: Logger.Metadata = [:]
    /// The logger's level: the sink's until it is set.
    package var logLevel: Logger.Level {
        get { ownLevel ?? sink.level }
        set { ownLevel = newValue }
    }
    private var ownLevel: Logger.Level?
    private let label: String
    private let sink: LogSink

    /// Logs under a label, from the sink's level on.
    package init(label: String, sink: LogSink) {
        self.label = label
        self.sink = sink
    }

    /// Reads or sets one detail.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Formats and writes a record.
    package func log(event: LogEvent) {
        let details = metadata.merging(event.metadata ?? [:]) { $1 }
        let start =
            sink.isJournal
            ? "<\(Self.priority(of: event.level))>"
            : "\(Self.timestamp()) \(event.level.rawValue) "
        var line = "\(start)\(label): \(event.message)"
        for (key, value) in details.sorted(by: { $0.key < $1.key }) {
            line += " \(key)=\(value)"
        }
        // A name or a server's response may contain a line break or control characters, and must
        // not forge a record or control the terminal of a reader.
        sink.write(Terminal.printable(line) + "\n")
    }

    /// The number of a level in syslog(3).
    private static func priority(of level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    private static func timestamp() -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let padded = 1000 +| now.tv_nsec / 1_000_000
        let milliseconds = String(padded).dropFirst()
        return text(of: buffer) + "." + milliseconds + "Z"
    }
}
