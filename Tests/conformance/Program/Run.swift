// Puts the statements to a server, one after the other. Not responsible for the result's form:
// Report.

import DropboxAPIComplete

/// The result of one statement.
struct Finding: Sendable {
    enum Outcome: Sendable, Equatable {
        case holds
        case differs(Observation)
        case unasked(String)
    }

    let statement: Statement
    let outcome: Outcome
}

/// A run of statements on one account.
struct Run: Sendable {
    /// The account, with the folder of the whole run.
    let account: ConformanceAccount

    /// Asks all statements, each in a folder of its own, and removes what they made.
    func ask(
        _ statements: [Statement], _ told: (Finding) -> Void
    ) async -> [Finding] {
        var findings: [Finding] = []
        for statement in statements {
            let finding = Finding(statement: statement, outcome: await outcome(of: statement))
            told(finding)
            findings.append(finding)
        }
        return findings
    }

    private func outcome(of statement: Statement) async -> Finding.Outcome {
        let own = account.inFolder("\(account.folder)/\(statement.id)")
        do {
            _ = try await own.given { try await $0.files.createFolderV2(path: $0.folder) }
        } catch {
            return .unasked("\(error)")
        }
        do {
            return Self.compare(try await statement.ask(own), statement)
        } catch let error as Unaskable {
            return .unasked(error.reason)
        } catch let error as Unprepared {
            return .unasked("could not be prepared: \(error.reason)")
        } catch let error as any DropboxError {
            guard let answer = Self.answer(error) else { return .unasked(error.summary) }
            return Self.compare(answer, statement)
        } catch {
            return .unasked("\(error)")
        }
    }

    private static func compare(
        _ answer: Observation, _ statement: Statement
    ) -> Finding.Outcome {
        answer == statement.expected ? .holds : .differs(answer)
    }

    /// The server's answer as an observation: the tags of a route's error, or the status. Nil if
    /// the server did not answer the question.
    private static func answer(_ error: any DropboxError) -> Observation? {
        guard let call = error.failedCall else { return nil }
        if let routeError = call.routeError { return routeError.tagPath }
        switch call.kind {
        case .badInput, .http: return call.context.status.map(String.init)
        case .pathRoot:
            let body = call.context.answer?.body ?? ""
            return body.contains("no_permission") ? "422 no_permission" : "422 invalid_root"
        case .response:
            return call.context.status.map(String.init)
        case .auth:
            let body = call.context.answer?.body ?? ""
            return body.contains("missing_scope") ? nil : "401"
        default: return nil
        }
    }
}

extension ConformanceAccount {
    /// The same account with another folder.
    func inFolder(_ folder: String) -> ConformanceAccount {
        ConformanceAccount(
            client: client, transport: transport, token: token, emulator: emulator, folder: folder)
    }
}
