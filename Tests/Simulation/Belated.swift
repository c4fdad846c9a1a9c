// Requests that arrive at the server late, when the client has given them up. Not responsible for
// the choice of them, which is a link's.

import Core
import RemoteStore

/// Requests that the client has given up, and that the server will carry out all the same.
///
/// `unchecked`: used on the scheduler's thread only.
final class Belated: @unchecked Sendable {
    /// The longest time until then, in milliseconds: a little less than the time for which dbxfs
    /// waits.
    static let longest = 800_000

    private let scheduler: Scheduler
    /// The number of the responses.
    private(set) var count = 0
    /// Contents that arrived late where one had arrived before. A mount that has seen one arrival
    /// at a place takes the next one there for another client's: for a file that was restored.
    private(set) var again: [[UInt8]] = []
    private var arrived: Set<[UInt8]> = []
    private var places: Set<RemotePath> = []
    /// Whether any request will be, or was.
    private(set) var isUsed = false
    /// Whether a mode has arrived late, and perhaps replaced a newer one.
    var hasFacts = false

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// Notes content that a request in time has brought to a place.
    func note(_ content: [UInt8], at place: RemotePath) {
        arrived.insert(content)
        places.insert(place)
    }

    /// Notes content that a late request brings to a place, with the mode of that time or not.
    func noteLate(_ content: [UInt8], withFacts: Bool, at place: RemotePath) {
        let isFirst = arrived.insert(content).inserted && places.insert(place).inserted
        if isFirst { return }
        again.append(content)
        if withFacts { hasFacts = true }
    }

    /// Lets a request arrive after some time.
    func carryOut(_ body: @escaping @Sendable () async -> Void) {
        count += 1
        isUsed = true
        let time = scheduler.now + Int64(scheduler.draw(Self.longest)) * 1_000_000
        Task.detached { [self] in
            await scheduler.sleep(until: time)
            await body()
            count -= 1
        }
    }
}
