// Which transfers may run at the same time, and the order of those that wait. Not responsible for
// the transfers themselves: see `TransferTable`.

#if AsyncHTTPClient
    import DropboxAPI
    import Saturating

    /// The limits of a transport's purposes and servers, and the lines before them.
    ///
    /// Transfers beyond a limit wait here and not for a connection of async-http-client, which
    /// would count the wait as a connection attempt.
    struct TransferLines {
        /// The limits that a transfer is counted under.
        struct Line: Hashable, Sendable {
            let purpose: TransferPurpose
            /// The host and port.
            let server: String
        }

        private let concurrency: [TransferPurpose: Int]
        private let connectionsPerHost: Int?
        private var running: [TransferPurpose: Int] = [:]
        private var connected: [String: Int] = [:]
        /// Transfers beyond a limit, in order; no line is empty, and none has room.
        private var waiting: [Line: [UInt64]] = [:]

        /// `connectionsPerHost` is the most transfers of one server; nil means no limit.
        init(concurrency: [TransferPurpose: Int], connectionsPerHost: Int?) {
            self.concurrency = concurrency
            self.connectionsPerHost = connectionsPerHost
        }

        /// Whether the transfer may start now; otherwise it waits until `leave` names it.
        mutating func enter(_ id: UInt64, _ line: Line) -> Bool {
            guard hasRoom(line) else {
                waiting[line, default: []].append(id)
                return false
            }
            count(line)
            return true
        }

        /// Forgets a transfer that is over, running or not, and returns those that may start now.
        mutating func leave(_ id: UInt64, _ line: Line) -> [UInt64] {
            if let place = waiting[line]?.firstIndex(of: id) {
                takeFromLine(line, at: place)
                return []
            }
            running[line.purpose, default: 1] -|= 1
            let left = connected[line.server, default: 1] -| 1
            connected[line.server] = left > 0 ? left : nil
            var starting: [UInt64] = []
            while let (next, first) = nextWithRoom() {
                takeFromLine(next, at: 0)
                count(next)
                starting.append(first)
            }
            return starting
        }

        /// Of the lines that have room, the one whose first transfer has waited longest, and this
        /// transfer.
        private func nextWithRoom() -> (line: Line, id: UInt64)? {
            var longest: (line: Line, id: UInt64)?
            for (line, ids) in waiting where hasRoom(line) {
                // Numbers rise with the time of their request.
                guard let id = ids.first, id < longest?.id ?? .max else { continue }
                longest = (line, id)
            }
            return longest
        }

        private func hasRoom(_ line: Line) -> Bool {
            running[line.purpose, default: 0] < max(1, concurrency[line.purpose] ?? 8)
                && connected[line.server, default: 0] < max(1, connectionsPerHost ?? .max)
        }

        private mutating func count(_ line: Line) {
            running[line.purpose, default: 0] +|= 1
            connected[line.server, default: 0] +|= 1
        }

        private mutating func takeFromLine(_ line: Line, at place: Int) {
            waiting[line]?.remove(at: place)
            if waiting[line]?.isEmpty == true { waiting[line] = nil }
        }
    }

    extension TransferLines.Line {
        init(_ request: TransportRequest) {
            purpose = request.purpose
            server = request.url.drop { $0 != "/" }.drop { $0 == "/" }
                .prefix { !"/?#".contains($0) }.lowercased()
        }
    }
#endif
