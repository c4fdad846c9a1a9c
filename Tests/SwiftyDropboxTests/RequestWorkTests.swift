// The handlers of a request, in their order.

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SwiftyDropbox

struct RequestWorkTests {
    @Test(
        "the last progress is told before the response, also when both come while progress is told")
    func order() async {
        let told = Mutex<[Int64]>([])
        let ended = AsyncStream.makeStream(of: Void.self)
        // Its own result comes too late to count.
        let work = RequestWork { _ in
            for await _ in ended.stream {}
            return .success(RequestReply(result: []))
        }
        work.setProgress(
            RequestProgress { progress in
                let count = told.withLock { told in
                    told.append(progress.completedUnitCount)
                    return told.count
                }
                guard count == 1 else { return }
                work.report(done: 2, total: 2)
                work.finish(.success(RequestReply(result: [])))
                ended.continuation.finish()
                // Until the response waits for the queue that this occupies.
                RequestWork.readers.sync(flags: .barrier) {}
            })
        await withCheckedContinuation { continuation in
            work.setCompletion(
                RequestCompletion(queue: DispatchQueue(label: "app")) { _ in
                    {
                        told.withLock { $0.append(-1) }
                        continuation.resume()
                    }
                })
            work.report(done: 1, total: 2)
        }
        #expect(told.withLock { $0 } == [1, 2, -1])
    }
}
