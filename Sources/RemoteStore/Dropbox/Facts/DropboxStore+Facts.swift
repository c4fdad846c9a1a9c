// POSIX facts in properties of files and folders: with a commit, which costs no request, or alone.
// Not responsible for reading them (`MetadataReader`), nor for the template (`FactsTemplate`).

package import Core
package import DropboxAPI
import Logging

extension DropboxStore {
    /// Replaces the facts of a node. A lost response does no harm: the same facts are written
    /// again.
    package func setFacts(
        _ facts: PosixFacts, of node: RemoteReference
    ) async throws(RemoteError) {
        let template = try await templateForChange()
        let name = try await nameInChange(of: node)
        do {
            _ = try await client.call(
                FileProperties.propertiesOverwrite,
                FileProperties.OverwritePropertyGroupArg(
                    path: name.text, propertyGroups: groups(facts, by: template) ?? []),
                options: .facts)
        } catch {
            if noteRefusal(of: name, error) { return try await setFacts(facts, of: node) }
            if case .templateNotFound? = error.routeError { self.template.forget([template]) }
            throw RemoteError(ofChange: error) { RemoteError($0) }
        }
    }

    /// The template, without which the change is not sent.
    private func templateForChange() async throws(RemoteError) -> String {
        do throws(RemoteError) {
            return try await template.ensure(client)
        } catch {
            throw error.beforeChange
        }
    }

    /// Removes all facts from the account of a client. Returns how many templates it had.
    package static func removeFacts(_ client: DropboxClient) async throws(RemoteError) -> Int {
        let store = DropboxStore(client: client, sharesFacts: true)
        return try await store.template.removeAll(client)
    }

    // MARK: Commits

    /// The template for commits, if one of them has facts.
    func factsTemplate(for commits: [RemoteCommit]) async -> String? {
        guard template.isShared, commits.contains(where: { $0.facts != nil }) else { return nil }
        return await template.forCommit(client, needed: commits.contains(where: \.needsFacts))
    }

    /// The template for a commit. Throws if it is a link's, and there is none: without its facts it
    /// would be an ordinary file.
    func factsTemplate(for commit: RemoteCommit) async throws(RemoteError) -> String? {
        if commit.facts?.link != nil { return try await templateForChange() }
        return await factsTemplate(for: [commit])
    }

    /// Why a commit of a batch is not sent without a template; nil if it is.
    func refusal(of commit: RemoteCommit, without template: String?) -> RemoteError? {
        guard template == nil, commit.facts?.link != nil else { return nil }
        // Sent alone, it fails for the reason of this.
        return self.template.refusal ?? .busy
    }

    /// The property group of facts.
    func groups(
        _ facts: PosixFacts?, by template: String?
    ) -> [FileProperties.PropertyGroup]? {
        guard let facts, let template else { return nil }
        let field = FileProperties.PropertyField(name: FactsTemplate.field, value: facts.text)
        return [FileProperties.PropertyGroup(templateID: template, fields: [field])]
    }

    /// The result of a commit whose facts were refused: the specification says that the file is
    /// stored without them.
    func storedWithoutFacts(
        _ commit: RemoteCommit, size: Int64, _ reason: FileProperties.InvalidPropertyGroupError,
        insteadOf refusal: RemoteError
    ) async throws(RemoteError) -> RemoteEntry {
        log.notice("a file was stored without its mode", metadata: ["reason": "\(reason)"])
        if case .templateNotFound(let id) = reason { template.forget([id]) }
        return try await ownSuccess(of: commit, size: size, wasPossible: true, insteadOf: refusal)
    }
}

extension CallOptions {
    /// For facts alone. Nothing waits for them.
    fileprivate static var facts: CallOptions {
        CallOptions(deadline: .now.advanced(by: .seconds(60)), isSafeToRepeat: true)
    }
}

extension FileProperties.InvalidPropertyGroupError: NamingError {
    var isFormRefused: Bool {
        if case .path(.malformedPath) = self { true } else { false }
    }
}

extension RemoteError {
    /// Facts that a file cannot have are `forbidden`: they stay on this machine.
    fileprivate init(_ error: FileProperties.InvalidPropertyGroupError) {
        switch error {
        case .path(.notFound): self = .notFound
        // The template is made anew at the next try.
        case .templateNotFound: self = .busy
        case .path, .restrictedContent, .unsupportedFolder, .propertyFieldTooLarge,
            .doesNotFitTemplate, .duplicatePropertyGroups, .unknown:
            self = .forbidden("\(error)")
        }
    }
}
