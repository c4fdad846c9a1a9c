// The template of the properties in which facts are kept: found again by its name, made when it is
// first needed. Dropbox shows a template and its properties to the app that made it only, so all
// machines of an account have to log in with the same app key.

import Core
import DropboxAPI
import Logging
import Saturating
import Synchronization

/// The account's template for facts, as far as it is known.
final class FactsTemplate: Sendable {
    /// The name of the template. Another form of the facts is another version in their text.
    static let name = "dbxfs"
    /// The only field of the template.
    static let field = MetadataReader.factsField
    /// How long an account without a template is believed to have none.
    private static let lookInterval = Duration.seconds(300)
    /// How long commits go without facts after a failure.
    private static let pause = Duration.seconds(60)
    /// Templates of the app to look at; real accounts have one.
    private static let most = 20

    /// Whether facts are to be kept in the account at all.
    let isShared: Bool
    private let clock: StoreClock
    private let log: Logger
    /// Held for memory accesses only.
    private let state = Mutex(State())

    private struct State {
        /// The templates of the name, the one to write by first.
        var found: [Found] = []
        /// Those that the server has refused.
        var gone: Set<String> = []
        var lastLook: ContinuousClock.Instant?
        /// Whether a listing of the templates has shown that no other machine has made one at the
        /// same moment.
        var isOnlyOne = false
        /// When the last try to make one failed.
        var lastFailure: ContinuousClock.Instant?
        /// Why the account keeps no facts.
        var refusal: RemoteError?
        /// The request for a template that runs.
        var making: Task<RemoteOutcome<String>, Never>?
    }

    /// A template of the name.
    struct Found: Hashable, Sendable, Comparable {
        var id: String
        /// When it was made, as its maker's clock had it. Of two templates the older one counts.
        var made: Int64

        static func < (left: Found, right: Found) -> Bool {
            (left.made, left.id) < (right.made, right.id)
        }
    }

    init(isShared: Bool, clock: StoreClock, log: Logger) {
        self.isShared = isShared
        self.clock = clock
        self.log = log
    }

    /// The known templates, the one to write by first: two machines that make one at the same
    /// moment may leave two. Empty if facts are not shared.
    var ids: [String] { state.withLock { $0.found.map(\.id) } }

    /// Why the account keeps no facts; nil if it does, or may.
    var refusal: RemoteError? { state.withLock { $0.refusal } }

    /// Takes over the templates that an earlier process knew.
    func resume(_ ids: [String]) {
        guard isShared, !ids.isEmpty else { return }
        state.withLock { state in
            guard state.found.isEmpty else { return }
            let usable = ids.filter { Self.isUsable($0) && !state.gone.contains($0) }
            state.found = usable.enumerated().map { Found(id: $1, made: Int64(clamping: $0)) }
        }
    }

    /// Where a listing begins.
    func position(isFeed: Bool) -> FeedPosition {
        FeedPosition(templates: ids, isFeed: isFeed)
    }

    /// Whether a feed at a position tells of all facts.
    func isCovered(by position: FeedPosition) -> Bool {
        !isShared || !position.isFeed || ids.allSatisfy(position.templates.contains)
    }

    /// Drops templates that the server no longer has.
    func forget(_ ids: [String]) {
        state.withLock { state in
            state.gone.formUnion(ids)
            state.found.removeAll { ids.contains($0.id) }
            state.lastLook = nil
        }
    }

    /// Whether to look for a template that another machine may have made.
    var isWorthLooking: Bool {
        let now = clock.now()
        return isShared
            && state.withLock { state in
                (state.found.isEmpty || !state.isOnlyOne) && state.refusal == nil
                    && state.lastLook.map { $0.duration(to: now) > Self.lookInterval } ?? true
            }
    }

    // MARK: Requests

    /// Looks for the template. Throws for a failure of the network; an account that does not keep
    /// facts has none.
    func look(_ client: DropboxClient) async throws(RemoteError) {
        // A failure counts, too: the next listing does not ask again.
        let now = clock.now()
        state.withLock { $0.lastLook = now }
        let found = try await templates(client)
        state.withLock {
            $0.found = found
            $0.isOnlyOne = true
        }
    }

    /// The template, which is made if the account has none. Throws `forbidden` if it cannot be.
    func ensure(_ client: DropboxClient) async throws(RemoteError) -> String {
        guard isShared else { throw .forbidden("modes and attributes are kept on this machine") }
        if let known = ids.first { return known }
        if let refusal { throw refusal }
        let making = state.withLock { state in
            let task = state.making ?? Task { await self.outcome(client) }
            state.making = task
            return task
        }
        return try await making.value.get()
    }

    /// The template for a commit, which is sent without facts rather than not at all. Nil if the
    /// account has none, unless the facts are `needed` and it can be made.
    func forCommit(_ client: DropboxClient, needed: Bool) async -> String? {
        if let known = ids.first { return known }
        let now = clock.now()
        let hasFailed = state.withLock { state in
            state.lastFailure.map { $0.duration(to: now) <= Self.pause } ?? false
        }
        guard isShared, needed, !hasFailed else { return nil }
        return try? await ensure(client)
    }

