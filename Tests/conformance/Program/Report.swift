// The findings of a run, for people and for the emulator; and the table of all statements.

import Foundation

enum Report {
    /// All statements as Markdown, chapter by chapter.
    static var table: String {
        let chapters = Chapter.all.map { chapter in
            """
            ## \(chapter.title)

            | id | statement | answer | source | stands on it |
            |---|---|---|---|---|
            \(chapter.statements.map(row).joined(separator: "\n"))
            """
        }
        return chapters.joined(separator: "\n\n") + "\n"
    }

    private static func row(_ statement: Statement) -> String {
        let cells = [
            "`\(statement.id)`", statement.sentence, "`\(statement.expected)`",
            source(statement.source), rule(statement.rule),
        ]
        return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }

    private static func source(_ source: Source) -> String {
        switch source {
        case .specification(let file, let name): "`\(file).stone`: `\(name)`"
        case .page(let address): "[Dropbox](\(address))"
        case .client(let address): "[\(shortened(address))](\(address))"
        case .assumption: "assumption"
        }
    }

    /// The repository, and the number of an issue or the last part of a path.
    private static func shortened(_ address: String) -> String {
        let parts = address.split(separator: "/").dropFirst(2)
        guard parts.count > 3, let last = parts.last else { return parts.joined(separator: "/") }
        let repository = parts.prefix(2).joined(separator: "/")
        return last.allSatisfy(\.isNumber) ? "\(repository)#\(last)" : repository
    }

    /// Documents are linked from their folder, sources are named.
    private static func rule(_ rule: String) -> String {
        guard rule.hasPrefix("docs/") else { return "`\(rule)`" }
        let place = rule.dropFirst("docs/".count)
        return "[\(place.prefix { $0 != "#" })](\(place))"
    }

    /// A run as Markdown.
    static func markdown(_ findings: [Finding], server: String) -> String {
        let differing = findings.filter { if case .differs = $0.outcome { true } else { false } }
        let unasked = findings.filter { if case .unasked = $0.outcome { true } else { false } }
        var lines = [
            "# \(server)", "",
            "\(findings.count) statements: \(findings.count - differing.count - unasked.count) hold, "
                + "\(differing.count) do not, \(unasked.count) could not be asked.",
        ]
        if !differing.isEmpty {
            lines += [
                "", "| id | statement | expected | answered | stands on it |",
                "|---|---|---|---|---|",
            ]
        }
        for finding in differing {
            guard case .differs(let answer) = finding.outcome else { continue }
            let statement = finding.statement
            lines.append(
                "| `\(statement.id)` | \(statement.sentence) | `\(statement.expected)` | `\(answer)` | `\(statement.rule)` |"
            )
        }
        if !unasked.isEmpty { lines += ["", "| not asked | why |", "|---|---|"] }
        for finding in unasked {
            guard case .unasked(let reason) = finding.outcome else { continue }
            lines.append("| `\(finding.statement.id)` | \(reason) |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The answers that were not expected, by their statements: what `dropbox-emulator
    /// --observations` reads.
    static func observations(_ findings: [Finding]) -> [String: Observation] {
        findings.reduce(into: [:]) { answers, finding in
            if case .differs(let answer) = finding.outcome {
                answers[finding.statement.id] = answer
            }
        }
    }

    static func json(_ answers: [String: Observation]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(answers) + Data("\n".utf8)
    }
}
