// Random histories against the reference: the definition of correct, applied step by step.

import Foundation
import Testing

@testable import FileSystem

struct ModelTests {
    private static let stepCount = 200

    /// A nightly run asks for more than the usual few.
    private static let seedCount =
        ProcessInfo.processInfo.environment["DBXFS_MODEL_SEEDS"].flatMap { Int($0) } ?? 12

    @Test(
        "random histories end as POSIX says, after every step, with all names or those of Dropbox",
        arguments: 1...seedCount, [false, true])
    func histories(_ seed: Int, _ refusesNames: Bool) async throws {
        let history = Operation.history(seed: UInt64(seed), count: Self.stepCount)
        guard let difference = try await Self.difference(history, refusesNames) else { return }
        let short = await shrink(history) { candidate in
            (try? await Self.difference(candidate, refusesNames)) ?? nil != nil
        }
        let reason = try await Self.difference(short, refusesNames) ?? difference
        Issue.record(
            """
            seed \(seed), refusing names: \(refusesNames): \(reason)
            \(short.map { "    \($0)," }.joined(separator: "\n"))
            """)
    }

    private static func difference(
        _ history: [Operation], _ refusesNames: Bool
    ) async throws -> Difference? {
        do {
            try await ModelRun.play(history, refusesNames: refusesNames)
            return nil
        } catch let difference as Difference {
            return difference
        } catch let error as FileSystemError {
            return Difference(step: history.count, operation: "", text: "\(error)")
        }
    }
}