    private func outcome(_ client: DropboxClient) async -> RemoteOutcome<String> {
        var outcome: RemoteOutcome<String>
        do throws(RemoteError) {
            outcome = .success(try await findOrMake(client))
        } catch {
            outcome = .failure(error)
            let now = clock.now()
            state.withLock { $0.lastFailure = now }
            if !error.isPassing {
                log.notice(
                    "modes and attributes stay on this machine", metadata: ["reason": "\(error)"])
                let refusal = RemoteError.forbidden("\(error)")
                state.withLock { $0.refusal = refusal }
                outcome = .failure(refusal)
            }
        }
        state.withLock { $0.making = nil }
        return outcome
    }

    private func findOrMake(_ client: DropboxClient) async throws(RemoteError) -> String {
        if isWorthLooking { try await look(client) }
        if let known = ids.first { return known }
        // If the reply is lost, the next listing of templates finds it.
        state.withLock { $0.lastLook = nil }
        let made = try await make(client)
        // Another machine may have made one at the same moment, and its template may come later.
        try await look(client)
        state.withLock { $0.isOnlyOne = false }
        guard let first = ids.first, ids.contains(made.id) else {
            // The server does not list it yet.
            state.withLock { $0.found = [made] }
            return made.id
        }
        if first != made.id {
            // Nothing has been written by it.
            do {
                _ = try await client.call(
                    FileProperties.templatesRemoveForUser, .init(templateID: made.id),
                    options: .interactive)
                forget([made.id])
            } catch {
                log.notice("a second template stays", metadata: ["reason": "\(error)"])
            }
        }
        return first
    }

    private func make(_ client: DropboxClient) async throws(RemoteError) -> Found {
        let now = Found.now
        let argument = FileProperties.AddTemplateArg(
            name: Self.name, description: Found.description(made: now),
            fields: [
                FileProperties.PropertyFieldTemplate(
                    name: Self.field, description: "Mode, times and attributes of the file",
                    type: .string)
            ])
        let id: String
        do {
            id = try await client.call(
                FileProperties.templatesAddForUser, argument, options: .interactive
            ).templateID
        } catch {
            throw RemoteError(error) { .forbidden("\($0)") }
        }
        guard Self.isUsable(id) else { throw .malformed("a template without a usable id") }
        let made = Found(id: id, made: now)
        state.withLock { $0.found = [made] }
        return made
    }

    /// All templates of the name, those of earlier looks without a request.
    private func templates(_ client: DropboxClient) async throws(RemoteError) -> [Found] {
        let ids: [String]
        do {
            ids = try await client.call(
                FileProperties.templatesListForUser, options: .interactive
            ).templateIDs
        } catch {
            throw RemoteError(error) { .forbidden("\($0)") }
        }
        let (known, gone) = state.withLock { ($0.found, $0.gone) }
        var found: [Found] = []
        for id in ids.prefix(Self.most) where Self.isUsable(id) && !gone.contains(id) {
            if let same = known.first(where: { $0.id == id }) {
                found.append(same)
                continue
            }
            do {
                let template = try await client.call(
                    FileProperties.templatesGetForUser, .init(templateID: id),
                    options: .interactive)
                if let one = Found(id: id, template) { found.append(one) }
            } catch {
                if case .templateNotFound? = error.routeError { continue }
                throw RemoteError(error) { .forbidden("\($0)") }
            }
        }
        return found.sorted()
    }

    /// Removes the account's templates for facts, and with them all facts there. Returns how many
    /// there were.
    func removeAll(_ client: DropboxClient) async throws(RemoteError) -> Int {
        let found = try await templates(client)
        for template in found {
            do {
                _ = try await client.call(
                    FileProperties.templatesRemoveForUser, .init(templateID: template.id),
                    options: .change)
            } catch {
                if case .templateNotFound? = error.routeError { continue }
                throw RemoteError(error) { .forbidden("\($0)") }
            }
        }
        forget(found.map(\.id))
        return found.count
    }

    /// Whether the server takes an id in a request (`TemplateId` of `file_properties.stone`), and
    /// it can be a part of a stored position.
    private static func isUsable(_ id: String) -> Bool {
        (id.hasPrefix("ptid:") || id.hasPrefix("/")) && MetadataReader.isIdentifier(id)
            && !id.utf8.contains(UInt8(ascii: ","))
    }
}

extension FactsTemplate.Found {
    private static let prefix = "Modes, times and attributes of files (dbxfs), made at "

    /// Nanoseconds since the epoch.
    static var now: Int64 { WallTime.now().nanoseconds }

    static func description(made: Int64) -> String { "\(prefix)\(made)" }

    /// A template of the server; nil for another app's or another purpose's.
    init?(id: String, _ template: FileProperties.GetTemplateResult) {
        guard template.name == FactsTemplate.name,
            template.fields.contains(where: { $0.name == FactsTemplate.field })
        else { return nil }
        let text = template.description.dropFirst(Self.prefix.count)
        self.init(id: id, made: Int64(text, radix: 10) ?? .max)
    }
}

extension RemoteError {
    /// Whether the same request may succeed later.
    fileprivate var isPassing: Bool {
        switch self {
        case .offline, .unreachable, .timedOut, .rateLimited, .unauthorized, .cancelled, .busy,
            .rootChanged, .rootMissing, .cursorReset, .server:
            true
        default: false
        }
    }
}
