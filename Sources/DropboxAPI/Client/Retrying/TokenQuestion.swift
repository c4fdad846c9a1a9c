// The wait of one call for an access token, which ends with the call's time. Not responsible for
// renewals: they have a limit of their own, and go on for other calls.

/// A question to a client's provider of tokens.
struct TokenQuestion: Sendable {
    typealias Answer = Result<AccessToken?, TokenError>

    /// A year: no wait is longer, so that no sum with it overflows.
    private static let longestWait = Duration.seconds(31_536_000)

    private let ask: @Sendable () async throws(TokenError) -> AccessToken?

    init(_ ask: @escaping @Sendable () async throws(TokenError) -> AccessToken?) {
        self.ask = ask
    }

    /// The answer; nil if `limit` is over before it comes. A provider that does not notice that its
    /// task is cancelled holds no caller.
    func answer(within limit: Duration?) async -> Answer? {
        guard let limit else { return await answer() }
        guard limit > .zero else { return nil }
        let (ends, end) = AsyncStream.makeStream(of: Answer?.self)
        let question = Task {
            let answer = await self.answer()
            end.yield(answer)
        }
        // In real time, by which the transport measures the time that is left for the request.
        let timer = Task {
            guard (try? await Task.sleep(for: min(limit, Self.longestWait))) != nil else { return }
            end.yield(nil)
        }
        defer {
            question.cancel()
            timer.cancel()
        }
        for await first in ends { return first }
        // The stream ended with the task that reads it.
        return .failure(.cancelled)
    }

    private func answer() async -> Answer {
        do throws(TokenError) {
            return .success(try await ask())
        } catch {
            return .failure(error)
        }
    }
}
