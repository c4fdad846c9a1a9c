// Asynchronous jobs. The work is done at launch; a job holds the result until the client has polled
// often enough.

import Synchronization

/// Results waiting to be polled.
final class JobTable: Sendable {
    private struct Job {
        let function: String
        let result: JSONValue
        var pollsLeft: Int64
    }

    private let jobs = Mutex<[String: Job]>([:])

    /// Stores the result of a batch; returns the job's id.
    func add(_ function: String, result: JSONValue, polls: Int64) -> String {
        let id = AccountRegistry.secret("dbjid:AA")
        jobs.withLock {
            $0[id] = Job(function: function, result: result, pollsLeft: polls)
        }
        return id
    }

    /// The status of a job that the function launched; nil if there is none.
    func poll(_ id: String, of function: String) -> JSONValue? {
        jobs.withLock { jobs in
            guard var job = jobs[id], job.function == function else { return nil }
            if job.pollsLeft > 0 {
                job.pollsLeft -= 1
                jobs[id] = job
                return .tag("in_progress")
            }
            return .tagged("complete", job.result)
        }
    }
}
