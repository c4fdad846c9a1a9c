// Longpoll: the one function without a token, because its cursor identifies the account.

import HTTPTypes
import Hummingbird

/// `files/list_folder/longpoll`: waits for changes after a cursor.
struct LongpollRoute {
    let emulator: Emulator

    /// Responds after a change and the configured delay, or after the timeout.
    func respond(to request: Request, body: IncomingBody) async throws -> RouteResponse {
        let source = try await ArgumentSource(request, style: .rpc, body: body)
        let (text, timeout) = try arguments(source)
        let plain = text.hasSuffix(Routes.emptyPageMark) ? String(text.dropLast()) : text
        guard let cursor = Cursor(plain), let account = emulator.accounts.account(cursor.account),
            let space = emulator.accounts.space(of: account)
        else {
            throw ArgumentError(message: "Invalid \"cursor\" parameter: '\(text)'")
        }
        let hasChanges = try await wait(for: cursor, in: space, until: .now + timeout)
        let response: JSONValue = ["changes": .boolean(hasChanges)]
        return .json(
            response.adding(
                "backoff", emulator.settings.longpollBackoff.map { .integer($0) }))
    }

    private func arguments(_ source: ArgumentSource) throws -> (String, Duration) {
        let (cursor, seconds) = try source.read {
            reader throws(ArgumentError) -> (String, Int64) in
            (
                try reader.string("cursor", length: 1...Int.max),
                try reader.integer("timeout", in: 30...480, default: 30)
            )
        }
        let settings = emulator.settings
        if let milliseconds = settings.longpollTimeout {
            return (cursor, .milliseconds(milliseconds))
        }
        let jitter = settings.longpollJitter * 1000
        return (cursor, .seconds(seconds) + .milliseconds(Int64.random(in: 0...max(0, jitter))))
    }

    /// Throws for a reset only: the deletion of the folder itself counts as a change.
    private func wait(
        for cursor: Cursor, in space: Space, until deadline: ContinuousClock.Instant
    ) async throws -> Bool {
        while true {
            let generation = space.changed.generation
            let news = try space.tree { tree throws(ListingError) -> Int? in
                do throws(ListingError) {
                    return try tree.firstNews(cursor)
                } catch {
                    guard error != .reset else { throw error }
                    return tree.changes.count - 1
                }
            }
            if let news {
                return await isTold(news, in: space, until: deadline)
            }
            guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
            _ = await space.changed.wait(after: generation, until: deadline)
        }
    }

    /// Waits until the delay of a change has passed. Returns whether that is before the deadline.
    private func isTold(
        _ position: Int, in space: Space, until deadline: ContinuousClock.Instant
    ) async -> Bool {
        let delay = emulator.settings.longpollDelay
        guard delay > 0, let time = space.time(ofChange: position) else { return true }
        let due = time + .milliseconds(delay)
        try? await Task.sleep(until: min(due, deadline), clock: .continuous)
        return due <= deadline && !Task.isCancelled
    }
}
