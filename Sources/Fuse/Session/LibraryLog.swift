// libfuse's log messages. libfuse has one log function per process, so this is one object per
// process.

import CFuse
import Core
import Glibc
import Logging
import Saturating
import Synchronization

/// Turns libfuse's messages into log entries, and keeps the last ones to explain a failed mount.
enum LibraryLog {
    private struct State {
        var log: Logger?
        var messages: [String] = []
        var total = 0
    }

    /// More messages than libfuse logs for one failure.
    private static let kept = 16
    private static let state = Mutex(State())

    /// Sends further messages to `log` and returns a mark for `text(since:)`.
    static func capture(to log: Logger) -> Int {
        let isFirst = state.withLock { state in
            defer { state.log = log }
            return state.log == nil
        }
        if isFirst {
            fuse_set_log_func { level, format, arguments in
                guard let format, let arguments else { return }
                LibraryLog.add(level, format, arguments)
            }
        }
        return state.withLock { $0.total }
    }

    /// The messages since a mark, and those of a program that libfuse has started; or a text that
    /// there were none.
    static func text(since mark: Int, and others: [String] = []) -> String {
        var messages = state.withLock { Array($0.messages.suffix(clamping: $0.total -| mark)) }
        messages.append(contentsOf: others)
        return messages.isEmpty ? "no reason given" : messages.joined(separator: "; ")
    }

    private static func add(
        _ level: fuse_log_level, _ format: UnsafePointer<CChar>, _ arguments: CVaListPointer
    ) {
        let capacity = 512
        let message = String(unsafeUninitializedCapacity: capacity) { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                let length = vsnprintf(characters.baseAddress, capacity, format, arguments)
                return max(0, min(Int(clamping: length), capacity -| 1))
            }
        }
        let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
        let log = state.withLock { state in
            state.messages.append(line)
            if state.messages.count > kept {
                state.messages.removeFirst()
            }
            state.total +|= 1
            return state.log
        }
        log?.log(level: Logger.Level(level), "\(line)")
    }
}

extension Logger.Level {
    /// libfuse's levels are syslog's.
    init(_ level: fuse_log_level) {
        switch level {
        case FUSE_LOG_EMERG, FUSE_LOG_ALERT, FUSE_LOG_CRIT: self = .critical
        case FUSE_LOG_ERR: self = .error
        case FUSE_LOG_WARNING: self = .warning
        case FUSE_LOG_NOTICE: self = .notice
        case FUSE_LOG_INFO: self = .info
        default: self = .debug
        }
    }
}
